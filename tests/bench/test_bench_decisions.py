"""Contexts before decisions: exact budgets, the newest turns, nothing from after the call, and interleaved dialogues."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from bench.data import Turn
from bench.memories import Filled

from bench import decisions
from zeromem.text.tokens import count

START = datetime(2025, 1, 1, tzinfo=UTC)
PRIOR = [
    Turn(str(i), "c", "c", "user", "user", text, START + timedelta(minutes=i))
    for i, text in enumerate([
        "My booking code is QX7-PLUM and I fly to Oslo.",
        *(f"Line {i} talks about nothing in particular, only about the weather and the cat." for i in range(30)),
        "Please check my booking code again.",
    ])
]  # fmt: skip


@pytest.mark.parametrize("budget", [0, 1, 20, 60, 125, 250, 5000])
def test_a_context_never_exceeds_its_budget(budget: int) -> None:
    """Memory and last turns together, at any budget, also one that holds everything."""
    with Filled(None) as memory:
        memory.add(PRIOR)
        assert count(decisions.context(memory, PRIOR, "Please check my booking code again.", budget)) <= budget


def test_a_context_ends_with_the_last_turn_and_opens_with_what_recall_found() -> None:
    """Half of the budget for the last turns, the rest for memory."""
    with Filled(None) as memory:
        memory.add(PRIOR)
        text = decisions.context(memory, PRIOR, "Please check my booking code again.", 160)
    assert text.startswith("<memory")
    assert "QX7-PLUM" in text
    assert text.endswith("Please check my booking code again.\n")


@pytest.mark.data
def test_the_reference_scorer_scores_what_was_written(shared_data: Path, tmp_path: Path) -> None:
    """A few decisions end to end: one context a decision and budget, scored as the scorer's own command line does."""
    result = decisions.measure(shared_data, "bfcl_long", None, 3, tmp_path)
    lines = [json.loads(line) for line in (tmp_path / "contexts.jsonl").read_text("utf-8").splitlines()]
    assert result["n"] == 3
    assert len(lines) == 3 * len(decisions.BUDGETS)
    assert [figures["over_budget"] for figures in result["budgets"].values()] == [0, 0, 0, 0]
    assert list(result["baselines"]) == ["last", "dump", "full"]


@pytest.mark.data
def test_interleaved_dialogues_cannot_be_told_apart_and_keep_their_order(shared_data: Path) -> None:
    """acebench_zh: a stream holds several dialogues turn by turn; a decision comes right after its own last turn."""
    scorer = decisions._scorer(shared_data)
    scored = scorer.load(str(shared_data / "acebench_zh"))
    streams, points, kept = decisions._interleaved(shared_data, scorer, scored)
    assert len(points) == len(kept) > 0
    assert {turn.session for turns in streams.values() for turn in turns} == set(streams)
    own = {row[0]["decision_id"]: row[1] for row in kept}
    for point in points:
        said = [turn.text for turn in streams[point.stream][: point.before]]
        assert said[-1] in {turn["text"] for turn in own[point.id]}
