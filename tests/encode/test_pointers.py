"""Handles: telling, short, and never over seven tokens."""

from __future__ import annotations

import statistics

import pytest

from zeromem import Memory
from zeromem.encode.pointers import stems
from zeromem.rules import LANGUAGES, table
from zeromem.text.tokens import count


@pytest.mark.parametrize(
    ("text", "fit"), [tuple(e) for language in LANGUAGES for e in table(language, "pointers")["examples"]]
)
def test_examples_of_the_tables(text: str, fit: str) -> None:
    """The handle is a word that the sentence is about: no time, no generic word, the object before the subject."""
    assert stems(text, count)[0] in fit.split()


def test_any_number_keeps_a_handle_within_seven_tokens() -> None:
    """Rare characters cost several tokens each: the stem leaves room for the number."""
    texts = [
        "鲲鹏处理器",
        "鲲鹏",
        "魑魅魍魉出没",
        "饕餮",
        "anaphylaxis",
        "Kubernetes ZooKeeper",
        "日本語の文章",
        "한국어 문장",
    ]
    assert (
        max(
            count(f"[m:{stem}{number}]")
            for text in texts
            for stem in stems(text, count)
            for number in (2, 1000, 999_999)
        )
        <= 7
    )


def test_stems_are_words_of_the_text() -> None:
    """English and Chinese texts give words of their own; a text without words gives `note`."""
    assert set(stems("I am allergic to almonds.", count)) <= {"allergic", "almonds"}
    assert "护照" in stems("我的护照到期日是 2029-11-03。", count)
    assert stems("😀 12 34", count) == ["note"]


def test_pointers_are_short_and_unique() -> None:
    """Over many alike texts: all different, median at most 5 tokens, none over 7."""
    with Memory.open(":memory:", embedder="none") as memory:
        texts = [f"The garden meeting number {i} moved to room {i * 7}." for i in range(600)]
        texts += [f"第{i}次会议改到了{i}号房间。" for i in range(600)]
        receipt = memory.add([{"role": "user", "content": text} for text in texts], user="u")
        names = [item.pointer for item in receipt.items]
    assert len(set(names)) == 1200
    sizes = [count(f"[m:{name}]") for name in names]
    assert statistics.median(sizes) <= 5
    assert max(sizes) <= 7


@pytest.mark.parametrize(
    ("text", "stem"),
    [("Lucía is vegetarian", "lucía"), ("We moved to Tromsø", "tromsø"), ("Luci\u0301a is vegetarian", "vegetarian")],
)
def test_a_word_with_accents_is_whole(text: str, stem: str) -> None:
    """`luc` and `troms` are nobody's names."""
    found = stems(text, count)
    assert stem in found
    assert not {"luc", "luci", "troms"} & set(found)
