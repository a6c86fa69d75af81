"""Cases of the kind "LLM output parsing": whatever a model answers, the words that were said stay and nothing breaks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Chat = Callable[..., Any]


def test_c071_prose_and_fences(with_chat: Chat) -> None:
    """JSON inside a fence inside prose is read; the fact is there once."""
    mem = with_chat('Here you go:\n```json\n{"memory":[{"text":"Has a kayak"}]}\n```\nHope it helps')
    mem.add("I own a kayak", user="u")
    report = mem.maintain(user="u")
    assert report.warnings == ()
    assert len(mem.search("kayak", user="u", current=True)) == 1


def test_c072_backticks_in_a_string(with_chat: Chat) -> None:
    """Backticks inside a JSON string end no fence."""
    mem = with_chat('```json\n{"memory":[{"text":"Wraps code in ``` fences"},{"text":"Uses ruff"}]}\n```')
    mem.add("I wrap code in ``` fences and use ruff", user="u")
    mem.maintain(user="u")
    refined = [card.text for card in mem.list(user="u", filters={"kind": "fact"})]
    assert refined == ["Wraps code in ``` fences", "Uses ruff"]


def test_c074_truncated_json(with_chat: Chat) -> None:
    """What is whole is taken, what is cut is found in the raw words, and a warning says so."""
    mem = with_chat('{"memory":[{"text":"Plays cello"},{"text":"Has a d')
    mem.add("I play cello and have a dog", user="u")
    assert mem.maintain(user="u").warnings
    assert mem.search("cello", user="u") and mem.search("dog", user="u")


def test_c075_ids_that_do_not_exist(with_chat: Chat) -> None:
    """Invented ids change nothing; the text is stored as new."""
    mem = with_chat('{"memory":[{"id":"99","event":"UPDATE","text":"likes jazz"},{"id":"abc","event":"DELETE"}]}')
    mem.add("existing fact", user="u")
    mem.add("I like jazz", user="u")
    mem.maintain(user="u")
    texts = [card.text for card in mem.list(user="u")]
    assert "existing fact" in texts and any("jazz" in text for text in texts)


def test_c076_missing_required_field(with_chat: Chat) -> None:
    """A node without a name is named in a warning; the raw words are found."""
    mem = with_chat(
        '{"nodes":[{"id":"n1"},{"id":"n2","name":"Kiln"}],"edges":[{"source":"n1","target":"n2","relation":"owns"}]}'
    )
    mem.add("Sam owns the Kiln", user="u")
    report = mem.maintain(user="u")
    assert any("name" in warning for warning in report.warnings)
    assert mem.search("Kiln", user="u")
