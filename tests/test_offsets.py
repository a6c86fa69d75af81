"""The offset that a time came with: kept from `add` to the context, in files and questions; order stays by the instant."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from zeromem import Memory
from zeromem.text.tokens import count

Open = Callable[..., Memory]
# A text, when it was said where it was said, its day there (in UTC it is another one), and a question for it.
SAID = [
    ("今天我去看了牙医", "2026-01-06T07:30:00+08:00", "2026-01-06", "我什么时候去看的牙医？"),
    ("Today I went to the dentist.", "2026-01-05T23:15:00-05:00", "2026-01-05", "When did I go to the dentist?"),
    ("Today I bought a red kettle.", "2026-01-06T04:00:00+05:30", "2026-01-06", "When did I buy the red kettle?"),
    ("今晚买了一把红色水壶", "2026-01-05T22:00:00.000005-05:00", "2026-01-05", "红色水壶是什么时候买的？"),
]


@pytest.mark.parametrize(("text", "at", "day", "question"), SAID)
def test_events_cards_and_headings_are_of_the_local_day(
    plain: Memory, text: str, at: str, day: str, question: str
) -> None:
    """What was said on the 6th in Shanghai stands under the 6th, in an exact number of tokens; storing times stay UTC."""
    card = plain.get(str(plain.add(text, user="u", at=at).id))
    (event,) = plain.messages(user="u")
    context = plain.recall(question, user="u")
    assert (card.at, event.at, context.citations[0].at) == (at, at, at)
    assert f"\n## {day}\n" in context.text
    assert context.tokens == count(context.text)
    assert all(stamp.endswith("+00:00") for stamp in (card.created_at, card.updated_at, event.stored_at))


@pytest.mark.parametrize("key", ["at", "timestamp", "created_at", "time", "create_time"])
def test_a_message_keeps_the_offset_of_its_own_time(plain: Memory, key: str) -> None:
    """The time keys of a message win over `at`, offset and all; naive times and the clock are UTC."""
    said = [{"role": "user", "content": "The locker is blue.", key: "2026-01-05T23:15:00-05:00"},
            {"role": "user", "content": "储物柜的密码是4471。", key: "2026-01-06 07:30"},
            {"role": "user", "content": "The lamp is green."}]  # fmt: skip
    plain.add(said, user="u", at="2026-01-06T07:30:00+05:30")
    plain.add("灯在窗边。", user="u")
    times = [event.at for event in plain.messages(user="u")]
    assert times[:3] == ["2026-01-05T23:15:00-05:00", "2026-01-06T07:30:00+00:00", "2026-01-06T07:30:00+05:30"]
    assert times[3].endswith("+00:00")


def test_order_filters_and_bounds_are_by_the_instant(plain: Memory) -> None:
    """A later date on the wall is not a later moment: list, its pages, contexts, filters and bounds go by the instant."""
    said = {
        "The kettle is red.": "2026-01-06T07:30:00+08:00",  # 23:30 UTC of the 5th
        "水壶 the kettle is blue.": "2026-01-05T23:40:00+00:00",
        "The kettle is green.": "2026-01-05T18:50:00-05:00",  # 23:50
        "The kettle is white.": "2026-01-06T05:30:00+05:30",  # 0:00 of the 6th
    }
    for text in sorted(said):
        plain.add(text, user="u", at=said[text])
    listed = [card.text for card in plain.list(user="u")]
    assert listed == list(said)
    paged, cursor = [], None
    while (page := plain.list(user="u", limit=1, cursor=cursor)).cursor:
        paged, cursor = [*paged, page[0].text], page.cursor
    assert paged == list(said)
    context = plain.recall("Which colours did the kettle have?", user="u", budget=400)
    shown = [line for line in context.text.splitlines() if line.startswith(("##", "[m:"))]
    assert [line[-10:] for line in shown if line.startswith("##")] == ["2026-01-06", "2026-01-05"]
    assert [line.split(": ")[1] for line in shown if line.startswith("[m:")] == [
        "The kettle is red.", "The kettle is white.", "水壶 the kettle is blue.", "The kettle is green.",
    ]  # fmt: skip
    assert context.tokens == count(context.text)
    later = {"at": {"gt": "2026-01-05T23:40:00Z"}}
    assert [card.text for card in plain.list(user="u", filters=later)] == list(said)[2:]
    bound = plain.search("kettle", user="u", before="2026-01-06T07:35:00+08:00")
    assert [hit.text for hit in bound] == ["The kettle is red."]


def test_words_said_again_elsewhere_keep_their_first_time(plain: Memory) -> None:
    """A duplicate, an update and a deletion leave the card's time and its offset as they were."""
    first = plain.add("我对杏仁过敏。", user="u", at="2026-01-06T07:30:00+08:00")
    plain.add("我对杏仁过敏。", user="u", at="2026-03-01T22:00:00-05:00", metadata={"n": 1})
    pointer = str(first.pointer)
    assert plain.get(pointer, user="u").at == "2026-01-06T07:30:00+08:00"
    assert plain.messages(user="u")[1].at == "2026-03-01T22:00:00-05:00"
    plain.update(pointer, "我对花生过敏。", user="u")
    assert {span.event.at for span in plain.expand(pointer, user="u").spans} == {
        "2026-01-06T07:30:00+08:00", "2026-03-01T22:00:00-05:00",
    }  # fmt: skip
    assert plain.get(pointer, user="u").at == "2026-01-06T07:30:00+08:00"


