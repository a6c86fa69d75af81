"""Reads what a search or recall is asked: options checked once, and the question found in messages.

In: keyword arguments and a query. Out: frozen `Options`, the question's text, and what the caller holds already.
Raises InvalidInput, InvalidScope or InvalidFilter, always naming the argument.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from zeromem.checks import MOST, shown
from zeromem.clock import LAST, micros, moment
from zeromem.encode.cards import Cut, clean, window_digests
from zeromem.encode.messages import Item, parse
from zeromem.errors import InvalidInput
from zeromem.filters import scope_ids, told_in
from zeromem.ports import Clock
from zeromem.scoping import scope_of
from zeromem.text.injected import strip_injected
from zeromem.text.redact import Level
from zeromem.text.times import parse_time
from zeromem.types import Card, Scope

_PARTIAL = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?")
_WINDOW = 200  # messages of the caller that are compared with cards
ARMS = ("keyword", "dense")
_OPTIONS = ("filters", "within", "exclude_session", "after", "before", "at", "arms", "window", "most", "current",
            "include_superseded", "as_of", "known_at", "subject", "clarify")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Options:
    """One question's conditions. `now` keeps the caller's offset, other times are microseconds; `matches` is None where there is
    no filter."""

    scope: Scope
    now: datetime
    matches: Callable[[Card], bool] | None = None
    within_session: bool = False
    exclude_session: str | None = None
    after: int | None = None
    before: int | None = None
    arms: tuple[str, ...] = ARMS
    window: int = 0
    most: int | None = None
    current: bool | None = None  # only what holds; False: also what no longer does; None: as the verb sees fit
    as_of: int | None = None
    known_at: int | None = None
    subject: str | None = None
    clarify: bool = True


def ask_options(given: Mapping[str, Any], clock: Clock, *, window: int = 0) -> Options:
    """Options from the keywords of `search` or `recall`."""
    options = {name: given[name] for name in given if name in _OPTIONS}
    filters = options.get("filters")
    ids = {name: value for name, value in given.items() if name not in _OPTIONS}
    scope = scope_of(
        {**scope_ids(filters), **{name: value for name, value in ids.items() if value is not None or filters is None}}
    )
    asked = Options(
        scope=scope,
        now=moment(clock()) if options.get("at") is None else time_of(options["at"], "at"),
        matches=told_in(scope.session, filters) if filters is not None else None,
        exclude_session=_text(options.get("exclude_session"), "exclude_session"),
        after=_time(options.get("after"), "after"),
        before=_time(options.get("before"), "before"),
        arms=_arms(options.get("arms")),
        window=_whole(options.get("window"), "window", window),
        most=_whole(options.get("most"), "most", None),
        current=_current(options),
        clarify=_switch(options.get("clarify", True), "clarify"),
        as_of=_moment(options.get("as_of"), "as_of"),
        known_at=_moment(options.get("known_at"), "known_at"),
        subject=_text(options.get("subject"), "subject"),
    )
    if options.get("within") not in (None, "session"):
        raise InvalidInput(f"within must be 'session', not {shown(options['within'])}")
    if options.get("within") and scope.session is None:
        raise InvalidInput("within='session' needs session=")
    within = options.get("within") is not None or scope_ids(filters).get("session") == scope.session is not None
    return replace(asked, within_session=within)


def question_of(query: object, cut: Cut, redact: Level = "off") -> tuple[str, list[bytes]]:
    """The question in a string or in messages (their last user text, "" if there is none), and the digests of the cards that the
    caller holds already.

    Memory that was injected into either is no part of the question. `cut` is how texts are cut into cards, `redact` how they are masked;
    the question itself is never stored, and stays as it was asked.
    """
    if isinstance(query, str):
        return strip_injected(query)[0], []
    said = clean(parse(query, redact))
    question = _last_question(said)
    if question is not None and question.masked:
        question = _last_question(clean(parse(query)))
    return question.text if question and question.spoken else "", window_digests(said[-_WINDOW:], cut)


def _last_question(said: Sequence[Item]) -> Item | None:
    return next((item for item in reversed(said) if item.role == "user" and item.kind == "message"), None)


def time_of(value: Any, name: str) -> datetime:
    """Any accepted time, at its own offset; what cannot be read is an InvalidInput that names the argument."""
    try:
        return parse_time(value)
    except (ValueError, OverflowError, TypeError) as error:
        raise InvalidInput(f"{name}: {error}") from None


def moment_of(value: Any, name: str) -> int:
    """A moment that is looked back from, in microseconds: of a day, month or year ("2026-05", "2026") the last one."""
    match = _PARTIAL.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        return micros(time_of(value, name))
    begin = time_of(f"{match[1]}-{match[2] or '01'}-{match[3] or '01'}", name)
    try:
        if match[3]:
            after = begin + timedelta(days=1)
        elif match[2]:
            after = begin.replace(year=begin.year + begin.month // 12, month=begin.month % 12 + 1)
        else:
            after = begin.replace(year=begin.year + 1)
    except OverflowError:  # the last day of the year 9999
        return LAST
    except ValueError as error:
        if match[1] == "9999":
            return LAST
        raise InvalidInput(f"{name}: {error}") from None
    return micros(after) - 1


def _moment(value: Any, name: str) -> int | None:
    return None if value is None else moment_of(value, name)


def _current(options: Mapping[str, Any]) -> bool | None:
    """`current=True` and `include_superseded=True` ask for opposite things."""
    current, past = (options.get(name) for name in ("current", "include_superseded"))
    for name, value in (("current", current), ("include_superseded", past)):
        if value is not None:
            _switch(value, name)
    if current and past:
        raise InvalidInput("current=True leaves out what include_superseded=True asks for; give one of them")
    return True if current else False if past or current is False else None


def _switch(value: object, name: str) -> bool:
    if not isinstance(value, bool):
        raise InvalidInput(f"{name} must be True or False, not {shown(value)}")
    return value


def _time(value: Any, name: str) -> int | None:
    return None if value is None else micros(time_of(value, name))


def _text(value: object, name: str) -> str | None:
    if value is not None and not isinstance(value, str):
        raise InvalidInput(f"{name} must be a string, not {type(value).__name__}")
    return value


def _whole(value: object, name: str, default: Any) -> Any:
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST:
        raise InvalidInput(f"{name} must be a whole number from 0 to {MOST:,}, not {shown(value)}")
    return value


def _arms(value: object) -> tuple[str, ...]:
    if value is None:
        return ARMS
    arms = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list | tuple | set) else ()
    if not arms or any(arm not in ARMS for arm in arms):
        raise InvalidInput(f"arms must be some of {', '.join(ARMS)}, not {shown(value)}")
    return arms
