"""English time expressions: the table of patterns `times` runs, each with its reading.

In: a match and the local naive `at`. Out: a `Period` or a `Clock`, or None when the words turn out not to mean
a time. A number is read as a year only after a word that asks for one ("in 1987"), beside a month or a season.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo

from zeromem.rules import holidays
from zeromem.text import periods
from zeromem.text.periods import Clock, Period

Match = re.Match[str]
Reading = Callable[[Match, datetime], Period | Clock | None]

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_WEEKDAY_SHORT = r"(?:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)(?:(?:nes|ur|s)?day)?"
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_UNIT = r"(?:sec(?:ond)?|min(?:ute)?|hour|hr|day|night|week|weekend|fortnight|month|quarter|year|yr|decade|century)"
_UNITS = {"sec": "second", "min": "minute", "hr": "hour", "night": "day", "yr": "year"}
NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40,
    "couple": 2, "few": 3, "several": 3, "half": 0.5,
}  # fmt: skip
_NUMBER = (
    r"(?:\d{1,4}|(?:a )?couple(?: of)?|(?:a )?few|several|half an?|half|one|two|three|four|five|six|seven|eight|nine"
    r"|ten|eleven|twelve|fifteen|twenty|thirty|forty|an?)"
)
_YEAR = r"(?<!\d)(?:1\d|20|21)\d\d(?![\d%]|[.,:/-]\d)"
_DAY = r"(?<![\d.:/])(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?(?![\d%]|[:/]\d|\.\d)"
_PAST, _NEXT = r"last|past|previous|prior", r"next|coming|upcoming|following"
_PART = r"(?:early |late |mid-?)?(?:morning|noon|midday|lunchtime|afternoon|evening|night|midnight)"
_SEASON = r"(?:spring|summer|autumn|fall|winter)"
_HOLIDAYS = {
    "christmas eve": (12, 24), "christmas": (12, 25), "new year's eve": (12, 31), "new year's": (1, 1),
    "halloween": (10, 31), "valentine's day": (2, 14), "independence day": (7, 4), "boxing day": (12, 26),
    "st. patrick's day": (3, 17), "st patrick's day": (3, 17), "april fools": (4, 1),
}  # fmt: skip
_FIXED = "|".join(sorted(_HOLIDAYS, key=len, reverse=True)).replace("'", "['’]")
_NTH = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": -1}
# "in 2000 files" counts files. After the other words any plural noun does.
_COUNTED = (
    r"(?!\s+(?:people|users|files|items|lines|words|tokens|rows|bytes|steps|days|hours|minutes|seconds|km|miles|meters"
    r"|dollars|euros|units|cases|points|pieces|copies|ms|kg|mb|gb|usd|rpm|kcal|calories)\b)"
)
_NO_PLURAL = r"(?!\s+(?!was\b|is\b|has\b|as\b|this\b|his\b|its\b|us\b)[a-z]+s\b)"


def _month(word: str) -> int:
    return _MONTHS.index(word[:3].lower()) + 1


def number(word: str) -> float:
    if word.isdecimal():
        return int(word)
    return next(NUMBERS[part] for part in re.findall(r"[a-z]+", word.lower().removeprefix("a ")) if part in NUMBERS)


def unit(word: str) -> tuple[str, int]:
    word = word.lower()
    return ("week", 2) if word == "fortnight" else (_UNITS.get(word, word), 1)


def _step(word: str) -> int:
    word = word.lower()
    return 0 if word in ("this", "current", "the") else -1 if re.fullmatch(_PAST, word) else 1


def _part(word: str) -> str:
    name = re.sub(r"^(?:early |late |mid-?)", "", word.lower())
    return {"midday": "noon", "lunchtime": "noon"}.get(name, name)


def _iso_moment(m: Match, at: datetime) -> Period | None:
    moment = datetime.fromisoformat(f"{m['date']}T{m['clock']}")
    zone: tzinfo | None = None
    if m["zone"]:
        sign = -1 if m["zone"][0] == "-" else 1
        digits = m["zone"].replace(":", "")
        zone = UTC if digits in "Zz" else timezone(sign * timedelta(hours=int(digits[1:3]), minutes=int(digits[3:5])))
    grain = "second" if m["clock"].count(":") == 2 else "minute"
    found = periods.period(grain, moment)
    return Period(found.start, found.end, grain, zone=zone)


def _iso_day(m: Match, at: datetime) -> Period:
    return periods.day_of(int(m["y"]), int(m["m"]), int(m["d"]))


def _iso_month(m: Match, at: datetime) -> Period:
    return periods.month_of(int(m["y"]), int(m["m"]))


def _slashes(m: Match, at: datetime) -> Period:
    first, second, year = int(m["a"]), int(m["b"]), int(m["y"])
    year += 0 if year > 99 else 2000 if year < 70 else 1900
    # 5/8/2023 is read the American way; a first number over 12, or dots, say that the day comes first.
    month, day = (second, first) if first > 12 or m["sep"] == "." else (first, second)
    return periods.day_of(year, month, day)


def _day_and_month(m: Match, at: datetime) -> Period | None:
    month, day = _month(m["month"]), int(re.sub(r"\D", "", m["day"]))
    if m["year"]:
        return periods.day_of(int(m["year"]), month, day)
    # "they may 5 times": the verb is neither capitalised nor after a preposition, nor is its number ordinal.
    before = m.string[max(0, m.start() - 12) : m.start()]
    plain = m["month"] in ("may", "march") and m["day"].isdecimal() and m.start("month") < m.start("day")
    if plain and not re.search(r"\b(?:on|of|by|in|until|till|since|for|from|before|after|to|and|is|was)\s+$", before):
        return None
    return periods.recent_day(month, day, at)


def _month_year(m: Match, at: datetime) -> Period:
    found = periods.month_of(int(m["year"]), _month(m["month"]))
    return _cut(found, m["cut"])


def _bare_month(m: Match, at: datetime) -> Period:
    month = _month(m["month"])
    step = (m["step"] or "").lower()
    if step == "this":
        found = periods.month_of(at.year, month)
    elif step and _step(step) == 1:
        found = periods.month_of(at.year + (month <= at.month), month)
    elif step:
        found = periods.month_of(at.year - (month >= at.month), month)
    else:
        found = periods.recent_month(month, at)
    return _cut(found, m["cut"])


def _full_month(m: Match, at: datetime) -> Period:
    return periods.recent_month(_month(m["month"]), at)


def _cut(found: Period, where: str | None) -> Period:
    if not where:
        return found
    word = where.lower()
    return periods.cut(
        found, "early" if re.match("(?:the )?(?:early|begin|start)", word) else "mid" if "mid" in word else "late"
    )


def _year(m: Match, at: datetime) -> Period:
    return _cut(periods.period("year", datetime(int(m["core"]), 1, 1)), m["cut"])


def _year_cut(m: Match, at: datetime) -> Period:
    return _cut(periods.period("year", datetime(int(m["year"]), 1, 1)), m["cut"])


def _decade(m: Match, at: datetime) -> Period:
    year = int(m["core"][-5:-1] if len(m["core"]) > 4 and m["core"][-5].isdigit() else m["core"][-3:-1])
    year += 0 if year > 99 else 1900 if year >= 30 else 2000
    return periods.period("decade", datetime(year, 1, 1))


def _quarter(m: Match, at: datetime) -> Period:
    word = m["q"] or m["q2"]
    number = int(word) if word.isdecimal() else ("first", "second", "third", "fourth").index(word.lower()) + 1
    year = m["year"] or m["year2"]
    found = periods.period("quarter", datetime(int(year) if year else at.year, number * 3 - 2, 1))
    return found if year or found.start <= at else periods.period("quarter", found.start, -4)


def _season(m: Match, at: datetime) -> Period:
    season = m["season"].lower().replace("fall", "autumn")
    if m["year"]:
        return periods.season_of(int(m["year"]), season)
    step = _step(m["step"])
    years = range(at.year - 2, at.year + 3)
    found = [periods.season_of(year, season) for year in years if 1 <= year < 9999]
    if step == 0:
        return next(f for f in found if f.start.year == at.year)
    if step < 0:
        return [f for f in found if f.end <= at][-1]
    return next(f for f in found if f.start > at)


def _ago(m: Match, at: datetime) -> Period:
    grain, size = unit(m["unit"])
    count = number(m["n"]) * size + (0.5 if m["half"] else 0)
    return periods.around(grain, at, -count)


def _ahead(m: Match, at: datetime) -> Period:
    grain, size = unit(m["unit"])
    return periods.around(grain, at, number(m["n"]) * size)


def _window(m: Match, at: datetime) -> Period | None:
    grain, size = unit(m["unit"])
    return periods.window(grain, at, _step(m["step"]) * int(number(m["n"]) * size))


def _unit_step(m: Match, at: datetime) -> Period:
    grain, size = unit(m["unit"])
    step = _step(m["step"]) * size
    if m["unit"].lower() == "night":
        return periods.part_of(periods.period("day", at, step), "night")
    return _cut(periods.period(grain, at, step), m["cut"])


def _weekday_step(m: Match, at: datetime) -> Period:
    weekday, step = _WEEKDAYS.index(m["day"][:3].lower()), m["step"].lower()
    if re.fullmatch(_PAST, step):
        return periods.recent_weekday(weekday, at, today=False)
    # "this Friday" is in this week, "next Friday" in the next one; "coming Friday" is simply the first to come.
    if step in ("coming", "upcoming"):
        return periods.period("day", at, (weekday - at.weekday() - 1) % 7 + 1)
    week = periods.period("week", at, _step(step))
    return periods.period("day", week.start, weekday)


def _weekday_of_week(m: Match, at: datetime) -> Period:
    day, step = m["day"] or m["day2"], m["step"] or m["step2"]
    week = periods.period("week", at, _step(step))
    return periods.period("day", week.start, _WEEKDAYS.index(day[:3].lower()))


def _weekday(m: Match, at: datetime) -> Period:
    found = periods.recent_weekday(_WEEKDAYS.index(m["core"][:3].lower()), at)
    return Period(found.start, found.end, "day", weekday_only=True)


def _day_word(m: Match, at: datetime) -> Period:
    words = m[0].lower()
    if "night" in words and "tonight" not in words:
        return periods.part_of(periods.period("day", at, -2), "night")
    step = -2 if "before yes" in words else 2 if "after tom" in words else -1 if "yes" in words else "tom" in words
    day = periods.period("day", at, int(step))
    return periods.part_of(day, "night") if words == "tonight" else day


def _this_part(m: Match, at: datetime) -> Period:
    return periods.part_of(periods.period("day", at, _step(m["step"])), _part(m["part"]))


def _moving(m: Match, at: datetime) -> Period | None:
    name, step = m["name"].lower().replace("’", "'"), _step(m["step"]) if m["step"] else -1
    return holidays.period(name, at, int(m["year"]) if m["year"] else None, step)


def _nth_weekday(m: Match, at: datetime) -> Period:
    which, weekday, month = _NTH[m["nth"].lower()], _WEEKDAYS.index(m["day"][:3].lower()), _month(m["month"])
    year = int(m["year"]) if m["year"] else periods.recent_month(month, at).start.year
    day = holidays.nth(year, month, weekday, which)
    return periods.day_of(day.year, day.month, day.day)


def _holiday(m: Match, at: datetime) -> Period:
    name = m["name"].lower().replace("’", "'")
    month, day = next(value for key, value in _HOLIDAYS.items() if name.startswith(key))
    if m["year"]:
        return periods.day_of(int(m["year"]), month, day)
    found = periods.recent_day(month, day, at)
    later = bool(m["step"]) and _step(m["step"]) >= 0
    return periods.day_of(found.start.year + 1, month, day) if later else found


def _clock(m: Match, at: datetime) -> Clock | None:
    hour, minute = int(m["h"]), int(m["m"] or 0)
    half = (m["half"] or "")[:1].lower()
    if hour > (12 if half else 24) or minute > 59 or (half and hour == 0):
        return None
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    start = hour * 60 + minute
    length = 1 if m["m"] else 60
    part = "clock" if half or hour > 12 else None
    return Clock(start, start + length, "minute" if m["m"] else "hour", part=part)


def _part_alone(m: Match, at: datetime) -> Clock:
    return Clock(0, 0, "part", part=_part(m["part"]), alone=False)


_CUT = r"(?:(?P<cut>early|mid|late|(?:the )?(?:beginning|start|middle|end) of)[ -](?:the )?)?"

# Patterns ignore case and are compiled by `times` when a text first needs them.
RULES: tuple[tuple[str, Reading], ...] = (
    (r"(?<![\d-])(?P<date>\d{4}-\d\d-\d\d)[T ](?P<clock>\d\d:\d\d(?::\d\d)?)(?:\.\d+)?"
          r"(?P<zone>Z|[+-]\d\d:?\d\d)?(?![\d:])", _iso_moment),
    (r"(?<![\d.-])(?P<y>\d{4})(?P<s>[-/.])(?P<m>\d{1,2})(?P=s)(?P<d>\d{1,2})(?![\d-]|\.\d)", _iso_day),
    (r"(?<![\d.-])(?P<y>19\d\d|20\d\d)-(?P<m>0[1-9]|1[0-2])(?![\d-])", _iso_month),
    (r"(?<![\d./-])(?P<a>\d{1,2})(?P<sep>[/.-])(?P<b>\d{1,2})(?P=sep)(?P<y>\d{4}|(?<=/)\d\d)(?![\d/-]|\.\d)",
          _slashes),
    (rf"(?:the )?(?P<day>{_DAY})(?: of|-)? ?(?P<month>\b{_MONTH})(?:,? (?P<year>{_YEAR}))?", _day_and_month),
    (rf"\b(?P<month>{_MONTH}) ?(?:the )?(?P<day>{_DAY})(?:,? ?(?P<year>{_YEAR}))?", _day_and_month),
    (rf"\b{_CUT}(?P<month>{_MONTH}),? (?:of )?(?P<year>{_YEAR})", _month_year),
    (rf"\b(?:in|since|until|till|by|before|after|during|from|of|through)\s+(?P<core>{_CUT}(?:(?P<step>this|"
          rf"{_PAST}|{_NEXT}) )?(?P<month>{_MONTH}))(?! \d)", _bare_month),
    (rf"\b(?P<core>(?:(?P<step>this|{_PAST}|{_NEXT})|(?P<cut>early|mid|late|(?:beginning|start|middle|end) of))"
          rf"[ -](?P<month>{_MONTH}))(?! \d)", _bare_month),
    (r"\b(?P<month>january|february|july|september|october|november|december)\b(?! \d)", _full_month),
    (rf"\b(?:in|since|during|year|circa|until|till|back in)\s+(?:the (?:year|end of) )?(?P<core>{_CUT}{_YEAR})"
          rf"(?!s\b){_COUNTED}", _year),
    (rf"\b(?:of|by|before|after|from|around|through|between)\s+(?P<core>{_CUT}{_YEAR})(?!s\b){_NO_PLURAL}"
          rf"{_COUNTED}", _year),
    (rf"\b(?P<cut>early|mid|late|(?:beginning|start|middle|end) of)[ -](?P<year>{_YEAR})(?!s\b)", _year_cut),
    (r"(?<![\w.])(?P<core>(?:(?:the|early|mid|late)[ -](?:the )?['’]?(?:\d0s)|(?:1[5-9]|20)\d0['’]?s))\b",
          _decade),
    (rf"\bQ(?P<q>[1-4])\b(?: (?:of )?(?P<year>{_YEAR}))?|\b(?P<year2>{_YEAR}) ?Q(?P<q2>[1-4])\b", _quarter),
    (rf"\b(?P<q>first|second|third|fourth) quarter(?: of)? (?P<year>{_YEAR})(?P<q2>)(?P<year2>)", _quarter),
    (rf"\b(?P<season>{_SEASON}),? (?:of )?(?P<year>{_YEAR})(?P<step>)", _season),
    (rf"\b(?P<step>this|{_PAST}|{_NEXT}) (?P<season>{_SEASON})\b(?P<year>)", _season),
    (rf"\b(?P<n>{_NUMBER})[ -](?P<unit>{_UNIT})s?(?P<half> and a half)? (?:ago|earlier|back)\b", _ago),
    (rf"\bin (?:about |around )?(?P<n>{_NUMBER}) (?P<unit>{_UNIT})s?\b(?:['’]s? time)?", _ahead),
    (rf"\b(?P<n>{_NUMBER}) (?P<unit>{_UNIT})s? from (?:now|today)\b", _ahead),
    (rf"\b(?:the )?(?P<step>{_PAST}|{_NEXT}) (?P<n>{_NUMBER}) (?P<unit>{_UNIT})s\b", _window),
    (rf"\b{_CUT}(?P<step>this|current|{_PAST}|{_NEXT}) (?P<unit>{_UNIT})\b(?!['’]s)", _unit_step),
    (rf"\b(?P<step>this|{_PAST}|{_NEXT}) (?P<day>{_WEEKDAY_SHORT})\b", _weekday_step),
    (rf"\b(?P<day>{_WEEKDAY})(?: of)? (?P<step>this|{_PAST}|{_NEXT}) week\b|"
          rf"\b(?P<step2>this|{_PAST}|{_NEXT}) week(?: on|'s)? (?P<day2>{_WEEKDAY})\b", _weekday_of_week),
    (rf"\b(?P<core>{_WEEKDAY})\b", _weekday),
    (r"\b(?:(?:the )?(?:day|night) before (?:yesterday|last)|(?:the )?day after tomorrow|today|tonight|yesterday"
          r"|tomorrow|tmrw)\b", _day_word),
    (r"\b(?:the )?(?P<unit>week|weekend|month|year) (?:(?P<way>before) last|(?P<x>after) next)\b", lambda m, at:
          periods.period(unit(m["unit"])[0], at, -2 if m["way"] else 2)),
    (rf"\b(?P<step>this|{_PAST}|{_NEXT}) (?P<part>(?:early |late )?(?:morning|afternoon|evening))\b", _this_part),
    (rf"\b(?:(?P<step>this|{_PAST}|{_NEXT}) )?(?P<name>{holidays.names(chinese=False)})\b(?:,? (?:of )?(?P<year>{_YEAR}))?", _moving),
    (rf"\b(?:the )?(?P<nth>first|second|third|fourth|last) (?P<day>{_WEEKDAY}) (?:of|in) (?P<month>{_MONTH})(?:,? (?P<year>{_YEAR}))?",
          _nth_weekday),
    (r"\b(?P<cut>(?:the )?(?:beginning|start|middle|end) of) (?P<step>the) (?P<unit>week|month|quarter|year)\b", _unit_step),
    (r"\b(?:the )?other (?:day|night)\b", lambda m, at: periods.window("week", at, -1)),
    (rf"\b(?:(?P<step>this|{_PAST}|{_NEXT}) )?(?P<name>{_FIXED})\b(?: day)?(?:,? (?:of )?(?P<year>{_YEAR}))?", _holiday),
    (r"(?<![\w.:/-])(?P<h>\d{1,2})(?::(?P<m>[0-5]\d)(?::[0-5]\d)?)? ?(?P<half>[ap]\.?m\b\.?)", _clock),
    (r"(?<![\w.:/-])(?P<h>[01]?\d|2[0-3]):(?P<m>[0-5]\d)(?::[0-5]\d)?(?![\d:]|\.\d)(?P<half>)", _clock),
    (r"\b(?P<h>\d{1,2}) o['’]clock\b(?P<m>)(?P<half>)", _clock),
    (rf"\b(?:(?:in the|at) )?(?P<part>{_PART})\b", _part_alone),
)  # fmt: skip

# A text with none of these words (and no digit) cannot match any rule above.
_CUES = """
january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec
monday tuesday wednesday thursday friday saturday sunday today tonight yesterday tomorrow tmrw ago earlier back last past previous prior
next coming upcoming following this current since until christmas year halloween valentine independence quarter second minute hour day week
fortnight month seconds minutes hours days nights weeks months years noon midnight easter thanksgiving labor labour memorial mother father
boxing patrick lunar chinese festival other"""
CUES = frozenset(_CUES.split())