@pytest.mark.parametrize("question", ["Which film did I see yesterday?", "我昨天看了什么电影 film？"])
@pytest.mark.parametrize(
    ("at", "days"),
    [
        ("2026-01-06T07:30:00+08:00", "2026-01-05…2026-01-06"),  # UTC is still at the 5th
        ("2026-01-05T23:15:00-05:00", "2026-01-04…2026-01-05"),  # UTC is at the 6th already
        ("2026-01-06T04:00:00+05:30", "2026-01-05…2026-01-06"),
        ("2026-01-06T07:30:00", "2026-01-05…2026-01-06"),
        (None, "2026-01-05…2026-01-06"),
    ],
)
def test_yesterday_is_that_of_the_one_who_asks(
    plain: Memory, clock: Any, question: str, at: str | None, days: str
) -> None:
    """A question is resolved in the offset of `at`, in UTC without it; the trace names the days so, too."""
    clock.set("2026-01-06T03:00:00+00:00")
    plain.add("The film was Casablanca. 电影是卡萨布兰卡。", user="u", at="2026-01-05T20:00:00+08:00")
    context = plain.recall(question, user="u", at=at)
    (told,) = next(record.detail["times"] for record in context.trace if record.stage == "understand")
    assert told.split(": ")[1] == days


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [("2026-01-07T07:30:00+08:00", "喝了茶 tea at noon"), ("2026-01-05T23:30:00-05:00", "喝了茶 tea at night")],
)
def test_yesterday_finds_the_day_of_the_one_who_asks(plain: Memory, asked: str, wanted: str) -> None:
    """Both ask within a UTC day; their yesterdays are different ones, and the nearer tea comes first."""
    plain.add("喝了茶 tea at night", user="u", at="2026-01-04T20:00:00-05:00")
    plain.add("喝了茶 tea at noon", user="u", at="2026-01-06T12:00:00+08:00")
    for question in ("yesterday's tea", "昨天的茶"):
        assert plain.search(question, user="u", at=asked)[0].text == wanted


@pytest.mark.parametrize(
    ("text", "at"), [("since 0001-01-01T00:00:00Z", "2026-01-05T23:15:00-05:00"), ("9999-12-30T23:00:00Z", "2026-01-06T07:30:00+14:00")]
)  # fmt: skip
def test_the_ends_of_the_calendar(plain: Memory, text: str, at: str) -> None:
    """A day that the caller's own clock cannot show is shown in UTC."""
    plain.add("The kettle is red.", user="u", at="0001-01-01T00:00:00-05:00")
    plain.add("水壶是红色的。", user="u", at="9999-12-31T23:59:59+08:00")
    assert [card.at for card in plain.list(user="u")] == ["0001-01-01T00:00:00-05:00", "9999-12-31T23:59:59+08:00"]
    assert plain.search(f"kettle 水壶 {text}", user="u", at=at)


