"""Ids sort by time; pointers have one grammar."""

from __future__ import annotations

import pytest

from zeromem import InvalidInput, Memory
from zeromem.ids import is_stem, new_id, split_pointer


def test_ids_sort_by_time() -> None:
    """27 characters up to the last microsecond that has room; later ones are an error of the clock."""
    last = 16**14 - 1
    made = [new_id("c", now) for now in (-5, 0, 1, 10**15, last)]
    assert [len(id_) for id_ in made] == [27] * 5
    assert made[1:] == sorted(made[1:])
    with pytest.raises(InvalidInput, match="past the year 4253"):
        new_id("c", last + 1)


def test_a_clock_past_the_last_id_stores_nothing() -> None:
    """An `add` under such a clock is refused, not stored under an id that nothing takes."""
    with Memory.open(":memory:", embedder="none", background=False, clock=lambda: 16**14) as memory:
        with pytest.raises(InvalidInput, match="clock"):
            memory.add("coffee", user="u")
        assert memory.scopes() == []


@pytest.mark.parametrize("word", ["coffee", "茶", "乌龙茶", "lucía", "москва", "a" * 16])
def test_letters_of_any_script_are_stems(word: str) -> None:
    """A word, with a number from 2 to 999999 behind it."""
    assert is_stem(word)
    assert [split_pointer(word + n) for n in ("", "2", "999999")] == [(word, 1), (word, 2), (word, 999_999)]


@pytest.mark.parametrize(
    "word",
    ["", "2", "a b", "a]b", "a\n", "a\u200d", "\u202eab", "a\u0000", "a-b", "a_b", "Ana", "ﬁ", "ß", "x²", "Ⅷ", "a" * 17, "\ud83d"],
)  # fmt: skip
def test_other_signs_are_not(word: str) -> None:
    """Brackets, white space, controls, marks, digits, capitals and what folds to something else."""
    assert not is_stem(word)
    assert split_pointer(word) is None


def test_numbers_have_one_form() -> None:
    """No 0, no 1, no leading zero, no seventh digit, no digits of other scripts."""
    assert [split_pointer("tea" + n) for n in ("0", "1", "02", "1000000", "٣", "２")] == [None] * 6
