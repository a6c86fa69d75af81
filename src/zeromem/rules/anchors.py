"""Stretches counted from another day: "a week from Friday", "two days before Christmas", 周五之后一周, 国庆前三天.

In: the text around a time expression, and its period. Out: where the words begin and end, and the period meant; None where nothing is counted
from it. "from" and "on" look ahead: their bare weekday or date is the coming one; so is that of the other words unless something past is told
before them. Minutes and hours are not counted.
"""

import re
from datetime import datetime

from zeromem.rules.en import times as times_en
from zeromem.rules.en.times import NUMBERS
from zeromem.rules.zh import times as times_zh
from zeromem.text import periods
from zeromem.text.periods import DAY, Period

_VAGUE = ("few", "several", "half", "couple")
_NUMBERS = "|".join(sorted(NUMBERS.keys() - set(_VAGUE), key=len, reverse=True))
_BEFORE = re.compile(
    r"(?<!\bfor )(?<!\bnext )"
    rf"\b(?:in )?(?:(?P<n>(?:a )?couple(?: of)?|{_NUMBERS}|\d{{1,3}})[ -]|the )(?P<unit>day|week|fortnight|month|year)s?"
    r" (?P<way>from|on|after|following|before|prior to|ahead of)(?: the)? $",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:was|were|had|did|went|came|left|got|met|saw|took|made|said|told|bought|found|lost|broke|fell|began|[a-z]{2,}ed)\b|[了过]",
    re.IGNORECASE,
)
_COUNT = r"(?P<n>\d{1,3}|[一二两三四五六七八九十]{1,3})个?(?P<unit>天|日|周|星期|礼拜|(?<=个)月|年)"
_AFTER = (
    re.compile(rf"的?(?:[之以过]?(?P<way>后)|(?P<from>起|开始|再过))的?(?:第)?{_COUNT}(?:[之以]?后)?(?![多半])"),
    re.compile(rf"的?(?:[之以]?(?P<way>前))的?{_COUNT}(?![多半前后])"),
    re.compile(rf"的?{_COUNT}[之以]?(?P<way>[前后])(?![天年])"),
)
_FIXED = re.compile(r"\d{4}|\b(?:last|past|previous|yesterday)\b|[上去昨前年]", re.IGNORECASE)
_WIDEST = 32  # characters of such words
_CLAUSE = 40  # characters before them that tell of the past


def counted(text: str, start: int, end: int, day: Period, at: datetime) -> tuple[int, int, Period] | None:
    """Where the words around an expression begin and end that count from it, and what they mean. Raises as `periods` does."""
    before = text[max(0, start - _WIDEST) : start]
    if match := _BEFORE.search(before):
        (unit, times), way = times_en.unit(match["unit"]), match["way"].lower()
        number = times * int(times_en.number(match["n"]) if match["n"] else 1)
        if (way in ("from", "on") and not match["n"]) or (way == "on" and unit == "day"):
            return None  # "the day on Friday"
        count = -number if way in ("before", "prior to", "ahead of") else number
        first = start - len(before) + match.start()
        ahead = way in ("from", "on") or not _PAST.search(text[max(0, first - _CLAUSE) : first])
        whole = not match["n"] and unit in ("week", "month", "year")
        found = _moved(_coming(day, at, ahead), unit, count, whole)
        if way == "from" and found.end <= at and not _FIXED.search(text[start:end]):
            following = Period(periods.shift("year", day.start, 1), periods.shift("year", day.end, 1), day.grain)
            found = _moved(following, unit, count, whole)  # "two weeks from June 3", said in May
        return first, end, found
    for pattern in _AFTER:
        if match := pattern.match(text, end):
            number = times_zh.number(match["n"])
            ahead = not _PAST.search(text[max(0, start - _CLAUSE) : start] + text[match.end() : match.end() + 12])
            count = -number if match["way"] == "前" else number
            return start, match.end(), _moved(_coming(day, at, ahead), times_zh.UNITS[match["unit"]], count, False)
    return None


def _coming(day: Period, at: datetime, ahead: bool) -> Period:
    """A bare weekday is read as the latest one; here it is the next, today's included."""
    if not (ahead and day.weekday_only) or day.end > at:
        return day
    return Period(day.start + 7 * DAY, day.end + 7 * DAY, day.grain)


def _moved(day: Period, unit: str, count: int, whole: bool) -> Period:
    if whole:  # "the week after Easter"
        return periods.period(unit, day.end - DAY if count > 0 else day.start, count)
    first = day.start if count < 0 or unit != "day" else day.end - DAY  # of some days the last counts
    start = periods.shift(unit, first, count)
    return Period(start, start + DAY, "day")
