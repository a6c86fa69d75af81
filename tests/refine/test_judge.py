"""Pairs are judged without losing anything."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeromem.refine.judge import Action, Side, judge
from zeromem.refine.reading import read

PAIRS = [
    ("I moved to Leeds", "By the way, I moved to Leeds in May.", "delete"),
    ("I don't eat meat", "I eat meat", "preserve"),
    ("The rent is 820 euros", "The rent is 850 euros", "preserve"),
    ("Ana told Tim that it rains", "Tim told Ana that it rains", "preserve"),
    ("We painted the old shed red on Friday", "On Friday we painted the shed red again", "merge"),
    ("We saw a heron", "The kettle is broken", "preserve"),
    ("Did you move to Leeds?", "You did move to Leeds.", "preserve"),
    ("我搬到杭州了", "其实我五月搬到杭州了。", "delete"),
    ("我不吃香菜", "我吃香菜", "preserve"),
    ("房租3000元", "房租3500元", "preserve"),
]


@pytest.mark.parametrize(("one", "two", "action"), PAIRS)
def test_pairs(one: str, two: str, action: str) -> None:
    """Contained goes, near becomes one, all else stays; the order of the pair does not matter."""
    there, back = judge(Side(one), Side(two)), judge(Side(two), Side(one))
    assert (there.action.value, back.action.value) == (action, action), (there, back)
    assert there.reason
    if there.action is Action.DELETE:
        assert (there.goes, back.goes) == (0, 1)


def test_what_may_not_meet() -> None:
    """Two speakers, or what holds and what no longer does, stay apart even with the same words."""
    assert judge(Side("I moved", "Ana"), Side("I moved", "Bob")).action is Action.PRESERVE
    assert judge(Side("I moved"), Side("I moved", standing=False)).action is Action.PRESERVE


def test_a_merge_says_both() -> None:
    """The merged text holds the words of both."""
    merged = judge(Side("We painted the old shed red on Friday"), Side("On Friday we painted the shed red again")).text
    assert merged is not None
    assert {"old", "shed", "red", "Friday"} <= set(merged.split())


PIECES = [
    "I",
    "don't",
    "eat",
    "meat",
    "Ana",
    "told",
    "Tim",
    "820",
    "euros",
    "never",
    "on",
    "Friday",
    ",",
    ".",
    "?",
    "我",
    "不",
    "吃",
    "香菜",
]
WORDS = st.lists(st.sampled_from(PIECES), max_size=9)


@given(WORDS.map(" ".join), WORDS.map(" ".join))
def test_deleting_loses_no_hard_atom(one: str, two: str) -> None:
    """What goes leaves all its hard atoms behind, and what they bind."""
    verdict = judge(Side(one), Side(two))
    if verdict.action is Action.DELETE:
        gone, stays = (one, two) if verdict.goes == 0 else (two, one)
        assert read(gone).bonds().keys() <= read(stays).bonds().keys()
