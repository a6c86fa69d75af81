"""Days that move: Easter and what hangs on it, the second Sunday of May, lunar festivals, solar terms.

In: a name as the tables of times write it, and a year. Out: its first day and how many days it lasts, or None for a name or a year that is not
known. The Chinese calendar is the table `zh/calendar.txt`, 1950 to 2100; it is read when the first such day is named.
"""

from datetime import datetime
from functools import cache

from zeromem.rules import words
from zeromem.text.periods import DAY, Period

# Month, weekday (Monday 0), which of them (-1: the last), days after it.
NTH = {
    "thanksgiving": (11, 3, 4, 0), "black friday": (11, 3, 4, 1), "cyber monday": (11, 3, 4, 4), "labor day": (9, 0, 1, 0),
    "labour day": (9, 0, 1, 0),
    "memorial day": (5, 0, -1, 0), "mother's day": (5, 6, 2, 0), "father's day": (6, 6, 3, 0), "母亲节": (5, 6, 2, 0), "父亲节": (6, 6, 3, 0),
    "感恩节": (11, 3, 4, 0),
}  # fmt: skip
EASTER = {"easter sunday": (0, 1), "easter monday": (1, 1), "good friday": (-2, 1), "easter": (-2, 4), "复活节": (0, 1)}
LUNAR = {
    "元宵节": (1, 15), "端午": (5, 5), "七夕": (7, 7), "中元节": (7, 15), "中秋": (8, 15), "重阳": (9, 9), "腊八": (12, 8), "小年": (12, 23),
    "dragon boat festival": (5, 5), "mid-autumn festival": (8, 15), "moon festival": (8, 15), "lantern festival": (1, 15),
}  # fmt: skip
NEW_YEAR = {"春节": (-1, 8), "过年": (-1, 8), "除夕": (-1, 1), "lunar new year": (-1, 8), "chinese new year": (-1, 8)}
TERMS = "小寒大寒立春雨水惊蛰春分清明谷雨立夏小满芒种夏至小暑大暑立秋处暑白露秋分寒露霜降立冬小雪大雪冬至"
_NOT_WEATHER = ("雨水", "小满", "小雪", "大雪", "白露")  # said of other things more often


def names(*, chinese: bool) -> str:
    """All of a language as alternatives of a pattern, the longest first."""
    terms = [TERMS[i : i + 2] for i in range(0, len(TERMS), 2)]
    known = [*NTH, *EASTER, *LUNAR, *NEW_YEAR, *(term for term in terms if term not in _NOT_WEATHER)]
    return "|".join(sorted((name for name in known if name.isascii() != chinese), key=len, reverse=True)).replace(
        "'", "['’]"
    )


def period(name: str, at: datetime, year: int | None, step: int = -1) -> Period | None:
    """The holiday of a year, else (step -1) the latest that has begun, (0) that of this year if it has begun, or the next one."""
    found = [
        day
        for n in ((at.year + 1, at.year, at.year - 1, at.year - 2) if year is None else (year,))
        if (day := day_of(name, n))
    ]
    past = [day for day in found if day[0] <= at]
    if year is None and (step < 0 or (step == 0 and past and past[0][0].year == at.year)):
        found = past[:1]
    elif year is None:
        found = found[: len(found) - len(past)][-1:]
    return (
        Period(found[0][0], found[0][0] + found[0][1] * DAY, "day" if found[0][1] == 1 else "week") if found else None
    )


def day_of(name: str, year: int) -> tuple[datetime, int] | None:
    """The first day and the number of days."""
    if name in NTH:
        month, weekday, which, later = NTH[name]
        return nth(year, month, weekday, which) + later * DAY, 1
    if name in EASTER:
        later, days = EASTER[name]
        return _easter(year) + later * DAY, days
    if year not in _calendar():
        return None
    if name in NEW_YEAR:
        later, days = NEW_YEAR[name]
        return _calendar()[year][0] + later * DAY, days
    if name in LUNAR:
        start = lunar(year, *LUNAR[name])
        return (start, 1) if start else None
    place = TERMS.index(name) // 2
    return datetime(year, place // 2 + 1, int(_calendar()[year][2][place]) + (18 if place % 2 else 3)), 1


def nth(year: int, month: int, weekday: int, which: int) -> datetime:
    """The first, second … or (-1) last such weekday of a month; ValueError where there is none."""
    start = datetime(year, month, 1) if which > 0 else datetime(year + month // 12, month % 12 + 1, 1) - 7 * DAY
    found = start + ((weekday - start.weekday()) % 7 + 7 * max(0, which - 1)) * DAY
    if found.month != month:
        raise ValueError("no such day")
    return found


def lunar(year: int, month: int, day: int) -> datetime | None:
    """A day of a Chinese year; leap months have no names here."""
    if year not in _calendar():
        return None
    start, months, _ = _calendar()[year]
    number = 0
    for sign in months.replace("Lb", "B").replace("Ls", "S"):
        number += sign.islower()
        if sign.islower() and number == month:
            return start + (day - 1) * DAY if day <= (30 if sign == "b" else 29) else None
        start += (30 if sign in "bB" else 29) * DAY
    return None


def _easter(year: int) -> datetime:
    """Easter Sunday of the Gregorian calendar (the anonymous computus of 1876)."""
    a, b, c = year % 19, year // 100, year % 100
    h = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    k = (32 + 2 * (b % 4) + 2 * (c // 4) - h - c % 4) % 7
    month, day = divmod(h + k - 7 * ((a + 11 * h + 22 * k) // 451) + 114, 31)
    return datetime(year, month, day + 1)


@cache
def _calendar() -> dict[int, tuple[datetime, str, str]]:
    rows = (line.split() for line in words("zh", "calendar").splitlines() if not line.startswith("#"))
    return {
        int(year): (datetime(int(year), int(first[:2]), int(first[2:])), months, terms)
        for year, first, months, terms in rows
    }
