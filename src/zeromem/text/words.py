"""Words of a text: the terms that the keyword index stores and a query is matched on.

In: any text in any script. Out: index terms (`terms`), their stable hashes (`hashes`), which of them carry no topic (`is_stop`), and the
names, quotations and identifiers that a query leans on. The same functions serve writing and asking, so both sides always agree.
Does not: score, look at other texts, or read anything but its two stop word tables. Nothing is dropped from an index but punctuation: stop words
stay terms, so that "the who" can still be found; it is the query side that leaves them out.

Scripts: words of alphabets are stemmed (Snowball English, PyStemmer, MIT/BSD); compounds (`OPS-31`, `billing-service`, `getUserName`)
stand whole and in parts; Han runs are cut by jieba in search mode (`rjieba`, MIT; its dictionary takes 170 ms, so it is loaded at the first
Han character); scripts without spaces (kana, Hangul, Thai, Lao, Khmer, Burmese) become overlapping pairs.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from importlib import import_module, resources
from typing import Protocol
from zlib import crc32

import numpy as np

HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
PAIRED = "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3041-\u3096\u30a1-\u30ff\uac00-\ud7af"  # scripts without spaces, and Hangul
MARKS = "\u0300-\u036f\u064b-\u065f\u0900-\u0963\u0966-\u0dff"  # combining marks that `\w` misses but words need
WORD = rf"(?:[^\W{HAN}{PAIRED}]|[{MARKS}])"
EMOJI = "\u2600-\u27bf\U0001f300-\U0001faff"
# A chunk is one word or a compound: 9,077  3.5%  2026-07-25  K-93  5d3+5  a@b.io  src/app.py  don't  C++
CHUNK = rf"{WORD}+(?:(?:[-.:/@'’&+#=~\\]|(?<=\d),(?=\d)){WORD}+)*(?:%|\+\+|\#(?!\w))?"
TOKEN = re.compile(rf"(?P<chunk>{CHUNK})|(?P<han>[{HAN}]+)|(?P<pair>[{PAIRED}]+)|(?P<emoji>[{EMOJI}])")
PART = re.compile(rf"{WORD}+")
KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
CAMEL_BORDER = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
NUMBER = re.compile(r"\d+(?:[.,:]\d+)*%?")
SURROGATE = re.compile("[\ud800-\udfff]")
QUOTED = re.compile(
    # No quotation holds its own opening mark, so that no two attempts read the same characters.
    r"“([^“”\n]+)”|\"([^\"\n]+)\"|「([^「」\n]+)」|『([^『』\n]+)』|《([^《》\n]+)》|`([^`\n]+)`|(?<!\w)['‘]([^'‘’\n]+)['’](?!\w)"
)
NAME_RUN = re.compile(r"[A-Z][\w]*(?:['’-][A-Z]\w+)*(?:[ \t]+[A-Z][\w]*(?:['’-][A-Z]\w+)*)*")
TITLE_OR_HANDLE = re.compile(r"(?<!\w)@(\w[\w.-]*\w)|\b(?:Mr|Mrs|Ms|Dr|Prof)\.? ([A-Z]\w+)")
SENTENCE_END = re.compile(r"(?:^|[.!?:\n。！？：][\"'”’)]*)\s*[\"'“‘(]*$")
LOOK_BACK = 24  # characters before a name in which its sentence may begin
NO_NAME = re.compile(
    "(?:mon|tues|wednes|thurs|fri|satur|sun|to|yester)day|tomorrow|january|february|march|april|may|june|july|august|september|october|november"
    "|december|mrs?|ms|dr|prof"
)


class _Cutter(Protocol):
    def cut_for_search(self, text: str) -> list[str]: ...
    def tag(self, text: str) -> list[tuple[str, str]]: ...


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...


# PyStemmer brings no types. Its own cache is off: `_chunk_terms` caches whole words.
_stemmer: _Stemmer = import_module("Stemmer").Stemmer("english", 0)


@cache
def _jieba() -> _Cutter:
    cutter: _Cutter = import_module("rjieba")  # its module functions are the methods of one shared cutter
    return cutter


def _plain(text: str) -> str:
    """The text in compatibility form, with case: full-width letters become plain, lone surrogates U+FFFD."""
    return text if text.isascii() else unicodedata.normalize("NFKC", SURROGATE.sub("\ufffd", text))


def fold(text: str) -> str:
    """The form in which two texts are compared: NFKC, case folded, lone surrogates as U+FFFD."""
    return _plain(text).casefold()


def terms(text: str) -> list[str]:
    """Index terms in the order of the text, repeats kept; an empty list for punctuation alone."""
    found: list[str] = []
    plain = _plain(text)
    japanese = bool(KANA.search(plain))
    for match in TOKEN.finditer(plain):
        kind, token = match.lastgroup, match[0]
        if kind == "chunk":
            found += _chunk_terms(token)
        elif kind == "han":
            found += _han_terms(token)
            if japanese and len(token) > 2:
                found += _pairs(token)
        elif kind == "pair":
            found += _pairs(token)
        else:
            found.append(token)
    return found


def is_stop(term: str) -> bool:
    """Whether a term (as `terms` gives it) carries no topic."""
    return term in _stops()


def content(found: Iterable[str]) -> list[str]:
    """The terms that carry a topic; all of them when none does, so that "the who" still asks for something."""
    kept = list(found)
    return [term for term in kept if term not in _stops()] or kept


def hashes(found: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    """One uint32 a term: CRC-32, since Python's `hash` differs from process to process and stored postings must not.

    Two of 100,000 distinct terms share a value about once in a scope; such a clash only adds a weak match.
    """
    return np.fromiter(map(_hash, found), np.uint32, len(found))


def language(text: str) -> str:
    """`zh`, `en`, `ja` or `other`, from the script and, for the Latin one, from accents and common words."""
    plain = _plain(text[:2000])
    han, kana = len(re.findall(f"[{HAN}]", plain)), len(KANA.findall(plain))
    words = re.findall(r"[^\W\d_]+", re.sub(f"[{HAN}{PAIRED}]", " ", plain))
    latin = sum(word.isascii() for word in words)
    if kana and 5 * kana >= han and han + kana >= len(words):
        return "ja"
    if han and 2 * han >= latin:  # a Han character is about half a word
        return "zh"
    english = latin and latin >= 0.9 * len(words) and (latin < 6 or any(word.casefold() in _stops() for word in words))
    return "en" if english else "other"


def names(text: str) -> list[str]:
    """Names of people, places and things, in order, each once: capitalised runs, titles, @handles, and what jieba tags as a person.

    The first word of a sentence counts only if another capital follows, if it stands before an apostrophe-s, or if it is capitalised inside
    a sentence too.
    """
    plain = _plain(text)
    found = [one or two for one, two in TITLE_OR_HANDLE.findall(plain)]
    opening: list[str] = []
    for match in NAME_RUN.finditer(plain):
        words = match[0].split()
        opens = bool(SENTENCE_END.search(plain, max(0, match.start() - LOOK_BACK), match.start()))
        first = next((i for i, word in enumerate(words) if not _is_no_name(word)), len(words))
        while len(words) > first and _is_no_name(words[-1]):
            words.pop()
        words, opens = words[first:], opens and first == 0
        run = " ".join(words)
        sure = not opens or len(words) > 1 or plain.startswith(("'s", "’s"), match.end())
        if len(run) > 1:
            (found if sure else opening).append(run)
    known = {word for name in found for word in name.split()}
    found += [name for name in opening if name in known]
    if re.search(f"[{HAN}]", plain):
        found += [word for word, tag in _jieba().tag(plain) if tag.startswith("nr") and len(word) > 1]
    return list(dict.fromkeys(found))


def tagged(text: str) -> list[tuple[str, str]]:
    """Words of a text with Han characters and their parts of speech, as jieba tags them (`n`, `nr`, `v`, `t`, …)."""
    return _jieba().tag(text)


def quoted(text: str) -> list[str]:
    """What stands in quotation marks, book marks or back-ticks, in order."""
    return [next(filter(None, groups)).strip() for groups in QUOTED.findall(text)]


def identifiers(text: str) -> list[str]:
    """Codes, paths, versions, keys and code names as written: `OPS-31`, `billing-service`, `src/app.py`, `getUserName`, `5d3+5`."""
    chunks = (match["chunk"] for match in TOKEN.finditer(_plain(text)) if match["chunk"])
    return list(dict.fromkeys(chunk for chunk in chunks if _is_identifier(chunk)))


def _is_identifier(chunk: str) -> bool:
    if NUMBER.fullmatch(chunk):
        return False
    parts = PART.findall(chunk)
    mixed = any(c.isdigit() for c in chunk) and any(c.isalpha() for c in chunk)
    camel = bool(re.search("[a-z][A-Z]", chunk))
    joined = len(parts) > 1 and "'" not in chunk and "’" not in chunk and not any(_is_function(part) for part in parts)
    return mixed or camel or joined or "_" in chunk.strip("_")


def _is_no_name(word: str) -> bool:
    return _is_function(word) or bool(NO_NAME.fullmatch(word.casefold()))


def _is_function(word: str) -> bool:
    return word.casefold().replace("'", "") in _stops()


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


@lru_cache(16384)
def _han_terms(run: str) -> tuple[str, ...]:
    """jieba's words, with the pairs inside the long ones: another context may cut elsewhere (先週動|物園 against 動物園)."""
    words = _jieba().cut_for_search(run)
    inner = {pair for word in words if len(word) > 2 for pair in _pairs(word)}
    return (*words, *sorted(inner.difference(words)))


