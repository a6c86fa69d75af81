"""Texts that repeat one thing for 60,000 characters: whatever is quadratic would take minutes here."""

from __future__ import annotations

import pytest

from zeromem import Document, Memory
from zeromem.encode.digests import digest
from zeromem.text.atoms import atoms
from zeromem.text.noise import classify, silent
from zeromem.text.sections import sections
from zeromem.text.words import identifiers, names, quoted

SIZE = 60_000
SIGNS = [
    *" \n\r\t\v\f!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~0aA",
    *"“”‘’「」『』《》（）【】…。！？，、：；　年月日第一十百点水é",
    "\u200b",
    "\u0301",
    "\u2028",
    "\x85",
    "😀",
]
WORDS = [
    "A.", "Mr. ", "C++ ", "A\n", "A'", "a'b ", "A of ", "The ", "1. ", "0.", "1,", "12:", "2026-", "a@b.", "@a-", "http://", "www.", "a/", "/a", "a_",
    "aA", "A-B", "May 1, ",
    "last ", "next week ", "until ", "in the ", "which ", "昨天", "上周", "三天", "第三", "不 ", "[m:", "<memory>\n", "</memory>\n",
    "<memory a=\"b\">\n", "<memories>\n", "</memories>\n", "```\n", "~~~", "# a\n\n", "a\n---\n", "a\n    ", "- a\n", "  \n",
    "“a", "‘a ", "＜", "［m", "thanks ", "好的，",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("unit", [*SIGNS, *WORDS], ids=ascii)
def test_a_repeated_sign_is_read_once(plain: Memory, unit: str) -> None:
    """Adding it as a message and as a document, asking with it, and every reading of words takes time in proportion."""
    text = (unit * (SIZE // len(unit) + 1))[:SIZE] + "x"
    plain.add([text, Document(text)], user="u")
    plain.recall([{"role": "user", "content": text}], user="u")
    plain.recall("x " + text[:SIZE], user="u", budget=300)
    for read in (
        classify,
        silent,
        names,
        quoted,
        identifiers,
        atoms,
        sections,
        lambda said: digest("message", "user", None, said),
    ):
        read(text)
