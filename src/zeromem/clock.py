"""Time as the store keeps it: whole microseconds since 1970, minutes of offset beside them, and ISO 8601 as everybody else
sees it.

`system_clock` is the only place that asks the machine for the time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache

from zeromem.errors import InvalidInput

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICRO = timedelta(microseconds=1)
_FIRST, LAST = -62_135_596_800_000_000, 253_402_300_799_999_999  # the years 1 to 9999


def system_clock() -> int:
    return time.time_ns() // 1000


def trusted(clock: Callable[[], int]) -> Callable[[], int]:
    """A clock of the caller's, each answer checked. Raises InvalidInput for what is no time in microseconds."""
    if not callable(clock):
        raise InvalidInput(f"clock must be a function that returns microseconds since 1970, not {clock!r:.80}")
    if clock is system_clock:
        return clock

    def checked() -> int:
        now = clock()
        if isinstance(now, bool) or not isinstance(now, int) or not _FIRST <= now <= LAST:
            raise InvalidInput(
                f"clock must return whole microseconds since 1970, in the years 1 to 9999, and returned {now!r:.80}"
            )
        return now

    return checked


@lru_cache(maxsize=4096)  # the cards of one add share their times
def iso(micros: int, offset: int = 0) -> str:
    """Microseconds since 1970 as `2026-07-25T10:00:00+08:00`, written at `offset` minutes east of UTC."""
    return (_EPOCH.replace(tzinfo=_zone(offset)) + timedelta(microseconds=micros, minutes=offset)).isoformat()


def moment(micros: int) -> datetime:
    return _EPOCH + timedelta(microseconds=micros)


@lru_cache(maxsize=4096)
def micros(stamp: str | datetime) -> int:
    """The instant of an ISO 8601 text or an aware datetime."""
    return ((datetime.fromisoformat(stamp) if isinstance(stamp, str) else stamp) - _EPOCH) // _MICRO


@lru_cache(maxsize=4096)
def instant(stamp: str) -> tuple[int, int]:
    """The inverse of `iso`: the instant in microseconds, and the offset in minutes east of UTC."""
    return micros(stamp), offset_of(datetime.fromisoformat(stamp))


def offset_of(moment: datetime) -> int:
    """The offset of an aware datetime in minutes; the seconds of a local mean time are cut off."""
    return int((moment.utcoffset() or timedelta()) / timedelta(minutes=1))


def settled(moment: datetime) -> datetime:
    """An aware datetime at its own offset, which is fixed and of whole minutes. Raises OverflowError outside of the years 1 to 9999."""
    return moment.astimezone(UTC).astimezone(_zone(offset_of(moment)))


def local(moment: datetime, zone: tzinfo | None) -> datetime:
    """`moment` as the clocks of `zone` show it; at the ends of the calendar, where they show nothing, as it is."""
    try:
        return moment.astimezone(zone or UTC)
    except OverflowError:
        return moment


@lru_cache(maxsize=256)
def _zone(offset: int) -> timezone:
    return timezone(timedelta(minutes=offset))
