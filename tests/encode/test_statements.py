"""Open relations: every example of the tables, and what holds for any text."""

from __future__ import annotations

import pytest

from zeromem.encode.statements import book, statements
from zeromem.rules import LANGUAGES

EXAMPLES = [
    pytest.param(text, wanted, id=f"{language}.{row.id}: {text}")
    for language in LANGUAGES
    for row in book(language).rows
    for text, wanted in row.examples.items()
]


@pytest.mark.parametrize(("text", "wanted"), EXAMPLES)
def test_an_example_yields_what_its_table_says(text: str, wanted: str) -> None:
    """One relation, or none."""
    found = [
        " | ".join([fact.subject, fact.slot, fact.value, *(["single"] if fact.single else [])])
        for fact in statements(text)
    ]
    assert found == ([wanted] if wanted else [])


def test_an_assistant_states_nothing() -> None:
    """What the assistant said is no fact of the world."""
    assert statements("The author of The Glass Fen is Ida Moe.", role="assistant") == []
