"""Reading a model's answer: whatever is whole is taken, what is not is told."""

from __future__ import annotations

import pytest

from zeromem.prompts import prompt
from zeromem.propose.reading import Candidate, read, unfit
from zeromem.replies import Reply

SCHEMA = prompt("facts").schema or {}


def texts(answer: str, finish: str = "stop") -> list[str]:
    return [candidate.text for candidate in read(Reply(answer, "m", finish), SCHEMA).candidates]


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ('{"memory":[{"text":"a b","source":1}]}', ["a b"]),
        ('Here you go:\n```json\n{"memory":[{"text":"Has a kayak"}]}\n```\nHope it helps', ["Has a kayak"]),
        ('```json\n{"memory":[{"text":"Wraps code in ``` fences"},{"text":"Uses ruff"}]}\n```', ["Wraps code in ``` fences", "Uses ruff"]),
        ('{"memory":[{"text":"path C:\\new \\q"}]}', ["path C:\new \\q"]),
        ("{'memory': [{'text': 'it\\'s'}]} thanks", ["it's"]),
        ('I think {x} and then {"memory":[{"text":"a"}]}', ["a"]),
        ('<think>{"memory":[{"text":"no"}]}</think>{"memory":[{"text":"say "hi" now"}]}', ['say "hi" now']),
        ('{"memory":[{"text":"a",}, {"text":"b"}],}', ["a", "b"]),
        ('[{"text":"a"}]', ["a"]),
        ('{"memory":["a", "b"]}', ["a", "b"]),
        ('```\n[{"text":"喜欢“茶”"}]\n```', ["喜欢“茶”"]),
        ('{"memory":[{"text":"tab\there\nline"}]}', ["tab\there\nline"]),
        ('{"facts":[{"fact":"a"},{"content":"b"}]}', ["a", "b"]),
        ('{"memory":[]}', []),
        ("[]", []),
    ],
)  # fmt: skip
def test_answers_in_every_dress(answer: str, found: list[str]) -> None:
    """Prose, fences, thinking, quotes, escapes, trailing commas, other names for the same."""
    assert texts(answer) == found


@pytest.mark.parametrize(
    "answer",
    ["", "sorry, here you go: memory = strawberry", "null", "{}", '{"memory": 3}', "[[[" * 5000, "{" * 5000, "[1, 2]"],
)
def test_what_holds_nothing_is_an_error_that_the_model_is_told(answer: str) -> None:
    """An answer that cannot be read is never an answer without memories."""
    told = read(Reply(answer, "m"), SCHEMA)
    if answer == "[[[" * 5000:  # nested deeper than anybody answers
        assert not told.candidates
    else:
        assert (told.candidates, bool(told.error)) == ((), True)


def test_what_is_cut_off_is_left_out_and_told() -> None:
    """The last item of a broken answer is not whole; those before it are."""
    told = read(Reply('{"memory":[{"text":"Plays cello"},{"text":"Has a d', "m"), SCHEMA)
    assert (told.candidates, told.cut, len(told.warnings)) == ((Candidate("Plays cello"),), True, 1)
    told = read(Reply('{"memory":[{"text":"Plays cello"},{"text":"Has a dog"}', "m", "length"), SCHEMA)
    assert ([one.text for one in told.candidates], told.cut) == (["Plays cello", "Has a dog"], True)


def test_missing_fields_and_invented_ids_are_named() -> None:
    """And change nothing."""
    told = read(
        Reply('{"memory":[{"id":"99","event":"UPDATE","text":"likes jazz"},{"id":"abc","event":"DELETE"},7]}', "m"),
        SCHEMA,
    )
    assert [one.text for one in told.candidates] == ["likes jazz"]
    assert ["99" in told.warnings[0], "abc" in told.warnings[1], "no object" in told.warnings[2]] == [True] * 3
    assert "has no text or name" in read(Reply('{"nodes":[{"id":"n1"}]}', "m"), SCHEMA).warnings[0]


def test_the_small_schema_check() -> None:
    """Type, required, properties, items, enum."""
    assert list(unfit({"memory": [{"text": "a", "source": 1}]}, SCHEMA)) == []
    assert list(unfit({"memory": [{"text": 1}]}, SCHEMA)) == [
        "memory[0] has no 'source'",
        "memory[0].text is no string",
    ]
    assert list(unfit({"memory": True}, SCHEMA)) == ["memory is no array"]
    assert list(unfit([], SCHEMA)) == ["the answer is no object"]
    assert list(unfit(True, {"type": "integer"})) == ["the answer is no integer"]
    assert list(unfit("c", {"enum": ["a", "b"]})) == ["the answer is none of a, b"]
