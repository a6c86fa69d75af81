"""Time as the store keeps it: whole microseconds since 1970 in UTC, and ISO 8601 as everybody else sees it.

`system_clock` is the only place that asks the machine for the time.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from functools import lru_cache

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICRO = timedelta(microseconds=1)


def system_clock() -> int:
    return time.time_ns() // 1000


@lru_cache(maxsize=4096)  # the cards of one add share their times
def iso(micros: int) -> str:
    """Microseconds since 1970 as `2026-07-25T02:00:00+00:00`."""
    return (_EPOCH + timedelta(microseconds=micros)).isoformat()


def moment(micros: int) -> datetime:
    return _EPOCH + timedelta(microseconds=micros)


@lru_cache(maxsize=4096)
def micros(stamp: str | datetime) -> int:
    """The inverse of `iso`; also takes an aware datetime."""
    return ((datetime.fromisoformat(stamp) if isinstance(stamp, str) else stamp) - _EPOCH) // _MICRO