@lru_cache(65536)
def _chunk_terms(chunk: str) -> tuple[str, ...]:
    if NUMBER.fullmatch(chunk):
        bare = chunk.rstrip("%").replace(",", "")
        return (chunk,) if bare == chunk else (chunk, bare)
    chunk = re.sub(r"['’]", "", re.sub(r"['’][sS]$", "", chunk))
    parts = PART.findall(chunk)
    if parts == [chunk]:
        parts = (
            CAMEL.findall(chunk) if CAMEL_BORDER.search(chunk) else [part for part in chunk.split("_") if part] or parts
        )
    if parts == [chunk]:
        return (_stem(chunk),)
    return tuple(dict.fromkeys([chunk.casefold(), *map(_stem, parts)]))


def _stem(word: str) -> str:
    """The stem of an alphabetic word without accents of the Latin script; a word with digits or of another script as it is."""
    low = word.casefold()
    if not low.isascii() and low[0] < "\u0250":
        low = "".join(c for c in unicodedata.normalize("NFKD", low) if not unicodedata.combining(c))
    return _stemmer.stemWord(low) if low.isascii() and low.isalpha() else low


@lru_cache(131072)
def _hash(term: str) -> int:
    return crc32(term.encode("utf-8", "replace"))


@cache
def _stops() -> frozenset[str]:
    rules = resources.files("zeromem.rules")
    lines = [line for lang in ("en", "zh") for line in (rules / lang / "stopwords.txt").read_text("utf-8").splitlines()]
    listed = {word for line in lines if not line.startswith("#") for word in line.split()}
    return frozenset(listed | {_stem(word) for word in listed})


@cache
def stop_hashes() -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    """The hashes of all stop words, to tell topical terms apart where only hashes are kept."""
    return hashes(sorted(_stops()))
