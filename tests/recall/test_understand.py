"""What a question asks: examples of the rule tables, and what a long message comes down to."""

from __future__ import annotations

import pytest

from zeromem.recall.understand import focus, wide
from zeromem.rules import LANGUAGES, table


@pytest.mark.parametrize("language", LANGUAGES)
def test_examples_of_the_tables(language: str) -> None:
    """Every example of the tables is read as it says."""
    rules = table(language, "questions")
    assert [text for text in rules["yes"] if not wide(text)] == []
    assert [text for text in rules["no"] if wide(text)] == []


def test_a_long_message_comes_down_to_its_question() -> None:
    """Repeated instructions count once, and the question is kept; a short message stays as it is."""
    text = "You are a careful agent. " * 60 + "Always be kind and answer in full. where is the lab key?"
    assert focus(text).endswith("where is the lab key?")
    assert len(focus(text)) < 200
    assert focus("short one") == "short one"
