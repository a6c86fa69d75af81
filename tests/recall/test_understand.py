"""What a question asks: examples of the rule tables, and what a long message comes down to."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from zeromem import Memory
from zeromem.recall.understand import focus, personal, wide
from zeromem.rules import LANGUAGES, table


@pytest.mark.parametrize("form", [wide, personal])
@pytest.mark.parametrize("language", LANGUAGES)
def test_examples_of_the_tables(language: str, form: Callable[[str], bool]) -> None:
    """Every example of the tables is read as it says."""
    rules = table(language, "questions")[form.__name__]
    assert [text for text in rules["yes"] if not form(text)] == []
    assert [text for text in rules["no"] if form(text)] == []


def test_a_question_for_many_is_filled_and_one_for_one_is_lean(open_memory: Callable[..., Memory]) -> None:
    """ "Which books" takes all that the budget holds, without a budget named too."""
    memory = open_memory("wide.db", embedder="none")
    read = ["Middlemarch", "Walden", "Emma", "Dracula", "Ulysses", "Beloved", "Persuasion", "Dubliners"]
    memory.add([{"role": "user", "content": f"I have read the book {name}."} for name in read], user="u")
    memory.add([{"role": "user", "content": f"The kettle stands on shelf {i}."} for i in range(40)], user="u")
    assert len(memory.recall("Which books have I read?", user="u").cards) >= len(read)
    assert len(memory.recall("Have I read the book Walden?", user="u").cards) < len(read)


def test_a_long_message_comes_down_to_its_question() -> None:
    """Repeated instructions count once, and the question is kept; a short message stays as it is."""
    text = "You are a careful agent. " * 60 + "Always be kind and answer in full. where is the lab key?"
    assert focus(text).endswith("where is the lab key?")
    assert len(focus(text)) < 200
    assert focus("short one") == "short one"
