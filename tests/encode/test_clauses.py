"""The clause splitter: where clauses begin, whom they are about, what marks they bear."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeromem.encode.clauses import Clause, clauses
from zeromem.encode.grammar import Words, grammar
from zeromem.rules import LANGUAGES, table


def read(clause: Clause) -> tuple[str, str, str]:
    """Who, the words before the predicate, the predicate."""
    return clause.who, clause.text[clause.group : clause.body].strip(), clause.text[clause.body : clause.end]


def test_subject_verb_group_and_predicate_are_told_apart() -> None:
    """Auxiliaries, adverbs and negations belong to the group; the predicate begins at the word of meaning."""
    (clause,) = clauses("I really don't like rain.")
    assert read(clause) == ("user", "really don't", "like rain")
    assert clause.negations == 1


def test_a_clause_without_a_subject_takes_the_one_before() -> None:
    """But not where the verb's form contradicts it."""
    first, second = clauses("My cousin Ada lives in Ghent and works at a bank.")
    assert (first.who, second.who, first.subject) == ("other", "other", second.subject)


@pytest.mark.parametrize(
    "text",
    [
        "Do I live in Ghent?",
        "If I lived in Ghent I would cycle.",
        "I wish I lived in Ghent.",
        "Translate 'I live' into Dutch.",
        "x = [1]",
    ],
)
def test_what_states_nothing_gives_no_clause(text: str) -> None:
    """Questions, hypotheticals, tasks, code."""
    assert clauses(text) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I'm vegan, what should I cook?", "I'm vegan"),
        ("Suggest a book, I love ships.", "I love ships"),
        ("Can you suggest a book since I love ships?", "I love ships"),
        ("We moved, and I have no idea who to call.", "We moved"),
    ],
)
def test_a_sentence_may_state_something_beside_what_it_asks(text: str, said: str) -> None:
    """What stands before a question, or behind a request."""
    assert said in [clause.words for clause in clauses(text) if "unknown" not in clause.marks]


def test_verbs_of_one_construction_are_one_clause() -> None:
    """Two errands, two wishes; but what is done anyway is a clause of its own."""
    assert len(clauses("I need to call Ana and buy milk.")) == 1
    assert len(clauses("I called Ana and live in Ghent.")) == 2


def test_a_relative_clause_is_about_what_it_follows() -> None:
    """Not about the user."""
    assert [clause.who for clause in clauses("I bought a pan, which is a joy.")] == ["user", "it"]


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("I might move.", "uncertain"),
        ("I used to smoke.", "past"),
        ("I will call.", "planned"),
        ("I no longer smoke.", "ended"),
        ("When it rains, I read.", "conditional"),
        ("From now on, ask me.", "standing"),
        ("This week I work late.", "temporary"),
    ],
)
def test_marks(text: str, mark: str) -> None:
    """What a clause says about itself."""
    assert any(mark in clause.marks for clause in clauses(text))


@given(st.lists(st.text("ab 吃c", max_size=4), max_size=12), st.text("abc 吃喝", max_size=30))
def test_words_are_found_as_one_by_one(words: list[str], text: str) -> None:
    """The index over first characters finds what a look for every word finds."""
    assert sorted(Words(words).within(text)) == sorted({word for word in words if word in text})


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_cue_stands_in_every_match(language: str) -> None:
    """What is looked for only where a cue stands matches nowhere else, in all examples of the tables."""
    rules = grammar(language)
    texts = [text for name in ("facts", "clauses") for text in _examples(table(language, name))]
    assert len(texts) > 500
    for text in texts:
        low, marked = text.casefold(), dict(rules.marked(text.casefold()))
        for name, pattern in {**rules.marks, **rules.drop, "when": rules.when}.items():
            if pattern.search(text) is not None:
                assert rules.cued(name, low) and (name not in rules.marks or name in marked), (name, text)


def _examples(part: Any) -> Iterator[str]:
    for key, value in part.items() if isinstance(part, dict) else ():
        if key == "examples" and isinstance(value, dict):
            yield from value
        else:
            for one in value if isinstance(value, list) else [value]:
                yield from _examples(one)
