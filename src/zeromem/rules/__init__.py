"""Language rules as data: one folder a language, one table a topic, each with examples that are run as tests.

In: a language ("en", "zh") and a table name. Out: the parsed TOML, read once and kept. It interprets nothing: the module that uses a
table says what its keys mean.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

LANGUAGES = ("en", "zh")
_LETTER = re.compile("[A-Za-z]")


@cache
def table(language: str, name: str) -> dict[str, Any]:
    """The table `rules/<language>/<name>.toml`; callers must not change it. Raises `FileNotFoundError` if there is none."""
    path = resources.files(__name__).joinpath(language, f"{name}.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def spoken(text: str) -> tuple[str, ...]:
    """The languages whose patterns can match a text at all: every English one holds a letter of ASCII, every Chinese one a sign beyond
    it (of the tables that are read so, tests/test_tables.py proves it). What cannot match need not be read nor compiled."""
    english, chinese = _LETTER.search(text) is not None, not text.isascii()
    return tuple(language for language, able in zip(LANGUAGES, (english, chinese), strict=True) if able)


@cache
def words(language: str, name: str) -> str:
    """The text of `rules/<language>/<name>.txt`."""
    return resources.files(__name__).joinpath(language, f"{name}.txt").read_text(encoding="utf-8")


@cache
def weighing(key: str, name: str = "weighing") -> re.Pattern[str]:
    """A pattern of the tables `name` ("weighing", "policy"), of all languages that have it."""
    told = [table(language, name).get(key) for language in LANGUAGES]
    patterns = [expand(entry["pattern"], {}) for entry in told if entry]
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


_MACRO = re.compile(r"\{([a-z_]+)\}")
_INDENT = re.compile(r"(?:^|\n)[ \n]*")


def expand(pattern: str, macros: Mapping[str, str]) -> str:
    """A table's pattern as a plain regular expression: `{name}` is replaced by that macro, line breaks with indentation by nothing.

    Raises `KeyError` for a macro that the table does not have.
    """
    if "\n" in pattern:
        pattern = _INDENT.sub("", pattern)
    while _MACRO.search(pattern):
        pattern = _MACRO.sub(lambda match: f"(?:{macros[match[1]]})", pattern)
    return pattern


@cache
def masks() -> dict[str, Any]:
    """The table of what is masked before storage, `rules/redact.toml`, which is one for all languages: secrets know none."""
    loaded = tomllib.loads(resources.files(__name__).joinpath("redact.toml").read_text(encoding="utf-8"))
    return {**loaded, "macros": {name: _INDENT.sub("", pattern) for name, pattern in loaded["macros"].items()}}


_added: dict[str, dict[str, Any]] = {"slots": {}, "kinds": {}, "rules": {}}


def added(what: str) -> Mapping[str, Any]:
    """What a user added to the house's own in this process: `slots`, `kinds`, and `rules` by id (see `encode/extending.py`)."""
    return _added[what]


def add(what: str, entries: Mapping[str, Any]) -> None:
    """Add entries; whoever keeps what was read from the tables must read them anew."""
    _added[what] = {**_added[what], **entries}
    slots.cache_clear()


@cache
def slots() -> dict[str, dict[str, Any]]:
    """The slots of facts: `holds` ("one" or "many" values at a time), `line` (what it means), and where several slots speak of one
    matter, `family`."""
    return {**_whole("slots"), **added("slots")}


@cache
def kinds() -> dict[str, dict[str, Any]]:
    """The route table, `rules/kinds.toml`: what becomes of a memory by its kind, in the order in which kinds are tried."""
    return _whole("kinds")


@cache
def presets() -> dict[str, dict[str, Any]]:
    """The presets, `rules/presets.toml`: `line` (what for), `settings`, and rows of `kinds` that are changed."""
    return _whole("presets")


@cache
def kin() -> dict[str, Any]:
    """The table of what holds what, `rules/kin.toml`, which is one for all languages."""
    return _whole("kin")


@cache
def roles() -> dict[str, Any]:
    """What a subject has one of among the values of a slot that holds many, `rules/roles.toml`: patterns by slot and role."""
    return _whole("roles")


@cache
def notes() -> dict[str, Any]:
    """The notes under a memory in a context, in pieces with their tokens: `rules/notes.toml`."""
    return _whole("notes")


def _whole(name: str) -> dict[str, Any]:
    return tomllib.loads(resources.files(__name__).joinpath(f"{name}.toml").read_text(encoding="utf-8"))
