"""Cases of the kind "time": UTC with offset everywhere, no invented dates, no crash at the edges of the calendar."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import pytest

from zeromem import InvalidInput, Memory


def test_c086_times_are_utc_with_offset(mem: Memory, clock: Any) -> None:
    """One format from get, list, search, history, messages and export; a filter on it works."""
    clock.step = 0
    clock.set("2026-07-25T02:00:00+00:00")
    id_ = str(mem.add("lamp", user="u").id)
    stamp = "2026-07-25T02:00:00+00:00"
    exported = [record for record in mem.export() if record["type"] in ("event", "card")]
    seen = [
        mem.get(id_).created_at, mem.list(user="u")[0].created_at, mem.search("lamp", user="u")[0].card.created_at,
        mem.history(id_)[0].at, mem.messages(user="u")[0].at, mem.messages(user="u")[0].stored_at,
        *[record["at"] for record in exported], exported[0]["stored_at"], exported[1]["created_at"],
    ]  # fmt: skip
    assert seen == [stamp] * len(seen)
    assert [c.id for c in mem.list(user="u", filters={"created_at": {"gte": "2026-07-25"}})] == [id_]
    assert mem.list(user="u", filters={"created_at": {"gte": "2026-07-26"}}) == []


def test_c087_naive_and_aware_together(mem: Memory) -> None:
    """A naive time is UTC; equal instants stand together, each with its own offset, and nothing raises."""
    mem.add("a", user="u", at=datetime(2026, 1, 1))  # the case is about naive times
    mem.add("bee", user="u", at="2026-01-01T08:00:00+08:00")
    mem.add("sea", user="u", at=datetime(2026, 1, 1, tzinfo=UTC))
    mem.add("earlier", user="u", at="2025-12-31T23:59:59Z")
    listed = [(card.text, card.at) for card in mem.list(user="u", order="time")]
    first = "2026-01-01T00:00:00+00:00"
    bee = ("bee", "2026-01-01T08:00:00+08:00")
    assert listed == [("earlier", "2025-12-31T23:59:59+00:00"), ("a", first), bee, ("sea", first)]


@pytest.mark.parametrize("at", ["yesterday-ish", "2026-13-01", "", float("nan"), float("inf"), [], object(), "9" * 40])
def test_c087_unreadable_times_are_refused(plain: Memory, at: Any) -> None:
    """A time that cannot be read is an InvalidInput that names the argument, and nothing is stored."""
    with pytest.raises(InvalidInput, match="at"):
        plain.add("a bee", user="u", at=at)
    assert plain.messages(user="u") == []


@pytest.mark.parametrize("at", ["2026-01-01", date(2026, 1, 1), 1767225600, 1767225600.0, "2026-01-01T00:00:00"])
def test_c087_all_shapes_are_one_instant(plain: Memory, at: Any) -> None:
    """Date, number and text of one instant are stored as the same string."""
    assert plain.get(str(plain.add("a bee", user="u", at=at).id)).at == "2026-01-01T00:00:00+00:00"


def test_c089_relative_dates_zh(mem: Any) -> None:
    """相对日期按消息的时间换算，月份不编造日子。"""
    id_ = mem.add("昨天体检了，上周三交的表，下个月复查。", user="u", at="2026-03-10").id
    assert [(time.text, time.start, time.precision) for time in mem.event_times(id_)] == [
        ("昨天", "2026-03-09", "day"), ("上周三", "2026-03-04", "day"), ("下个月", "2026-04", "month"),
    ]  # fmt: skip


def test_c090_a_bare_number_is_no_year(mem: Memory) -> None:
    """Ports and ticket numbers set no time."""
    mem.add("The tunnel listens on port 9077.", user="u")
    first, second = mem.search("port 9077", user="u"), mem.search("ticket 1987 status", user="u")
    assert "9077" in first[0].text
    assert (first.times, second.times) == ((), ())


@pytest.mark.parametrize("query", ["房间 2025 的钥匙", "error 1999", "第 2024 号订单", "call 2026 times"])
def test_c090_other_bare_numbers(plain: Memory, query: str) -> None:
    """Other numbers that only look like years."""
    plain.add("钥匙 key order error", user="u")
    assert plain.search(query, user="u").times == ()


@pytest.mark.parametrize(
    "query", ["十万年前 的化石", "公元0年", "year 99999", "9999-12-31", "0000-00-00", "次の千年", "-5000 BC"]
)
def test_c091_extreme_ages(mem: Memory, query: str) -> None:
    """极端年代不崩溃。"""
    mem.add("恐龙化石大约是十万年前的。", user="u")
    hits = mem.search(query, user="u")
    assert "化石" not in query or "化石" in hits[0].text
    mem.recall(query, user="u")


def test_c093_no_memory_for_the_asked_date(mem: Any) -> None:
    """A hit of another day than the asked one is said to be of another day."""
    mem.add("Digest sent.", user="u", at="2026-03-08")
    assert mem.search("did the digest go out on March 18, 2026?", user="u").time_match is False


def test_c094_partial_and_inverted_intervals(mem: Any) -> None:
    """A year alone covers its days, an interval that ends before it begins is refused."""
    mem.add_fact("Ana", "role", "lead", user="u", valid_from="2026-01-01")
    assert [fact.value for fact in mem.facts("Ana", user="u", as_of="2026")] == ["lead"]
    with pytest.raises(InvalidInput):
        mem.add_fact("x", "y", "z", user="u", valid_from="2026-05-01", valid_to="2026-04-01")


def test_c095_as_of(open_memory: Callable[..., Any], clock: Any) -> None:
    """What held at a moment, and what was known at a moment."""
    mem: Any = open_memory()
    mem.add("Rate is 3%.", user="u", at="2026-01-01")
    before = "2026-07-25T02:00:01+00:00"
    clock.set("2026-07-25T02:00:02+00:00")
    mem.add("Rate is now 4%.", user="u", at="2026-02-01")
    assert "3%" in mem.search("rate", user="u", as_of="2026-01-15")[0].text
    assert "4%" in mem.search("rate", user="u", as_of="2026-03-01")[0].text
    assert "3%" in mem.search("rate", user="u", known_at=before)[0].text


def test_c097_time_filter_binds_every_way_in(mem: Memory) -> None:
    """`after` bounds what is found, also what stands beside a hit in its session."""
    mem.add("Kiln bought.", user="u", session="s", at="2020-01-01")
    mem.add("Kiln repaired.", user="u", session="s", at="2026-06-01")
    assert [hit.text for hit in mem.search("kiln", user="u", after="2026-01-01")] == ["Kiln repaired."]
    assert [hit.text for hit in mem.search("kiln", user="u", before="2026-01-01")] == ["Kiln bought."]
    assert [card.text for card in mem.recall("what about the kiln?", user="u", after="2026-01-01").cards] == [
        "Kiln repaired."
    ]
