"""Time expressions in texts, and the reading and writing of timestamps."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeromem.clock import instant, micros
from zeromem.clock import iso as stamp
from zeromem.text.times import find, iso, parse_time

AT = datetime(2024, 5, 15, 10, 30, tzinfo=UTC)  # a Wednesday
PIECES = "0123456789-/:. 年月日号前后上下个周星期末初底三十几半点分天今昨明last week ago in May"
ANY_TEXT = st.text(st.characters(codec=None), max_size=80) | st.text(PIECES, max_size=40)


def one(text: str, at: datetime = AT) -> tuple[str, str, str]:
    """The only expression of a text as start and end, without seconds, and grain."""
    (span,) = find(text, at)
    start, end = (f"{moment:%Y-%m-%d %H:%M}".removesuffix(" 00:00") for moment in (span.start, span.end))
    return start, end, span.grain


@pytest.mark.parametrize(
    ("text", "start", "end", "grain"),
    [
        ("met on 2023-05-08", "2023-05-08", "2023-05-09", "day"),
        ("on 8 May 2023", "2023-05-08", "2023-05-09", "day"),
        ("on May 8th, 2023", "2023-05-08", "2023-05-09", "day"),
        ("the 4th of July 2023", "2023-07-04", "2023-07-05", "day"),
        ("Friday, May 10, 2024", "2024-05-10", "2024-05-11", "day"),
        ("in May 2023", "2023-05-01", "2023-06-01", "month"),
        ("5/8/2023", "2023-05-08", "2023-05-09", "day"),
        ("25/8/2023", "2023-08-25", "2023-08-26", "day"),
        ("8.5.2023", "2023-05-08", "2023-05-09", "day"),
        ("in 1987 we moved", "1987-01-01", "1988-01-01", "year"),
        ("the 90s", "1990-01-01", "2000-01-01", "decade"),
        ("Q3 2023", "2023-07-01", "2023-10-01", "quarter"),
        ("summer of 2022", "2022-06-01", "2022-09-01", "season"),
        ("mid-June 2023", "2023-06-11", "2023-06-21", "week"),
        ("Christmas 2022", "2022-12-25", "2022-12-26", "day"),
        ("at 2024-05-08T10:00:00+08:00", "2024-05-08 02:00", "2024-05-08 02:00", "second"),
        ("2023年5月8日", "2023-05-08", "2023-05-09", "day"),
        ("23年5月", "2023-05-01", "2023-06-01", "month"),
        ("二〇二三年五月", "2023-05-01", "2023-06-01", "month"),
        ("2024年", "2024-01-01", "2025-01-01", "year"),
        ("2023年第三季度", "2023-07-01", "2023-10-01", "quarter"),
        ("上世纪八十年代", "1980-01-01", "1990-01-01", "decade"),
    ],
)
def test_absolute(text: str, start: str, end: str, grain: str) -> None:
    """A full date means itself, whatever the time of the text."""
    assert one(text) == (start, end, grain)


@pytest.mark.parametrize(
    ("text", "start", "end", "grain"),
    [
        ("yesterday", "2024-05-14", "2024-05-15", "day"),
        ("the day before yesterday", "2024-05-13", "2024-05-14", "day"),
        ("last week", "2024-05-06", "2024-05-13", "week"),
        ("last Friday", "2024-05-10", "2024-05-11", "day"),
        ("next Friday", "2024-05-24", "2024-05-25", "day"),
        ("two weeks ago", "2024-04-29", "2024-05-06", "week"),
        ("a couple of months ago", "2024-03-01", "2024-04-01", "month"),
        ("in three days", "2024-05-18", "2024-05-19", "day"),
        ("half an hour ago", "2024-05-15 10:00", "2024-05-15 10:01", "minute"),
        ("next month", "2024-06-01", "2024-07-01", "month"),
        ("this morning", "2024-05-15 05:00", "2024-05-15 12:00", "hour"),
        ("last night", "2024-05-14 18:00", "2024-05-15 05:00", "hour"),
        ("last weekend", "2024-05-11", "2024-05-13", "weekend"),
        ("last summer", "2023-06-01", "2023-09-01", "season"),
        ("the past two weeks", "2024-05-01", "2024-05-16", "week"),
        ("yesterday afternoon at 3:00", "2024-05-14 15:00", "2024-05-14 15:01", "minute"),
        ("Friday at 3pm", "2024-05-10 15:00", "2024-05-10 16:00", "hour"),
        ("3pm tomorrow", "2024-05-16 15:00", "2024-05-16 16:00", "hour"),
        ("昨天", "2024-05-14", "2024-05-15", "day"),
        ("大前天", "2024-05-12", "2024-05-13", "day"),
        ("上周三", "2024-05-08", "2024-05-09", "day"),
        ("下个月", "2024-06-01", "2024-07-01", "month"),
        ("上个月初", "2024-04-01", "2024-04-11", "week"),
        ("三天后", "2024-05-18", "2024-05-19", "day"),
        ("两周前", "2024-04-29", "2024-05-06", "week"),
        ("半年前", "2023-11-01", "2023-12-01", "month"),
        ("去年夏天", "2023-06-01", "2023-09-01", "season"),
        ("前年国庆", "2022-10-01", "2022-10-08", "week"),
        ("去年春节", "2023-01-21", "2023-01-29", "week"),
        ("今早", "2024-05-15 05:00", "2024-05-15 12:00", "hour"),
        ("这周末", "2024-05-18", "2024-05-20", "weekend"),
        ("昨天下午三点", "2024-05-14 15:00", "2024-05-14 16:00", "hour"),
        ("今晚八点半", "2024-05-15 20:30", "2024-05-15 20:31", "minute"),
        ("过去三天", "2024-05-12", "2024-05-16", "day"),
        ("几天前天气很好", "2024-05-12", "2024-05-13", "day"),
    ],
)
def test_relative(text: str, start: str, end: str, grain: str) -> None:
    """Relative words count from the time of the text."""
    assert one(text) == (start, end, grain)


@pytest.mark.parametrize(
    ("text", "start"),
    [("May 8th", "2024-05-08"), ("in August", "2023-08-01"), ("on Friday", "2024-05-10"), ("5月8日", "2024-05-08"), ("四月份的事", "2024-04-01"),
     ("11月", "2023-11-01"),
     ("周六", "2024-05-11"), ("1月中旬", "2024-01-11"), ("15号去了上海", "2024-05-15"), ("29 February", "2024-02-29"), ("元旦", "2024-01-01")],
)  # fmt: skip
def test_without_a_year_the_latest_past_one(text: str, start: str) -> None:
    """A date that does not say which year or week is the latest one that is not after the text."""
    assert one(text)[0] == start


@pytest.mark.parametrize(
    "text",
    ["port 9077", "ticket 1987 status", "room 2024", "in 2000 files", "1.5 hours", "v1.2.3", "192.168.1.1",
     "555-2010-12", "16:9", "50%", "may 5 times", "we may go", "march on", "she sat down", "April said so",
     "8号线", "3号楼", "每周三", "有三点建议", "以前天天跑步", "前10分钟", "三个苹果", ""],
)  # fmt: skip
def test_no_time(text: str) -> None:
    """Bare numbers, verbs and house numbers are no times."""
    assert find(text, AT) == ()


@pytest.mark.parametrize(
    "text",
    [
        "十万年前",
        "公元0年",
        "year 0",
        "99999年",
        "Feb 30",
        "2月30日",
        "in 0000",
        "9000 years ago",
        "3000年前",
        "25:61",
        "13月",
    ],
)
def test_impossible(text: str) -> None:
    """Times no calendar has are left out, without an error."""
    assert find(text, AT) == ()


@pytest.mark.parametrize(
    "text", ["yesterday", "next year", "in 3 decades", "明年", "上个世纪", "last winter", "两百年前", "at 3pm"]
)
@pytest.mark.parametrize("at", [datetime.min, datetime.max, datetime.min.replace(tzinfo=timezone(timedelta(hours=14)))])
def test_edges_of_the_calendar(text: str, at: datetime) -> None:
    """At the first and the last day there is, nothing raises."""
    assert isinstance(find(text, at), tuple)


def test_direction_words_and_spans() -> None:
    """A span says whether it is meant as a bound, and where its words stand."""
    text = "since 2020, before May 2023; 2019年以前"
    found = find(text, AT)
    assert [(s.text, s.direction, s.grain) for s in found] == [
        ("2020", "after", "year"),
        ("May 2023", "before", "month"),
        ("2019年", "before", "year"),
    ]
    assert [text[slice(*s.span)] for s in found] == [s.text for s in found]


def test_days_are_those_of_the_writer() -> None:
    """Today in Shanghai begins at 16:00 UTC of the day before."""
    at = datetime(2024, 5, 15, 1, 0, tzinfo=timezone(timedelta(hours=8)))
    assert one("today", at) == ("2024-05-14 16:00", "2024-05-15 16:00", "day")


def test_a_second_of_a_timestamp() -> None:
    """A timestamp in text is the second it names."""
    (span,) = find("at 2024-05-08T10:00:01Z", AT)
    assert (span.start, span.end) == (
        datetime(2024, 5, 8, 10, 0, 1, tzinfo=UTC),
        datetime(2024, 5, 8, 10, 0, 2, tzinfo=UTC),
    )


@given(ANY_TEXT, st.datetimes())
def test_any_text_gives_ordered_spans(text: str, at: datetime) -> None:
    """No text raises; spans are in order, apart, not empty, and in UTC."""
    last = 0
    for span in find(text, at):
        assert last <= span.span[0] < span.span[1] <= len(text)
        assert span.start < span.end and span.start.tzinfo is UTC
        last = span.span[1]


@pytest.mark.parametrize(
    "value",
    ["2026-07-25T02:00:00Z", "2026-07-25T02:00:00+00:00", "2026-07-25 02:00:00", "2026-07-25 02:00",
     " 2026/07/25 02:00:00 ", datetime(2026, 7, 25, 2), datetime(2026, 7, 25, 2, tzinfo=UTC), 1784944800, 1784944800.0, 1784944800000, "1784944800"],
)  # fmt: skip
def test_parse_time(value: str | datetime | float) -> None:
    """Every accepted form of one moment is that moment; without an offset it is UTC."""
    assert iso(parse_time(value)) == "2026-07-25T02:00:00+00:00"


def test_parse_date_and_default_zone() -> None:
    """A date is its midnight, in the default zone if one is given."""
    assert iso(parse_time(date(2026, 7, 25))) == iso(parse_time("2026-07-25")) == "2026-07-25T00:00:00+00:00"
    assert iso(parse_time("2026-07-25", timezone(timedelta(hours=8)))) == "2026-07-25T00:00:00+08:00"


SHANGHAI_1900 = timezone(timedelta(hours=8, minutes=5, seconds=43))  # local mean time, as zone data has it


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("2026-07-25T10:00:00+08:00", "2026-07-25T10:00:00+08:00"),
        ("2026/07/24 21:00:00 -0500", "2026-07-24T21:00:00-05:00"),
        (datetime(2026, 7, 25, 7, 30, tzinfo=timezone(timedelta(hours=5, minutes=30))), "2026-07-25T07:30:00+05:30"),
        (datetime(1900, 1, 1, tzinfo=SHANGHAI_1900), "1899-12-31T23:59:17+08:05"),
        ("0001-01-01T00:00:00-05:00", "0001-01-01T00:00:00-05:00"),
        ("9999-12-31T23:59:59+08:00", "9999-12-31T23:59:59+08:00"),
    ],
)
def test_a_time_keeps_its_offset(value: str | datetime, written: str) -> None:
    """The offset that a time came with stays, in whole minutes; the instant is kept to the microsecond."""
    read = parse_time(value)
    assert iso(read) == written
    assert micros(read) == micros(value if isinstance(value, datetime) else written)
    assert stamp(*instant(written)) == written


@pytest.mark.parametrize(
    "value",
    ["", "soon", "2026-13-01", "2026-02-30", None, True, float("nan"), float("inf"), 1e30, "0001-01-01T00:00+14:00"],
)
def test_parse_time_refuses(value: str | float | None) -> None:
    """What is no moment is refused with a message that names it."""
    with pytest.raises(ValueError, match="time"):
        parse_time(value)


def test_iso_microseconds() -> None:
    """Microseconds are written only when there are any."""
    assert iso(datetime(2026, 7, 25, 2, 0, 0, 5)) == "2026-07-25T02:00:00.000005+00:00"


RELATIVE = [
    ("last weekend", "2026-03-14", "2026-03-16"),
    ("the weekend before last", "2026-03-07", "2026-03-09"),
    ("this weekend", "2026-03-21", "2026-03-23"),
    ("next weekend", "2026-03-28", "2026-03-30"),
    ("the day before yesterday", "2026-03-16", "2026-03-17"),
    ("three days from now", "2026-03-21", "2026-03-22"),
    ("in three days", "2026-03-21", "2026-03-22"),
    ("a fortnight ago", "2026-03-02", "2026-03-09"),
    ("in a fortnight", "2026-03-30", "2026-04-06"),
    ("mid-June", "2025-06-11", "2025-06-21"),
    ("early January", "2026-01-01", "2026-01-11"),
    ("late last year", "2025-09-01", "2026-01-01"),
    ("over Easter", "2025-04-18", "2025-04-22"),
    ("at Easter 2024", "2024-03-29", "2024-04-02"),
    ("on Good Friday 2024", "2024-03-29", "2024-03-30"),
    ("last Thanksgiving", "2025-11-27", "2025-11-28"),
    ("Thanksgiving 2023", "2023-11-23", "2023-11-24"),
    ("Labor Day 2024", "2024-09-02", "2024-09-03"),
    ("Memorial Day 2024", "2024-05-27", "2024-05-28"),
    ("Mother's Day 2024", "2024-05-12", "2024-05-13"),
    ("Black Friday 2024", "2024-11-29", "2024-11-30"),
    ("St. Patrick's Day", "2026-03-17", "2026-03-18"),
    ("Boxing Day", "2025-12-26", "2025-12-27"),
    ("Christmas Eve", "2025-12-24", "2025-12-25"),
    ("New Year's Day", "2026-01-01", "2026-01-02"),
    ("Lunar New Year 2025", "2025-01-28", "2025-02-05"),
    ("Chinese New Year", "2026-02-16", "2026-02-24"),
    ("end of next quarter", "2026-06-01", "2026-07-01"),
    ("next quarter", "2026-04-01", "2026-07-01"),
    ("at the end of the year", "2026-09-01", "2027-01-01"),
    ("a couple of weeks ago", "2026-03-02", "2026-03-09"),
    ("the last Friday of May 2024", "2024-05-31", "2024-06-01"),
    ("the second Tuesday in June 2024", "2024-06-11", "2024-06-12"),
    ("between May 3 and May 7, 2024", "2024-05-03", "2024-05-08"),
    ("from June to August 2024", "2024-06-01", "2024-09-01"),
    ("上个月初", "2026-02-01", "2026-02-11"),
    ("三天后", "2026-03-21", "2026-03-22"),
    ("前年国庆", "2024-10-01", "2024-10-08"),
    ("下下周三", "2026-04-01", "2026-04-02"),
    ("月底", "2026-03-21", "2026-04-01"),
    ("下个月底", "2026-04-21", "2026-05-01"),
    ("春节", "2026-02-16", "2026-02-24"),
    ("去年春节", "2025-01-28", "2025-02-05"),
    ("冬至", "2025-12-21", "2025-12-22"),
    ("去年冬至", "2025-12-21", "2025-12-22"),
    ("2024年冬至", "2024-12-21", "2024-12-22"),
    ("去年双十一", "2025-11-11", "2025-11-12"),
    ("中秋节", "2025-10-06", "2025-10-07"),
    ("2024年中秋", "2024-09-17", "2024-09-18"),
    ("去年端午", "2025-05-31", "2025-06-01"),
    ("清明", "2025-04-04", "2025-04-05"),
    ("2024年清明", "2024-04-04", "2024-04-05"),
    ("元宵节", "2026-03-03", "2026-03-04"),
    ("七夕", "2025-08-29", "2025-08-30"),
    ("2024年重阳节", "2024-10-11", "2024-10-12"),
    ("腊八", "2026-01-26", "2026-01-27"),
    ("立春", "2026-02-04", "2026-02-05"),
    ("去年夏至", "2025-06-21", "2025-06-22"),
    ("正月初五", "2026-02-21", "2026-02-22"),
    ("腊月二十三", "2026-02-10", "2026-02-11"),
    ("农历八月十五", "2025-10-06", "2025-10-07"),
    ("上上个周末", "2026-03-07", "2026-03-09"),
    ("上周末", "2026-03-14", "2026-03-16"),
    ("这个周末", "2026-03-21", "2026-03-23"),
    ("大后天上午", "2026-03-21T05", "2026-03-21T12"),
    ("前两天", "2026-03-16", "2026-03-19"),
    ("下周一到周三", "2026-03-23", "2026-03-26"),
    ("5月3日到5月7日", "2025-05-03", "2025-05-08"),
    ("半个月前", "2026-03-03", "2026-03-04"),
    ("父亲节", "2025-06-15", "2025-06-16"),
    ("今年暑假", "2026-07-01", "2026-09-01"),
    ("The exam is a week from Friday.", "2026-03-27", "2026-03-28"),
    ("two days from Friday", "2026-03-22", "2026-03-23"),
    ("a fortnight from Monday", "2026-04-06", "2026-04-07"),
    ("a week from tomorrow", "2026-03-26", "2026-03-27"),
    ("a week from next Monday", "2026-03-30", "2026-03-31"),
    ("a week from last Friday", "2026-03-20", "2026-03-21"),
    ("in a week from Friday", "2026-03-27", "2026-03-28"),
    ("a week on Friday", "2026-03-27", "2026-03-28"),
    ("a month from Friday", "2026-04-20", "2026-04-21"),
    ("three weeks after Friday", "2026-04-10", "2026-04-11"),
    ("I left two days after Friday", "2026-03-15", "2026-03-16"),
    ("the day after Friday", "2026-03-21", "2026-03-22"),
    ("two days before Christmas 2024", "2024-12-23", "2024-12-24"),
    ("10 days after 2026-03-01", "2026-03-11", "2026-03-12"),
    ("three months from May 8, 2025", "2025-08-08", "2025-08-09"),
    ("two weeks from June 3", "2026-06-17", "2026-06-18"),
    ("the week after Easter 2024", "2024-04-08", "2024-04-15"),
    ("the week after next", "2026-03-30", "2026-04-06"),
    ("for two weeks from Monday", "2026-03-16", "2026-03-17"),
    ("下下周五", "2026-04-03", "2026-04-04"),
    ("考试在周五之后一周", "2026-03-27", "2026-03-28"),
    ("a week from Friday at 3pm", "2026-03-27T15", "2026-03-27T16"),
    ("周五后两天", "2026-03-22", "2026-03-23"),
    ("周五一周后", "2026-03-27", "2026-03-28"),
    ("我周五之后两天走了", "2026-03-15", "2026-03-16"),
    ("下周五之后三天", "2026-03-30", "2026-03-31"),
    ("5月8日后两周", "2025-05-22", "2025-05-23"),
    ("国庆前三天", "2025-09-28", "2025-09-29"),
    ("国庆后三天", "2025-10-10", "2025-10-11"),
    ("春节前一周", "2026-02-09", "2026-02-10"),
    ("2026年3月20日之后10天", "2026-03-30", "2026-03-31"),
]


@pytest.mark.parametrize(("text", "first", "after"), RELATIVE)
def test_relative_and_moving_days(text: str, first: str, after: str) -> None:
    """Said on Wednesday 18 March 2026 at ten: one stretch, its first day (or hour) and what follows its last."""
    (span,) = find(text, datetime(2026, 3, 18, 10, tzinfo=UTC))
    written = ["%Y-%m-%dT%H" if "T" in label else "%Y-%m-%d" for label in (first, after)]
    assert (span.start.strftime(written[0]), span.end.strftime(written[1]), span.text.strip() in text) == (
        first,
        after,
        True,
    )


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("We moved the meeting from Friday to Monday", 2),
        ("The meeting was rescheduled from May 3 to May 7", 2),
        ("会议从周三改到周五", 2),
        ("on Friday and Monday", 2),
        ("between Monday and Friday", 1),
        ("from Monday to Friday", 1),
        ("腊八粥", 0),
        ("正月", 0),
        ("my mother and Easter eggs", 1),
        ("清明节的安排", 1),
        ("the chinese restaurant", 0),
    ],
)
def test_ranges_and_what_only_looks_like_one(text: str, count: int) -> None:
    """A day moved to another is two days; a word of food is none."""
    assert len(find(text, datetime(2026, 3, 18, 10, tzinfo=UTC))) == count
