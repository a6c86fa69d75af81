"""Claim extraction: every example of the tables, and what holds for any text."""

from __future__ import annotations

import pytest

from zeromem.encode.facts import extract
from zeromem.encode.rulebook import extended, rulebook
from zeromem.encode.statements import statements
from zeromem.errors import InvalidInput
from zeromem.facts import Claim
from zeromem.rules import LANGUAGES

EXAMPLES = [
    pytest.param(text, wanted, id=f"{language}.{rule.id}: {text}")
    for language in LANGUAGES
    for rule in rulebook(language).rules
    for text, wanted in rule.examples.items()
]


def told(fact: Claim) -> str:
    """A fact as the tables write it."""
    columns = [fact.subject, fact.slot, fact.value, fact.polarity, fact.modality]
    while columns[-1] in ("+", "asserted"):
        columns.pop()
    return " | ".join(columns)


@pytest.mark.parametrize(("text", "wanted"), EXAMPLES)
def test_an_example_yields_what_its_table_says(text: str, wanted: list[str]) -> None:
    """The whole table finds exactly these facts in it."""
    assert sorted(map(told, extract(text))) == sorted(wanted)


def test_an_assistant_states_nothing() -> None:
    """Assistant text yields no fact, whatever it says."""
    assert extract("I live in Ghent and my name is Ada.", role="assistant") == []


def test_a_span_is_the_clause_in_the_text() -> None:
    """Start and end cut the clause out of the original text, typographic signs and all."""
    text = "Well, I’m Ada — hi! And, by the way, I live in Ghent."
    (name, home) = extract(text)
    assert (name.value, text[name.start : name.end]) == ("Ada", "I’m Ada")
    assert (home.value, text[home.start : home.end]) == ("Ghent", "I live in Ghent")


def test_a_quote_belongs_to_its_speaker() -> None:
    """The first person of a quote is its speaker; quotes of nobody, and code, state nothing."""
    assert list(map(told, extract('My neighbour said: "I live in Ghent."'))) == ["neighbour | home | Ghent"]
    assert extract('A man on the train shouted "I live in Ghent."') == []
    assert extract("```\nI live in Ghent.\n```") == []


@pytest.mark.parametrize(
    "text",
    [
        "Fix my essay: I live in Ghent. I work at a bank.",
        "Translate this to Dutch:\nI live in Ghent.\nI work at a bank.",
        "I live in Ghent and I work at a bank.\n\nTranslate this to Dutch",
        "Here is my letter: I live in Ghent.",
        "Assistant: I live in Ghent.",
        "Thanks. Do I live in Ghent",
    ],
)
def test_a_pasted_text_speaks_for_nobody(text: str) -> None:
    """What one is asked to work on, and talk that was copied; a question in any sentence."""
    assert extract(text) == []


def test_he_or_she_is_who_was_named_just_before() -> None:
    """Where it was one person or animal."""
    assert list(map(told, extract("We have a cat called Moth and she's nine."))) == [
        "user | pet | Moth",
        "Moth | age | nine",
    ]
    assert extract("I met Ana and Bo. She lives in Rome.") == []


def test_a_change_is_told() -> None:
    """`change` marks clauses that say that something is now otherwise."""
    assert [fact.change for fact in extract("I moved to Ghent. I love plums.")] == [True, False]


@pytest.mark.parametrize(
    "piece",
    [
        "I like tea and coffee, and my sister Ana lives in Bath. ",
        "a ",
        "my ",
        "word, ",
        "A",
        '"',
        "'a ",
        "我喜欢茶，",
        "is the of ",
        "```\n",
        "I",
    ],
)
def test_time_grows_with_the_text_only(piece: str) -> None:
    """A text of 200,000 characters takes seconds; were any pattern quadratic over the text, it would take hours."""
    text = piece * (200_000 // len(piece))
    extract(text)
    statements(text)


def test_a_user_adds_slots_and_rules() -> None:
    """A table of the same shape; a slot that nobody declared is refused."""
    rule = {"id": "instrument", "slot": "instrument", "pattern": "play the (?P<value>.+)", "triggers": ["play"]}
    book = extended("en", {"slots": {"instrument": {"holds": "many", "line": "instrument played"}}, "rule": [rule]})
    assert list(map(told, extract("I play the theremin.", books={"en": book}))) == ["user | instrument | theremin"]
    with pytest.raises(InvalidInput, match="instrument"):
        extended("en", {"rule": [rule]})
