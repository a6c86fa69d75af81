"""The sentences that fact extraction will be judged by keep to their own conventions (README.md beside them)."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
LINES: list[dict[str, Any]] = [json.loads(line) for line in (HERE / "sentences.jsonl").read_text("utf-8").splitlines()]
SLOTS: dict[str, Any] = json.loads((HERE / "slots.json").read_text("utf-8"))
MODALITIES = ("asserted", "planned", "conditional", "temporary", "past", "uncertain")


@pytest.mark.parametrize("line", LINES, ids=[line["id"] for line in LINES])
def test_a_sentence_keeps_the_conventions(line: dict[str, Any]) -> None:
    """Values, subjects and times stand in the text; assistants state no facts about the user."""
    assert line["role"] in ("user", "assistant", "tool", "document")
    assert line["role"] != "assistant" or not line["facts"]
    for fact in line["facts"]:
        assert fact["slot"] in SLOTS
        assert fact["value"] and fact["value"] in line["text"]
        assert fact["subject"] == "user" or fact["subject"] in line["text"]
        assert fact.get("when", "") in line["text"]
        assert fact["polarity"] in ("+", "-")
        assert fact["modality"] in MODALITIES


def test_half_of_them_are_chinese_and_a_third_states_no_fact() -> None:
    """Enough of each, each once."""
    assert len({line["id"] for line in LINES}) == len({line["text"] for line in LINES}) == len(LINES) >= 300
    counts = Counter(line["lang"] for line in LINES)
    assert min(counts["en"], counts["zh"]) >= 150
    assert 0.3 <= sum(not line["facts"] for line in LINES) / len(LINES) <= 0.4