def test_export_and_import_carry_offsets(open_memory: Open, tmp_path: Path) -> None:
    """A round trip changes no record; the same export of a zeromem that kept no offsets is known there, and readable alone."""
    source = open_memory("source.db", embedder="none")
    for text, at, _, _ in SAID:
        source.add(text, user="u", session="s", at=at)
    source.export_file(tmp_path / "all.jsonl")
    records = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [record["at"] for record in records if record["type"] == "event"] == [at for _, at, _, _ in SAID]
    target = open_memory("target.db", embedder="none")
    target.import_(records)
    assert list(target.export()) == records
    old = [{**record, "at": in_utc[record["at"]]} if "at" in record else record for record in records]
    assert target.import_(old).added == 0
    assert list(target.export()) == records
    before = open_memory("before.db", embedder="none")
    before.import_(old)
    assert list(before.export()) == old
    assert before.import_(records).added == 0


in_utc = {
    "2026-01-06T07:30:00+08:00": "2026-01-05T23:30:00+00:00",
    "2026-01-05T23:15:00-05:00": "2026-01-06T04:15:00+00:00",
    "2026-01-06T04:00:00+05:30": "2026-01-05T22:30:00+00:00",
    "2026-01-05T22:00:00.000005-05:00": "2026-01-06T03:00:00.000005+00:00",
}


def test_an_older_file_gains_offsets(older: Any, tmp_path: Path) -> None:
    """What an older zeromem stored is at offset 0, with every column in its place; what comes after it keeps its own."""
    path = tmp_path / "m.db"
    with older(2) as connection:
        connection.execute(
            "INSERT INTO events (id, user, session, kind, role, content, at, stored_at, metadata) "
            "VALUES ('e1', 'u', 's', 'message', 'user', CAST('one kettle' AS BLOB), 1767655800000000, 5, '{\"n\":1}')"
        )
        connection.execute(
            "INSERT INTO cards (row, id, version, born, op, reason, pointer, user, session, kind, role, text, hash, at, created_at, "
            "stored_at, made_by, tokens, head_tokens) VALUES (1, 'c1', 1, 1, 'add', 'added', 'kettle', 'u', 's', 'message', 'user', "
            "'one kettle', x'00', 1767655800000000, 5, 5, 'rule', 9, 9)"
        )
        connection.execute("INSERT INTO links VALUES ('c1', 1, 0, 10)")
        connection.execute("INSERT INTO pointers VALUES ('kettle', 'u:u', '', 1, 'c1')")
        connection.execute("INSERT INTO terms VALUES (1, x'')")
    with Memory.open(path, embedder="none", background=False) as memory:
        memory.add("another kettle 另一把水壶", user="u", session="s", at="2026-01-06T07:29:59+08:00")
        events, cards = memory.messages(user="u", session="s"), memory.list(user="u")
        assert [(event.text, event.at, dict(event.metadata)) for event in events] == [
            ("one kettle", "2026-01-05T23:30:00+00:00", {"n": 1}),
            ("another kettle 另一把水壶", "2026-01-06T07:29:59+08:00", {}),
        ]
        assert [card.at for card in cards] == ["2026-01-06T07:29:59+08:00", "2026-01-05T23:30:00+00:00"]
        assert (cards[1].pointer, cards[1].tokens, cards[1].parts) == ("kettle", 9, ())


def test_the_command_line_shows_local_days(cli: Callable[..., Any]) -> None:
    """list, get and recall --explain write the day of the one who spoke or asks."""
    cli("add", "今天我去看了牙医", "--session", "s", "--at", "2026-01-06T07:30:00+08:00")
    assert b"2026-01-06 07:30" in cli("list").stdout
    assert b"2026-01-06 07:30" in cli("messages", "--session", "s").stdout
    asked = ("recall", "我今天去看了谁？牙医吗", "--at", "2026-01-06T07:45:00+08:00")
    assert b"## 2026-01-06" in cli(*asked).stdout
    explained = json.loads(cli(*asked, "--json").stdout)["trace"]
    (told,) = next(stage["detail"]["times"] for stage in explained if stage["stage"] == "understand")
    assert told == "今天: 2026-01-06…2026-01-07"
