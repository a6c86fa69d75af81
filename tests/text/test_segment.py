"""Sentences and pieces of texts."""

import random
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeromem.text.segment import Span, count_words, segments, sentences

ANY_TEXT = st.text(st.characters(codec=None), max_size=300) | st.text("ab. !?\n。！；…”\"'`A1", max_size=300)


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


def covered(text: str, spans: list[Span]) -> bool:
    """Whether every character outside the spans is white space."""
    inside = bytearray(len(text))
    for start, end in spans:
        inside[start:end] = b"\1" * (end - start)
    return all(flag or char.isspace() for flag, char in zip(inside, text, strict=True))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr. Smith paid 3.5 dollars. He left.", ["Dr. Smith paid 3.5 dollars.", "He left."]),
        ("Use e.g. v1.2 in the U.S. It works!", ["Use e.g. v1.2 in the U.S.", "It works!"]),
        ("J. Doe vs. Roe. See https://a.b/c?d=e. OK?", ["J. Doe vs. Roe.", "See https://a.b/c?d=e.", "OK?"]),
        ('"Really?" she asked. "Yes." He nodded.', ['"Really?" she asked.', '"Yes."', "He nodded."]),
        ("1. Buy milk. 2 eggs", ["1. Buy milk.", "2 eggs"]),
        ("Wait... what? Wait... Then go.", ["Wait... what?", "Wait...", "Then go."]),
        ("今天下雨。明天晴！真的吗？好；走", ["今天下雨。", "明天晴！", "真的吗？", "好；", "走"]),
        ("他说：“好吗？”我说好。", ["他说：“好吗？”", "我说好。"]),
        ("真的吗?好的", ["真的吗?", "好的"]),
        ("one line\nnext line\n\n", ["one line", "next line"]),
        ("```\nx = 1. y = 2; z\n```\nEnd. Fin.", ["```", "x = 1. y = 2; z", "```", "End.", "Fin."]),
        (" \n ", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    """Sentences end at stops and line breaks, not at abbreviations, numbers or addresses; code is kept in lines."""
    assert split(text) == expected


@given(ANY_TEXT)
def test_sentences_cover_any_text(text: str) -> None:
    """Sentences are in order, apart, trimmed, and leave out white space alone."""
    last = 0
    spans = sentences(text)
    for start, end in spans:
        assert last <= start < end
        assert text[start:end] == text[start:end].strip()
        last = end
    assert covered(text, spans)


@given(ANY_TEXT, st.integers(1, 12), st.integers(0, 12), st.integers(0, 12))
def test_segments_cover_any_text(text: str, low: int, more: int, overlap: int) -> None:
    """Segments are in order, cover all, never hold much more than they may, and are the same each time."""
    overlap = min(overlap, low)
    high = low + overlap + more
    spans = segments(text, low=low, high=high, overlap=overlap)
    assert spans == sorted(set(spans)) and covered(text, spans)
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(spans))
    assert spans == segments(text, low=low, high=high, overlap=overlap)


def article(seed: int, paragraphs: int = 200) -> str:
    rng = random.Random(seed)
    words = [
        "the",
        "quick",
        "brown",
        "fox",
        "keeps",
        "a",
        "memory",
        "of",
        "every",
        "token",
        "met",
        "in",
        "3.5",
        "winters",
    ]

    def sentence() -> str:
        return " ".join(rng.choices(words, k=rng.randint(4, 25))).capitalize() + "."

    return "\n\n".join(" ".join(sentence() for _ in range(rng.randint(1, 8))) for _ in range(paragraphs))


def test_a_short_text_is_one_segment() -> None:
    """Up to `high` words nothing is cut; white space around is left out."""
    assert segments("  one two. three  ") == [(2, 16)]
    assert segments(" \n") == []


def test_sizes_and_overlap() -> None:
    """Pieces have 200 to 500 words, end with sentences, and share whole sentences of at most 40 words."""
    text = article(1)
    spans = segments(text)
    sizes = [count_words(text[a:b]) for a, b in spans]
    assert min(sizes) >= 200 and max(sizes) <= 500
    assert all(text[b - 1] == "." for _, b in spans)
    shared = [count_words(text[later[0] : earlier[1]]) for earlier, later in pairwise(spans)]
    assert max(shared) <= 40 and sum(1 for size in shared if size) > len(shared) / 2


def test_an_edit_moves_few_cuts() -> None:
    """Without one paragraph, all but a few pieces are as before."""
    text = article(2, 400)
    paragraphs = text.split("\n\n")
    edited = "\n\n".join(paragraphs[:50] + paragraphs[51:])
    before = {text[a:b] for a, b in segments(text)}
    after = {edited[a:b] for a, b in segments(edited)}
    assert len(before - after) <= 12 < len(before)


@pytest.mark.parametrize("unit", ["a", "字", "a. ", "你好。", "(", "!\n", "`", "词，"])
def test_time_is_linear(unit: str) -> None:
    """Text without spaces, stops or sense is cut in good time, to the last character."""
    text = unit * (400_000 // len(unit))
    begun = time.perf_counter()
    spans = segments(text)
    assert time.perf_counter() - begun < 20
    assert spans[-1][1] == len(text.rstrip()) and covered(text, spans)


def test_impossible_sizes() -> None:
    """Sizes that leave no room are refused."""
    with pytest.raises(ValueError, match="overlap"):
        segments("x", low=100, high=120, overlap=40)
