"""Times in English and Chinese: the stretches of time a text speaks of, and the reading and writing of timestamps.

`find(text, at)` gives every time expression with the half-open UTC stretch it means, resolved against `at`, the time
the text was said; calendar days are those of `at`'s own time zone. `parse_time` and `iso` read and write timestamps.

Rules kept everywhere: a time without an offset is UTC; a date without a year ("8 May", "in May", "Friday", 5月8日,
周三) is the latest one that is not after `at`; "last Friday" is the latest Friday before today, 上周五 the Friday of last
week; a bare number is never a year. Impossible dates are left out. It does not read durations ("for two weeks") or
repetitions, and knows nothing of what happened when. The patterns are in `rules/en/times` and `rules/zh/times`, the calendar
arithmetic in `periods`.
"""

import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, tzinfo
from functools import cache
from typing import Literal

from zeromem.clock import settled
from zeromem.rules import anchors
from zeromem.rules.en import times as times_en
from zeromem.rules.zh import times as times_zh
from zeromem.text import periods
from zeromem.text.periods import Clock, Period

Direction = Literal["within", "before", "after"]
_Rules = tuple[tuple[re.Pattern[str], times_en.Reading], ...]

_DIGIT = re.compile(r"\d")
_LATIN_WORD = re.compile(r"[a-z]+")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_GAP = re.compile(r"[\s,，、(（]*(?:(?:at|on|in|of|about|around|by|the)\s+){0,2}的?\s*")
_LINK = re.compile(r"\s*(?:to|through|thru|till|until|(and)|[-–—~～]|到|至)\s*(?:the\s+)?", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween\s+(?:the\s+)?$", re.IGNORECASE)
_MOVED = re.compile(
    r"\b(?:mov|chang|postpon|reschedul|push|shift|delay|bring|brought|put)\w*\b|改|推迟|提前|挪|调", re.IGNORECASE
)
_YEAR = re.compile(r"\d{4}|年")
_WIDEST = 40  # characters between a day and its time
_BEFORE = re.compile(r"\b(?:before|until|till|prior to|earlier than|by|up to)\s+(?:the\s+)?$", re.IGNORECASE)
_AFTER = re.compile(r"(?:\b(?:since|after|later than|starting|as of)\s+(?:the\s+)?|自从?|从)$", re.IGNORECASE)
_THEN_BEFORE = re.compile(r"[之以]前|前(?![天晚年几两一二三\d])")
_THEN_AFTER = re.compile(r"[之以]后|以来|后(?![天年来面])|起(?![来])")
_LONGEST = 100  # characters of a written timestamp
_FORMS = "give ISO 8601 such as '2026-07-25' or '2026-07-25T02:00:00Z', a datetime, or epoch seconds"


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A time expression: aware UTC `start` and `end` (half open), its words, their offsets, the finest unit it names.

    `direction` says how the words ask: "before May" and "since 2020" carry the span of May and of 2020 with `before`
    and `after`.
    """

    start: datetime
    end: datetime
    text: str
    span: tuple[int, int]
    grain: str
    direction: Direction = "within"


@dataclass(frozen=True, slots=True)
class _Item:
    start: int
    end: int
    value: Period | Clock


def find(text: str, at: datetime) -> tuple[TimeSpan, ...]:
    """Every time expression of `text` in order, without overlaps; `at` is the time of the text (naive means UTC)."""
    chinese = _HAN.search(text) is not None
    digits = _DIGIT.search(text) is not None
    use_zh = chinese and (digits or not times_zh.CUES.isdisjoint(text))
    use_en = digits or not times_en.CUES.isdisjoint(_LATIN_WORD.findall(text.lower()))
    if not use_zh and not use_en:
        return ()
    zone = at.tzinfo or UTC
    local = at.replace(tzinfo=None)
    rules = (_rules("en") if use_en else ()) + (_rules("zh") if use_zh else ())
    items = _counted(text, _longest(_matches(text, local, rules)), local)
    spans = (_span(text, item, zone) for item in _joined(text, items, local))
    return tuple(span for span in spans if span is not None)


@cache
def _rules(language: str) -> _Rules:
    # Compiling takes some 30 ms a language, so it waits for the first text with a time word.
    if language == "en":
        return tuple((re.compile(pattern, re.IGNORECASE), reading) for pattern, reading in times_en.RULES)
    return tuple((re.compile(pattern), reading) for pattern, reading in times_zh.RULES)


def _matches(text: str, at: datetime, rules: _Rules) -> list[_Item]:
    """What every rule reads, overlaps included."""
    found: list[_Item] = []
    for pattern, reading in rules:
        for match in pattern.finditer(text):
            try:
                value = reading(match, at)
            except (ValueError, OverflowError, IndexError, KeyError, StopIteration):
                # 30 February, year 0, the year 12000: words that look like a date and are none.
                continue
            if value is not None:
                start, end = match.span("core" if "core" in pattern.groupindex else 0)
                found.append(_Item(start, end, value))
    return found


def _longest(items: list[_Item]) -> list[_Item]:
    """Leftmost, then longest; at the same place the earlier rule."""
    kept: list[_Item] = []
    for item in sorted(items, key=lambda item: (item.start, -item.end)):
        if not kept or item.start >= kept[-1].end:
            kept.append(item)
    return kept


def _joined(text: str, items: list[_Item], at: datetime) -> list[_Item]:
    """A day and the clock time or part of the day beside it become one ("Friday at 3pm", 昨天下午三点)."""
    out: list[_Item] = []
    for item in items:
        while out and item.start - out[-1].end <= _WIDEST and _GAP.fullmatch(text, out[-1].end, item.start):
            value = _both(out[-1].value, item.value)
            if value is None:
                break
            item = _Item(out.pop().start, item.end, value)
        out.append(item)
    return _ranges(text, [day for item in out if (day := _dated(item, at)) is not None])


def _counted(text: str, items: list[_Item], at: datetime) -> list[_Item]:
    """A day from which others are counted is the day they lead to: "a week from Friday", 周五之后一周."""
    out: list[_Item] = []
    for item in items:
        day = item.value
        if out and item.start < out[-1].end:
            continue  # 前三天 in 国庆前三天
        if isinstance(day, Period) and day.part is None and day.grain not in ("second", "minute", "hour"):
            try:
                found = anchors.counted(text, item.start, item.end, day, at)
            except (ValueError, OverflowError):
                found = None
            if found is not None:
                item = _Item(*found)
                while out and out[-1].end > item.start:
                    out.pop()
        out.append(item)
    return out


def _ranges(text: str, items: list[_Item]) -> list[_Item]:
    """`from May 3 to May 7, 2024`, 下周一到周三: two days with a word between them are one stretch, unless something was moved from the
    one to the other."""
    out: list[_Item] = []
    for item in items:
        last = out[-1] if out else None
        link = (
            _LINK.fullmatch(text, last.end, item.start)
            if last is not None and item.start - last.end <= _WIDEST
            else None
        )
        if (
            last is not None
            and link is not None
            and (link[1] is None or _BETWEEN.search(text[max(0, last.start - _WIDEST) : last.start]))
        ):
            both = (
                None if _MOVED.search(text[max(0, last.start - _WIDEST) : last.start]) else _from_to(text, last, item)
            )
            if both is not None:
                out[-1] = _Item(last.start, item.end, both)
                continue
        out.append(item)
    return out


def _from_to(text: str, first: _Item, last: _Item) -> Period | None:
    begin, end = first.value, last.value
    if (
        not isinstance(begin, Period)
        or not isinstance(end, Period)
        or begin.zone != end.zone
        or begin.grain != end.grain
    ):
        return None
    if _YEAR.search(text[last.start : last.end]) and not _YEAR.search(text[first.start : first.end]):
        start = periods.shift("year", begin.start, end.start.year - begin.start.year)
        begin = replace(begin, start=start if start <= end.start else periods.shift("year", start, -1))
    elif end.weekday_only and end.start <= begin.start:
        end = replace(end, end=end.end + ((begin.start - end.start).days // 7 + 1) * 7 * periods.DAY)
    return replace(begin, end=end.end, part="range") if begin.start < end.end else None


def _dated(item: _Item, at: datetime) -> _Item | None:
    """An item that is a period: a clock time without a date is today's, a part of the day without one says nothing."""
    if isinstance(item.value, Period):
        return item
    if not item.value.alone:
        return None
    try:
        return replace(item, value=periods.at_clock(periods.period("day", at), item.value))
    except (ValueError, OverflowError):
        return None


def _both(left: Period | Clock, right: Period | Clock) -> Period | Clock | None:
    if isinstance(left, Clock) and isinstance(right, Clock):
        if left.grain == "part" and right.grain != "part":
            left, right = right, left
        if right.grain != "part" or left.grain == "part" or left.part is not None:
            return None
        hour, minute = divmod(left.start, 60)  # "3:00 in the afternoon"
        start = periods.hour_in(right.part, hour) * 60 + minute
        return Clock(start, start + left.end - left.start, left.grain, part="clock")
    if isinstance(left, Clock):
        left, right = right, left
    if not isinstance(left, Period) or not (left.grain == "day" or left.part):
        return None
    if isinstance(right, Clock):
        return None if right.grain == "part" and left.part else periods.at_clock(left, right)
    if right.grain == "day" and left.weekday_only != right.weekday_only:
        return right if left.weekday_only else left  # "Friday, May 8": the date says more than the weekday
    return None


def _span(text: str, item: _Item, zone: tzinfo) -> TimeSpan | None:
    value = item.value
    if not isinstance(value, Period):
        return None
    try:
        start = value.start.replace(tzinfo=value.zone or zone).astimezone(UTC)
        end = value.end.replace(tzinfo=value.zone or zone).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    words, direction = text[item.start : item.end], "within" if value.part == "range" else _direction(text, item)
    return TimeSpan(start, end, words, (item.start, item.end), value.grain, direction)


def _direction(text: str, item: _Item) -> Direction:
    before = text[max(0, item.start - 16) : item.start]
    if _THEN_BEFORE.match(text, item.end) or _BEFORE.search(before):
        return "before"
    if _THEN_AFTER.match(text, item.end) or _AFTER.search(before):
        return "after"
    return "within"


def parse_time(value: str | datetime | date | int | float | None, default_tz: tzinfo = UTC) -> datetime:
    """An aware datetime from an API value: ISO 8601 text, a datetime, a date, or epoch seconds.

    It keeps the offset of the value, in whole minutes. A number is UTC, and above 1e11 in milliseconds. Without an offset
    the time is read in `default_tz`, which is UTC everywhere in zeromem. Raises `ValueError` for anything else, `None` and booleans included.
    """
    if isinstance(value, datetime):
        return _aware(value, default_tz)
    if isinstance(value, date):
        return _aware(datetime(value.year, value.month, value.day), default_tz)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _epoch(value)
    if not isinstance(value, str):
        raise ValueError(f"not a time: {value!r}; {_FORMS}")
    text = value.strip()
    if len(text) > _LONGEST:
        raise ValueError(f"not a time: {text[:_LONGEST]!r}…; {_FORMS}")
    # fromisoformat would read eight digits as a date; nine or more can only be an epoch number.
    if re.fullmatch(r"-?\d{9,}(?:\.\d+)?", text, re.ASCII):
        return _epoch(float(text))
    try:
        parsed = datetime.fromisoformat(re.sub(r"\s+(?=[+-]\d\d:?\d\d$|Z$)", "", text.replace("/", "-")))
    except ValueError:
        raise ValueError(f"not a time: {value!r}; {_FORMS}") from None
    return _aware(parsed, default_tz)


def _aware(value: datetime, default_tz: tzinfo) -> datetime:
    try:
        return settled(value if value.utcoffset() is not None else value.replace(tzinfo=default_tz))
    except OverflowError:
        raise ValueError(f"time out of range: {value.isoformat()}") from None


def _epoch(value: float) -> datetime:
    # 1e11 seconds is the year 5138; a number above it is in milliseconds, as JavaScript gives them.
    try:
        return datetime.fromtimestamp(value / 1000 if abs(value) > 1e11 else value, UTC)
    except (ValueError, OverflowError, OSError):
        raise ValueError(f"time out of range: {value!r} is no epoch number of seconds or milliseconds") from None


def iso(moment: datetime) -> str:
    """The one written form: `2026-07-25T10:00:00+08:00`, with its own offset, and microseconds only if there are any."""
    return _aware(moment, UTC).isoformat()
