"""Patterns of the tables cannot blow up: none repeats what repeats by itself, and long runs of any common word are read in time."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest

import zeromem.rules
from zeromem.encode.stated import claims_of
from zeromem.rules import LANGUAGES, expand, spoken, table
from zeromem.text.words import terms

FOLDER = Path(zeromem.rules.__file__).parent
TABLES = sorted(FOLDER.glob("**/*.toml"))
REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT)
MANY = 8  # repetitions from which on the ways to share them out count
MOST = 400  # alternatives that are looked at


def ways(pattern: Any) -> list[list[Any]]:
    """The sequences that a pattern stands for, groups and alternatives written out."""
    out: list[list[Any]] = [[]]
    for op, what in pattern:
        if op is codes.BRANCH:
            more = [way for one in what[1] for way in ways(one)]
        elif op is codes.SUBPATTERN:
            more = ways(what[3])
        else:
            more = [[(op, what)]]
        out = [a + b for a in out for b in (more if len(out) * len(more) < MOST else more[:1])]
    return out


def optional(item: Any) -> bool:
    op, what = item
    return op in (codes.AT, codes.ASSERT, codes.ASSERT_NOT) or (op in REPEATS and what[0] == 0)


def nested(pattern: Any) -> Iterator[str]:
    """Repeats of what is nothing but a repeat beside optional things: a run can be shared out in exponentially many ways."""
    for op, what in pattern:
        inner = []
        if op in REPEATS:
            inner = [what[2]]
            for way in ways(what[2]) if what[1] >= MANY else ():
                if any(
                    one[0] in REPEATS and one[1][1] >= MANY and all(optional(x) for x in (*way[:i], *way[i + 1 :]))
                    for i, one in enumerate(way)
                ):
                    yield str(way)[:200]
        elif op is codes.BRANCH:
            inner = what[1]
        elif op is codes.SUBPATTERN:
            inner = [what[3]]
        elif op in (codes.ASSERT, codes.ASSERT_NOT):
            inner = [what[1]]
        elif op is codes.GROUPREF_EXISTS:
            inner = [one for one in what[1:] if one is not None]
        for one in inner:
            yield from nested(one)


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, one in value.items():
            if key not in ("examples", "yes", "no", "line", "id"):
                yield from strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize("path", TABLES, ids=[str(path.relative_to(FOLDER)) for path in TABLES])
def test_no_pattern_repeats_a_repeat(path: Path) -> None:
    """`(?:哈+|…)+` and the like; write the inner one without its sign, or possessive (`哈++`)."""
    told = tomllib.loads(path.read_text(encoding="utf-8"))
    macros = told.get("macros", {})
    if path.parent.name in LANGUAGES:
        macros = {**table(path.parent.name, "clauses").get("macros", {}), **macros}
    looked = 0
    for text in strings(told):
        try:
            parsed = parser.parse(expand(text, macros))
        except Exception:  # a word or a sentence, no pattern
            continue
        looked += 1
        assert (text[:80], list(nested(parsed))) == (text[:80], [])
    assert looked or not list(strings(told))


def test_the_check_finds_what_blows_up() -> None:
    for bad in ("(?:a|b+)+$", "(?:[xy]+c?)*", "(?:(?:ha+)?(?:x+))*d", "(?:a{0,9})+"):
        assert list(nested(parser.parse(bad))), bad
    for good in ("(?:a|b)+$", "(?:b++)+", "(?:a+c)*", "(?:a{0,3})+", "(?: \\w+)*"):
        assert not list(nested(parser.parse(good))), good


RUNS = "so|really|and|but|the|of|to|I|my|is|was|not|never|always|please|like|live|move|work|said|that|if|then|also|very|just|moved to"
HAN = "哈|嗯|啊|呵|好|的|了|是|我|你|他|不|没|很|也|都|在|去|住|吃|喜欢|回复|请|说|但是|因为|所以|如果|然后|真的|非常|谢谢|搬到|爸|妈"


@pytest.mark.parametrize("word", [*RUNS.split("|"), *HAN.split("|")])
@pytest.mark.parametrize("mark", [" ", "", ", ", "，"], ids=["space", "none", "comma", "han"])
def test_long_runs_of_a_word_are_read(word: str, mark: str) -> None:
    """A thousand times the same word, alone and around a sentence; it would take hours if it were worse than quadratic."""
    run = mark.join([word] * 1000)
    for text in (run, f"I live in Leeds {run}", f"{run}我住在杭州。", f"{run} x {run}?"):
        claims_of.__wrapped__("message", "user", None, text)


def needs(pattern: Any, able: Callable[[int], bool]) -> bool:
    """Whether every match of a pattern goes over a character of this sort."""
    for op, what in pattern:
        inner: list[Any] = []
        if op is codes.LITERAL and able(what):
            return True
        if op is codes.IN and all(
            (one is codes.LITERAL and able(of)) or (one is codes.RANGE and able(of[0]) and able(of[1]))
            for one, of in what
        ):
            return True
        if op is codes.SUBPATTERN:
            inner = [what[3]]
        elif op is codes.BRANCH:
            inner = what[1]
        elif op in (*REPEATS, codes.POSSESSIVE_REPEAT) and what[0] > 0:
            inner = [what[2]]
        elif op is codes.ASSERT:
            inner = [what[1]]
        elif op is codes.ATOMIC_GROUP:
            inner = [what]
        if inner and all(needs(one, able) for one in inner):
            return True
    return False


ABLE = {"en": lambda code: chr(code).isascii() and chr(code).isalpha(), "zh": lambda code: code > 127}


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_read_by_script_needs_the_script(language: str) -> None:
    """`spoken` leaves out a language's patterns where none of its characters stands: no pattern read so may match without one."""
    noise = table(language, "noise")["patterns"]
    patterns = [
        *table(language, "asks")["slots"].values(),
        *(one for form in table(language, "questions").values() for one in form.get("patterns", ())),
        *noise["upkeep"], *noise["heartbeat"], noise["upkeep_not"],
    ]  # fmt: skip
    assert [one for one in patterns if not needs(parser.parse(one), ABLE[language])] == []
    asks, questions = table(language, "asks"), table(language, "questions")
    words = [
        *(term for some in asks["relations"].values() for word in some for term in terms(word)[:1]),
        *terms(asks["listed"]["words"]), *terms(questions["open"]["words"]),
    ]  # fmt: skip
    assert [word for word in words if language not in spoken(word)] == []


def test_the_check_finds_what_matches_without_the_script() -> None:
    assert [one for one in ("a|1", "[a-z0-9]x?", "a*", "(?:b|c?)") if needs(parser.parse(one), ABLE["en"])] == []
    assert [one for one in ("1a|b", "[ab]", "(?:a1)+", "(?=c).") if not needs(parser.parse(one), ABLE["en"])] == []


def test_words_of_one_script_are_no_words_of_the_other() -> None:
    assert (spoken("kola 7"), spoken("7 ."), spoken("咖啡"), spoken("Ana 喝咖啡")) == (("en",), (), ("zh",), LANGUAGES)
