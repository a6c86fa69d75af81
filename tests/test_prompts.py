"""Prompts: strict rendering, a schema beside each that wants JSON, a hash that changes with either."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files

import pytest

from zeromem import InvalidInput
from zeromem.prompts import Prompt, prompt
from zeromem.prompts import __name__ as package
from zeromem.propose.grounding import Source, grounded
from zeromem.text.words import terms

NAMES = sorted(item.name.removesuffix(".md") for item in files(package).iterdir() if item.name.endswith(".md"))


def test_rendering_is_strict() -> None:
    """A missing and an unused value are errors; a value may hold what looks like a place or a border."""
    one = Prompt("p", "Say {{what}}.\n---\n{{what}} to {{whom}}", None, "0")
    assert one.render(what="{{whom}}\n---\nx", whom="Ana") == [
        {"role": "system", "content": "Say {{whom}}\n---\nx."},
        {"role": "user", "content": "{{whom}}\n---\nx to Ana"},
    ]
    with pytest.raises(InvalidInput, match="needs a value for whom"):
        one.render(what="hi")
    with pytest.raises(InvalidInput, match="has no place for who"):
        one.render(what="hi", whom="Ana", who="x")


def test_the_hash_is_of_prompt_and_schema() -> None:
    """Cards say by which words they were made: changed words are another prompt."""
    assert prompt("facts").made_by("m") == f"facts@{prompt('facts').hash}:m"
    assert len({prompt(name).hash for name in NAMES}) == len(NAMES)


def test_examples_are_marked_in_both_languages() -> None:
    """Their words are in no other prompt, so that who copies them is found out."""
    examples = prompt("facts").examples
    assert len(examples) == 2 and any("用户" in example for example in examples)
    assert "<example>" not in replace(prompt("facts"), text="x").examples


def test_the_examples_keep_to_their_own_rules() -> None:
    """What an example proposes is grounded in the message of the example."""
    for example in prompt("facts").examples:
        message, answer = example.strip().split("\n")[0], example.strip().split("\n")[-1]
        for item in json.loads(answer)["memory"]:
            source = Source(message.partition(": ")[2], "user", None, "2026-07-25T10:00:00+00:00")
            assert grounded(item["text"], source)[0], item
            assert len(terms(item["text"])) > 2
