"""Tells whether two cards say the same words: a digest of kind, speaker and text.

In: the fields of a card. Out: 16 bytes, equal for texts that differ only in how their characters are written and spaced. What
changes the meaning stays: raised and lowered digits (2⁵ is not 25), fractions, and the indentation of code. Pure.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata

_KEPT = ("<super>", "<sub>", "<fraction>")
# A fence anywhere, or an indented line after the first: a message may well begin with a space too many.
_CODE = re.compile(r"^[ \t]{0,8}(?:```|~~~)|\n(?: {2}|\t)[ \t]*+\S", re.MULTILINE)
_LINE = re.compile(r"^([ \t]*+)(.*+)$", re.MULTILINE)


def digest(kind: str, role: str, speaker: str | None, text: str) -> bytes:
    """Equal for the same words of the same speaker: after NFKC and white-space folding, but for what these would change. 16 bytes."""
    # Lengths in front keep the fields apart, whatever characters they hold.
    fields = (kind, role, speaker or "", _words(text))
    key = "".join(f"{len(field)}:{field}" for field in fields) + ("" if speaker is None else "+")
    return hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _words(text: str) -> str:
    if _CODE.search(text):
        lines = [(match[1], _compatible(match[2])) for match in _LINE.finditer(text) if match[2].strip()]
        return "\n".join(indent + " ".join(line.split()) for indent, line in lines)
    return " ".join(_compatible(text).split())


def _compatible(text: str) -> str:
    """NFKC, with raised, lowered and fraction characters left as themselves."""
    if text.isascii():
        return text
    kept = [c for c in set(text) if c > "\x7f" and unicodedata.decomposition(c).startswith(_KEPT)]
    if kept:
        # A private mark and the number: NFKC leaves both alone.
        text = text.translate({ord(c): f"\ue000{ord(c)};" for c in kept})
    return unicodedata.normalize("NFKC", text)
