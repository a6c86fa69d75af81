"""Fact extraction: every example of the tables, and what holds for any text."""

from __future__ import annotations

import pytest

from zeromem.encode.facts import extract
from zeromem.encode.rulebook import rulebook
from zeromem.facts import Claim as Fact
from zeromem.rules import LANGUAGES

EXAMPLES = [
    pytest.param(text, wanted, id=f"{language}.{rule.id}: {text}")
    for language in LANGUAGES
    for rule in rulebook(language).rules
    for text, wanted in rule.examples.items()
]


def told(fact: Fact) -> str:
    """A fact as the tables write it."""
    columns = [fact.subject, fact.slot, fact.value, fact.polarity, fact.modality]
    while columns[-1] in ("+", "asserted"):
        columns.pop()
    return " | ".join(columns)


@pytest.mark.parametrize(("text", "wanted"), EXAMPLES)
def test_an_example_yields_what_its_table_says(text: str, wanted: list[str]) -> None:
    """The whole table finds exactly these facts in it."""
    assert sorted(map(told, extract(text))) == sorted(wanted)
