"""Days that move, against dates that calendars print."""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise

import pytest

from zeromem.rules.holidays import LUNAR, TERMS, day_of, lunar, nth


@pytest.mark.parametrize(
    ("name", "year", "first", "days"),
    [
        ("easter sunday", 2024, "2024-03-31", 1),
        ("easter", 2025, "2025-04-18", 4),
        ("good friday", 2038, "2038-04-23", 1),
        ("easter sunday", 1954, "1954-04-18", 1),
        ("thanksgiving", 2023, "2023-11-23", 1),
        ("black friday", 2024, "2024-11-29", 1),
        ("memorial day", 2024, "2024-05-27", 1),
        ("labor day", 2024, "2024-09-02", 1),
        ("mother's day", 2024, "2024-05-12", 1),
        ("父亲节", 2025, "2025-06-15", 1),
        ("春节", 2025, "2025-01-28", 8),
        ("除夕", 2026, "2026-02-16", 1),
        ("端午", 2025, "2025-05-31", 1),
        ("中秋", 2025, "2025-10-06", 1),
        ("中秋", 2023, "2023-09-29", 1),
        ("重阳", 2024, "2024-10-11", 1),
        ("七夕", 2025, "2025-08-29", 1),
        ("冬至", 2024, "2024-12-21", 1),
        ("冬至", 2023, "2023-12-22", 1),
        ("清明", 2024, "2024-04-04", 1),
        ("清明", 2023, "2023-04-05", 1),
        ("立春", 2026, "2026-02-04", 1),
    ],
)
def test_days_that_move(name: str, year: int, first: str, days: int) -> None:
    """Easter, weekdays of months, lunar festivals (leap months counted), solar terms."""
    assert day_of(name, year) == (datetime.fromisoformat(first), days)


def test_the_table_is_whole() -> None:
    """Every year from 1950 to 2100 has its terms in order and its lunar days; outside of it nothing is said."""
    for year in range(1950, 2101):
        days = [day_of(TERMS[i : i + 2], year) for i in range(0, 48, 2)]
        gaps = [(b[0] - a[0]).days for a, b in pairwise(days) if a and b]
        assert len(gaps) == 23 and set(gaps) <= {14, 15, 16, 17}
        assert all(lunar(year, month, day) for month, day in LUNAR.values())
        if year > 1950:
            last = lunar(year - 1, 12, 29)
            assert last and (lunar(year, 1, 1) - last).days in (1, 2)  # type: ignore[operator]
    assert day_of("春节", 1949) is None and day_of("中秋", 2101) is None and lunar(2026, 1, 31) is None


def test_a_fifth_weekday_there_is_not() -> None:
    """An error, which the reader of times takes for no time."""
    with pytest.raises(ValueError):
        nth(2024, 2, 0, 5)
