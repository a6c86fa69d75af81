"""Handles: telling, short, and never over seven tokens."""

from __future__ import annotations

import statistics

from zeromem import Memory
from zeromem.encode.pointers import stems
from zeromem.text.tokens import count


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
