"""Calendar arithmetic behind `times`: stretches of local time, moved and cut by calendar units.

In: naive local datetimes and small numbers. Out: `Period` (a half-open stretch with its grain) and
`Clock` (minutes within some day). It knows no language, no time zones beyond carrying one along, and
raises `ValueError` or `OverflowError` outside the years 1 to 9999; `times` drops such readings.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
_FIXED = {
    "second": timedelta(seconds=1),
    "minute": MINUTE,
    "hour": HOUR,
    "day": DAY,
    "week": 7 * DAY,
    "weekend": 7 * DAY,
}
_MONTHS = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120, "century": 1200}

# Minutes from midnight. Evening and night run past midnight: "last night" includes the small hours.
DAY_PARTS = {
    "dawn": (0, 360),
    "morning": (300, 720),
    "noon": (690, 810),
    "afternoon": (720, 1080),
    "evening": (1020, 1440),
    "night": (1080, 1740),
    "midnight": (1380, 1500),
}
# Northern meteorological seasons; winter runs on into the next year.
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}


@dataclass(frozen=True, slots=True)
class Period:
    """A half-open stretch of local time; `part` and `day` are set when it is a part of one day."""

    start: datetime
    end: datetime
    grain: str
    zone: tzinfo | None = None
    part: str | None = None
    weekday_only: bool = False


@dataclass(frozen=True, slots=True)
class Clock:
    """Minutes of some day; `part` names a part of the day, `alone` says it may stand without a date."""

    start: int
    end: int
    grain: str
    part: str | None = None
    alone: bool = True


def floor(grain: str, moment: datetime) -> datetime:
    """The start of the calendar unit that holds `moment`; weeks start on Monday."""
    if grain == "second":
        return moment.replace(microsecond=0)
    if grain == "minute":
        return moment.replace(second=0, microsecond=0)
    if grain == "hour":
        return moment.replace(minute=0, second=0, microsecond=0)
    day = datetime(moment.year, moment.month, moment.day)
    if grain == "day":
        return day
    if grain in ("week", "weekend"):
        return day - day.weekday() * DAY
    months = _MONTHS[grain]
    if months <= 12:
        return datetime(day.year, (day.month - 1) // months * months + 1, 1)
    years = months // 12
    return datetime(max(1, day.year // years * years), 1, 1)


def shift(grain: str, moment: datetime, count: int) -> datetime:
    """`moment` moved by calendar units; a day the target month lacks becomes its last day."""
    if grain in _FIXED:
        return moment + count * _FIXED[grain]
    year, month = divmod(moment.year * 12 + moment.month - 1 + count * _MONTHS[grain], 12)
    first = moment.replace(year=year, month=month + 1, day=1)
    if moment.day == 1:
        return first
    following = first.replace(year=year + month // 11, month=(month + 1) % 12 + 1)
    return first + min(moment.day - 1, (following - first).days - 1) * DAY


def period(grain: str, moment: datetime, count: int = 0) -> Period:
    """The calendar unit that holds `moment`, moved by `count` units."""
    start = shift(grain, floor(grain, moment), count)
    if grain == "weekend":
        return Period(start + 5 * DAY, start + 7 * DAY, grain)
    return Period(start, shift(grain, start, 1), grain)


def day_of(year: int, month: int, day: int) -> Period:
    """One day; `ValueError` if there is no such day."""
    start = datetime(year, month, day)
    return Period(start, start + DAY, "day")


def month_of(year: int, month: int) -> Period:
    """One month of a year."""
    return period("month", datetime(year, month, 1))


def season_of(year: int, season: str) -> Period:
    """One season of a year."""
    start = datetime(year, SEASONS[season], 1)
    return Period(start, shift("month", start, 3), "season")


def recent_day(month: int, day: int, at: datetime) -> Period:
    """The latest such day that is not after the day of `at`; 29 February looks for a leap year."""
    for year in range(at.year, at.year - 9, -1):
        if day == 29 and month == 2 and not _leap(year):
            continue
        found = day_of(year, month, day)
        if found.start <= at:
            return found
    raise ValueError("no such day")


def recent_month(month: int, at: datetime) -> Period:
    """The latest such month that has begun by `at`."""
    return month_of(at.year if month <= at.month else at.year - 1, month)


def recent_month_day(day: int, at: datetime) -> Period:
    """The latest day with this number in its month that is not after `at` (months without it are skipped)."""
    for back in range(3):
        month = shift("month", floor("month", at), -back)
        try:
            found = day_of(month.year, month.month, day)
        except ValueError:
            continue
        if found.start <= at:
            return found
    raise ValueError("no such day")


def recent_weekday(weekday: int, at: datetime, *, today: bool = True) -> Period:
    """The latest such weekday (Monday 0), today counting unless `today` is false."""
    back = (at.weekday() - weekday) % 7
    return period("day", at, -(back if today or back else 7))


def cut(whole: Period, where: str) -> Period:
    """The `early`, `mid` or `late` third of a period, in whole days."""
    third = (whole.end - whole.start).days / 3
    first, last = {"early": (0, 1), "mid": (1, 2), "late": (2, 3)}[where]
    start = whole.start + round(third * first) * DAY
    end = whole.end if last == 3 else whole.start + round(third * last) * DAY
    grain = {"month": "week", "year": "quarter", "decade": "year"}.get(whole.grain, "day")
    return Period(start, end, grain)


def ten_days(month: Period, where: str) -> Period:
    """The first ten, the second ten or the remaining days of a month."""
    first, last = {"early": (0, 10), "mid": (10, 20), "late": (20, 31)}[where]
    end = month.end if where == "late" else month.start + last * DAY
    return Period(month.start + first * DAY, end, "week")


def around(grain: str, at: datetime, count: float) -> Period:
    """The unit `count` units away: "two weeks ago" is the week that holds the moment 14 days before."""
    if count % 1:
        finer = {
            "year": ("month", 12),
            "month": ("day", 30),
            "week": ("day", 7),
            "day": ("hour", 24),
            "hour": ("minute", 60),
            "decade": ("year", 10),
            "century": ("year", 100),
        }
        grain, size = finer[grain]
        return around(grain, at, round(count * size))
    if grain in ("decade", "century"):
        return period("year", at, int(count) * _MONTHS[grain] // 12)
    return period(grain, at, int(count))


def window(grain: str, at: datetime, count: int) -> Period:
    """The stretch of `count` units before (negative) or after `at`, in whole days from a day on."""
    if grain in ("second", "minute", "hour"):
        other = shift(grain, at, count)
        return Period(min(at, other), max(at, other), grain)
    today = period("day", at)
    other = shift("week" if grain == "weekend" else grain, today.start, count)
    return Period(min(today.start, other), max(today.end, other + DAY), grain)


def part_of(day: Period, part: str) -> Period:
    """A named part of a day."""
    first, last = DAY_PARTS[part]
    return Period(day.start + first * MINUTE, day.start + last * MINUTE, "hour", part=part)


def at_clock(day: Period, clock: Clock) -> Period:
    """A clock time on a day, or on the day of a part of it: "afternoon" and 3:00 give 15:00."""
    if clock.part and clock.grain == "part":
        return part_of(day, clock.part)
    later = 0
    if day.part in ("afternoon", "evening", "night") and clock.start < 720 and clock.part is None:
        later = 1440 if day.part == "night" and clock.start < 300 else 720
    start = floor("day", day.start) + (clock.start + later) * MINUTE
    return Period(start, start + (clock.end - clock.start) * MINUTE, clock.grain)


def hour_in(part: str | None, hour: int) -> int:
    """An hour from 0 to 24 read within a part of the day: 3 in the afternoon is 15, 12 at night is 24."""
    if part in ("afternoon", "evening") and hour < 12:
        return hour + 12
    if part == "night":
        return hour + 24 if hour < 5 else hour + 12 if hour <= 12 else hour
    if part == "noon" and hour < 4:
        return hour + 12
    return 0 if part in ("dawn", "midnight") and hour == 12 else hour


def _leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
