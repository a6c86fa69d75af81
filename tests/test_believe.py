"""facts, add_fact and clarifications: what is believed follows from the memories that are there, at any moment, in any scope."""

from __future__ import annotations

import asyncio
from itertools import permutations
from typing import Any

import pytest

from zeromem import AsyncMemory, InvalidInput, InvalidScope, Memory, NotFound
from zeromem.text.times import parse_time

LEEDS, BATH, YORK = "I live in Leeds.", "I moved to Bath.", "I moved to York."


def values(memory: Any, *which: Any, user: str = "ana", **options: Any) -> list[str]:
    return [fact.value for fact in memory.facts(*which, user=user, **options)]


def told(memory: Any, *which: Any, user: str = "ana", **options: Any) -> list[tuple[str, str, str | None]]:
    """Value, standing and what superseded it, of everything."""
    found = memory.facts(*which, user=user, include_superseded=True, **options)
    return [(fact.value, fact.standing, fact.superseded_by) for fact in found]


@pytest.fixture
def moved(plain):
    """Ana lived in Leeds and moved to Bath."""
    plain.add(LEEDS, user="ana", at="2026-01-03")
    plain.add(BATH, user="ana", at="2026-03-10")
    return plain


# -- facts


def test_a_fact_says_all_that_is_known_of_it(moved, clock):
    """Who, which slot, which value, said by whom and when, when we learned it, since when, and by which memory."""
    (fact,) = moved.facts("user", "home", user="ana")
    card = moved.get("bath", user="ana")
    assert (fact.subject, fact.slot, fact.value, fact.object, fact.polarity, fact.modality, fact.standing, fact.current) == (
        "user", "home", "Bath", "Bath", "+", "asserted", "current", True,
    )  # fmt: skip
    assert (fact.speaker, fact.at, fact.stored_at, fact.pointer, fact.card_id) == (
        "user", card.at, card.updated_at, "bath", card.id,
    )  # fmt: skip
    assert (fact.valid_from, fact.valid_to, fact.text, fact.made_by.startswith("en.")) == (
        card.at,
        None,
        "I moved to Bath",
        True,
    )


def test_what_was_overtaken_ends_where_the_next_begins(moved):
    """The older one names the newer, and ends when that was said."""
    old, new = moved.facts(user="ana", include_superseded=True)
    assert (old.value, old.standing, old.current, old.superseded_by) == ("Leeds", "superseded", False, "bath")
    assert (old.valid_to, new.superseded_by) == (new.valid_from, None)


def test_facts_are_of_a_subject_in_a_slot(plain):
    """By name, however it is written; also those that have it as their value; an unknown one has none."""
    plain.add("Ana's boss is Ben. Ben lives in Bath.", user="u")
    assert {fact.slot for fact in plain.facts("ben", user="u")} >= {"home", "boss"}
    assert values(plain, "BEN", "home", user="u") == ["Bath"]
    assert values(plain, None, "home", user="u") == ["Bath"]
    assert values(plain, "Carl", user="u") == values(plain, "Ben", "allergy", user="u") == []


def test_nothing_an_assistant_says_is_a_fact(plain):
    """Only what users, tools and documents state."""
    plain.add({"role": "assistant", "content": "You live in Leeds. I live in Bath."}, user="ana")
    assert values(plain, include_superseded=True) == []


def test_what_is_told_again_is_surer(plain):
    """Each further memory that says it takes away a part of the doubt; a contradiction halves it."""
    said = []
    for text in ("I live in Leeds.", "My home is in Leeds.", "These days I live in Leeds."):
        plain.add(text, user="ana")
        said.append(plain.facts("user", "home", user="ana")[0].confidence)
    assert said[0] == 0.5 and said == sorted(said) and said[-1] < 1
    plain.add("My birthday is June 9.", user="ben")
    plain.add("My birthday is July 8.", user="ben")
    assert [fact.confidence for fact in plain.facts(user="ben")] == [0.25, 0.25]


def test_the_same_words_in_another_event_make_a_fact_surer(plain):
    """Though there is one card; said twice in one message it is said once, and an assistant's words count for nothing."""
    plain.add(LEEDS, user="ana", session="a")
    plain.add({"role": "assistant", "content": "You live in Leeds."}, user="ana", session="a")
    plain.add("我住在上海。我住在上海。", user="lin")
    sure = [plain.facts(slot="home", user=user)[0].confidence for user in ("ana", "lin")]
    assert sure == [0.5, 0.5]
    plain.add(LEEDS, user="ana", session="b")
    plain.add("我住在上海。", user="lin")
    assert [plain.facts(slot="home", user=user)[0].confidence for user in ("ana", "lin")] == [0.65, 0.65]


def test_what_is_told_as_uncertain_is_less_sure(plain):
    """ "Maybe", 可能."""
    plain.add("Maybe I like opera.", user="ana")
    plain.add("我可能喜欢歌剧。", user="lin")
    for user in ("ana", "lin"):
        assert {fact.confidence for fact in plain.facts(user=user, include_superseded=True)} == {0.3}


def test_a_fact_that_served_well_is_surer(plain):
    """`feedback` with a good outcome confirms what the answer used, once a recall; a bad one, or none, does not."""
    plain.add(LEEDS, user="ana")
    for outcome, wanted in ((None, 0.5), (False, 0.5), (True, 0.65), (1.0, 0.755)):
        context = plain.recall("Where do I live?", user="ana")
        plain.feedback(context.id, used="leeds", outcome=outcome, user="ana")
        assert plain.facts("user", "home", user="ana")[0].confidence == wanted
    plain.update("leeds", BATH, user="ana")
    assert [(fact.value, fact.confidence) for fact in plain.facts(user="ana")] == [("Bath", 0.5)]


def test_a_fact_confirmed_by_hand_is_sure(plain):
    """`add_fact` says the same."""
    plain.add(LEEDS, user="ana")
    plain.add_fact("user", "home", "Leeds", user="ana")
    assert [fact.confidence for fact in plain.facts("user", "home", user="ana")] == [1.0, 1.0]


@pytest.mark.parametrize(
    ("once", "often", "asked"),
    [("I like opera.", "I like ballet.", "What do I like?"), ("我喜欢歌剧。", "我喜欢芭蕾。", "我喜欢什么？")],
)
def test_the_surer_of_two_facts_comes_first(plain, once, often, asked):
    """Of facts in the slot that is asked for, like in all else; it moves a card by no more than a fifth of what a fact weighs."""
    plain.add(once, user="ana", at="2026-01-03")
    plain.add(often, user="ana", at="2026-01-03")
    plain.add_fact("user", "likes", often.rstrip(".。").split("喜欢")[-1].split(" ")[-1], user="ana")
    hits = {hit.text: hit for hit in plain.search(asked, user="ana")}
    assert hits[often].score > hits[once].score
    assert 0.8 <= hits[once].arms["facts"] < round(hits[often].arms["facts"], 3) <= 1.2


def test_scopes_are_walls(plain):
    """Facts of one user neither show nor end those of another, nor of another agent or tenant; sessions are no walls."""
    plain.add(LEEDS, user="ana", session="a", at="2026-01-03")
    for other in ({"user": "ben"}, {"user": "ana", "tenant": "t"}):
        plain.add(BATH, at="2026-03-10", **other)
        plain.add_fact("user", "birthday", "June 9", **other)
        plain.add_fact("user", "birthday", "July 8", **other)
    assert told(plain, None, "home", user="ben") == [("Bath", "current", None)]
    ana = plain.scope(user="ana")
    assert {fact.value for fact in ana.facts(None, "home", tenant="t")} == {"Bath"}
    assert plain.clarifications(user="ben") and not plain.clarifications(user="zoe")
    plain.add(YORK, user="ben", session="b", at="2026-04-01")
    assert told(plain, None, "home", user="ben", session="c") == [
        ("Bath", "superseded", "york"),
        ("York", "current", None),
    ]
    for verb in (plain.facts, plain.clarifications):
        with pytest.raises(InvalidScope):
            verb()
    with pytest.raises(InvalidScope):
        plain.add_fact("Ana", "home", "Bath")


# -- what comes and goes


def test_late_messages_fall_into_place(plain):
    """Said in order or not: the same facts."""
    for text, day in ((YORK, "2026-05-01"), (LEEDS, "2026-01-03"), (BATH, "2026-03-10")):
        plain.add(text, user="ana", at=day)
    assert told(plain) == [("Leeds", "superseded", "bath"), ("Bath", "superseded", "york"), ("York", "current", None)]


def test_without_the_newer_memory_the_older_fact_holds(moved):
    """Deleted it revives it, restored it ends it again, undone it revives it once more."""
    leeds, bath = ("Leeds", "current", None), [("Leeds", "superseded", "bath"), ("Bath", "current", None)]
    moved.delete("bath", user="ana")
    assert told(moved) == [leeds]
    moved.restore("bath", user="ana")
    assert told(moved) == bath
    moved.undo(user="ana")
    assert told(moved) == [leeds]
    moved.undo(user="ana")
    assert told(moved) == bath
    moved.forget("bath", user="ana")
    assert told(moved) == [leeds]


def test_an_update_is_read_anew(moved):
    """The facts of a memory are those of its words now; the old ones come back with the old words."""
    moved.update("bath", "I moved to York.", user="ana")
    assert told(moved) == [("Leeds", "superseded", "bath"), ("York", "current", None)]
    moved.update("bath", "The bath is upstairs.", user="ana")
    assert [(value, standing) for value, standing, _ in told(moved, "user")] == [("Leeds", "current")]
    moved.undo(user="ana")
    assert values(moved) == ["York"]


def test_metadata_alone_changes_no_fact(moved):
    """A new version with the same words states the same."""
    before = told(moved)
    moved.update("leeds", metadata={"topic": "home"}, user="ana")
    assert told(moved) == before


def test_a_source_that_no_longer_says_it(plain):
    """Its facts go with it and the earlier ones hold again."""
    plain.add(LEEDS, user="ana", at="2026-01-03")
    plain.add(BATH, user="ana", at="2026-03-10", source_id="chat")
    assert values(plain) == ["Bath"]
    plain.delete_source("chat", user="ana")
    assert values(plain) == ["Leeds"]


def test_a_scope_restored_to_a_moment(moved):
    """What was believed then is believed now."""
    moment = moved.get("leeds", user="ana").created_at
    moved.restore(at=moment, user="ana")
    assert told(moved) == [("Leeds", "current", None)]


def test_an_export_states_the_same(moved, open_memory):
    """Facts are read from the words again, those told by hand from their line."""
    moved.add_fact("Ana", "diet", "pork", polarity="-", valid_from="2026-01-01", valid_to="2026-06-01", user="ana")
    moved.add("My birthday is June 9.", user="ana", at="2026-01-01")
    moved.add("My birthday is July 8.", user="ana", at="2026-02-01")
    copy = open_memory("copy.db", embedder="none")
    copy.import_(list(moved.export()))
    for options in ({}, {"include_superseded": True}, {"as_of": "2026-02"}, {"known_at": "2027"}):
        assert copy.facts(user="ana", **options) == moved.facts(user="ana", **options) != []
    assert copy.clarifications(user="ana") == moved.clarifications(user="ana") != []
    assert copy.verify().problems == ()


def test_a_memory_opened_again_states_the_same(moved, open_memory):
    """From the file as from the snapshot; an index built anew too."""
    before = moved.facts(user="ana", include_superseded=True)
    moved.close()
    again = open_memory(embedder="none")
    assert again.facts(user="ana", include_superseded=True) == before
    again.reindex()
    assert again.facts(user="ana", include_superseded=True) == before


# -- moments


@pytest.mark.parametrize(
    ("as_of", "wanted"),
    [("2026-01-02", []), ("2026-01-03", ["Leeds"]), ("2026-02", ["Leeds"]), ("2026-03-09T23:59:59Z", ["Leeds"]),
     ("2026-03-10", ["Bath"]), ("2026", ["Bath"])],
)  # fmt: skip
def test_as_of_a_moment(moved, as_of, wanted):
    """What was so then; of a day, month or year its end."""
    assert values(moved, as_of=as_of) == wanted


def test_as_of_knows_nothing_of_what_came_later(moved):
    """The older fact was not yet ended then."""
    assert told(moved, as_of="2026-02") == [("Leeds", "current", None)]


def test_as_we_knew_it(plain, clock):
    """`known_at` goes by when we were told: what was deleted since stood then, what was told since did not."""
    clock.set("2026-05-01T00:00:00+00:00")
    plain.add(LEEDS, user="ana", at="2026-01-03")
    clock.set("2026-06-01T00:00:00+00:00")
    plain.add(BATH, user="ana", at="2026-03-10")
    clock.set("2026-07-01T00:00:00+00:00")
    plain.delete("leeds", user="ana")
    assert [values(plain, known_at=day) for day in ("2026-04-30", "2026-05-15", "2026-06-15")] == [
        [],
        ["Leeds"],
        ["Bath"],
    ]
    assert told(plain, known_at="2026-06-15") == [("Leeds", "superseded", "bath"), ("Bath", "current", None)]
    assert told(plain, known_at="2026-07-15") == [("Bath", "current", None)]
    assert values(plain, known_at="2026-06-15", as_of="2026-02") == ["Leeds"]


def test_what_is_for_now_runs_out(plain, clock):
    """A temporary state holds beside what it does not end, for a while."""
    clock.set("2026-03-02T10:00:00+00:00")
    plain.add(LEEDS, user="ana", at="2026-01-03")
    plain.add("I'm staying in Paris this week.", user="ana", at="2026-03-02")
    assert set(values(plain)) == {"Leeds", "Paris"}
    clock.set("2026-05-02T10:00:00+00:00")
    assert values(plain) == ["Leeds"]
    assert set(values(plain, as_of="2026-03-03")) == {"Leeds", "Paris"}


def test_a_plan_ends_nothing(plain):
    """What is planned stands beside what is so, and shows as planned."""
    plain.add(LEEDS, user="ana", at="2026-01-03")
    plain.add("I am moving to Bath next month.", user="ana", at="2026-02-03")
    assert [(fact.value, fact.standing, fact.current) for fact in plain.facts(user="ana")] == [
        ("Leeds", "current", True), ("Bath", "planned", False),
    ]  # fmt: skip


# -- add_fact


def test_a_fact_told_by_hand_is_a_memory(plain):
    """It has a card and a pointer, is found by its words, updated and deleted like any other."""
    receipt = plain.add_fact("Ana", "home", "Bath", user="u")
    assert [item.status for item in receipt.items] == ["stored"]
    card = plain.get(receipt.pointer, user="u")
    assert (card.kind, card.text, plain.expand(card.id).text) == ("fact", "Ana · home: Bath", "Ana · home: Bath")
    assert [hit.id for hit in plain.search("Bath", user="u")] == [card.id]
    plain.update(card.id, "Ana · home: York", user="u")
    assert [(fact.value, fact.made_by, fact.confidence) for fact in plain.facts("Ana", user="u")] == [
        ("York", "hand", 1.0)
    ]
    plain.delete(card.id, user="u")
    assert plain.facts("Ana", user="u", include_superseded=True) == []


def test_a_fact_told_by_hand_ends_what_it_contradicts(moved):
    """And the receipt says what; told twice it is known."""
    receipt = moved.add_fact("user", "home", "York", user="ana")
    assert [(item.status, item.pointer, item.reason) for item in receipt.items][1:] == [
        ("superseded", "bath", "user's home: Bath → York")
    ]
    again = moved.add_fact("user", "home", "York", user="ana")
    assert [(item.status, item.pointer) for item in again.items] == [("duplicate", receipt.pointer)]
    assert values(moved) == ["York"]


def test_a_fact_told_by_hand_can_come_back(plain):
    """Lead, then cook, then lead again: the same words once more are news; in each moment the right one holds."""
    for job in ("lead", "cook", "lead", "lead"):
        plain.add_fact("Ana", "job", job, user="ana")
    assert [(value, standing) for value, standing, _ in told(plain, "Ana")] == [
        ("lead", "superseded"), ("cook", "superseded"), ("lead", "current"),
    ]  # fmt: skip
    plain.delete(plain.facts("Ana", user="ana")[0].pointer, user="ana")
    assert values(plain, "Ana") == ["cook"]
    for start, home in (("2026-01-01", "Leeds"), ("2026-02-01", "Bath"), ("2026-01-01", "Leeds")):
        receipt = plain.add_fact("Ana", "home", home, valid_from=start, user="ana")
    assert [item.status for item in receipt.items] == ["duplicate"]  # of the same time as before
    assert values(plain, "Ana", "home") == ["Bath"]


def test_a_fact_told_by_hand_can_deny(plain):
    """polarity="-": what it denies no longer holds, and is not doubled."""
    plain.add("I like aniseed tea.", user="ana", at="2026-01-03")
    plain.add_fact("user", "likes", "aniseed tea", polarity="-", user="ana")
    (fact,) = plain.facts("user", user="ana")
    assert (fact.value, fact.polarity, fact.standing) == ("aniseed tea", "-", "current")


@pytest.mark.parametrize(
    ("bounds", "as_of", "holds"),
    [
        ({"valid_from": "2026-02-01"}, "2026-01-15", False),
        ({"valid_from": "2026-02-01"}, "2026-02-15", True),
        ({"valid_from": "2026-02-01", "valid_to": "2026-03-01"}, "2026-02-15", True),
        ({"valid_from": "2026-02-01", "valid_to": "2026-03-01"}, "2026-03-15", False),
        ({"valid_from": "2036-02-01"}, "2026-12-15", False),
        ({"valid_from": "2036-02-01"}, "2036-12-15", True),
    ],
)
def test_a_fact_told_by_hand_holds_in_its_interval(plain, bounds, as_of, holds):
    """From its beginning until before its end, whenever it was told."""
    plain.add_fact("Ana", "job", "cook", user="ana", **bounds)
    (fact,) = plain.facts("Ana", user="ana", include_superseded=True, as_of="2037")
    assert [parse_time(stamp) if stamp else None for stamp in (fact.valid_from, fact.valid_to)] == [
        parse_time(bounds[name]) if name in bounds else None for name in ("valid_from", "valid_to")
    ]
    assert bool(plain.facts("Ana", user="ana", as_of=as_of)) is holds


def test_facts_told_by_hand_of_earlier_times_fall_into_place(plain):
    """Told last, of a time before: it ends where the later one begins."""
    plain.add_fact("Ana", "home", "Bath", valid_from="2026-03-01", user="ana")
    plain.add_fact("Ana", "home", "Leeds", valid_from="2026-01-01", user="ana")
    assert values(plain, "Ana") == ["Bath"]
    assert values(plain, "Ana", as_of="2026-02") == ["Leeds"]
    assert told(plain, "Ana")[1][1] == "superseded"


def test_a_fact_told_by_hand_that_is_over(plain):
    """Only its end is known: it ends nothing that was said since, and nobody knows when it began."""
    plain.add("Ana lives in Leeds.", user="ana", at="2025-01-03")
    receipt = plain.add_fact("Ana", "home", "York", valid_to="2020-01-01", user="ana")
    assert [item.status for item in receipt.items] == ["stored"]
    assert values(plain, "Ana") == ["Leeds"]
    york = plain.facts("Ana", user="ana", include_superseded=True)[1]
    assert (york.value, york.standing, york.valid_from, york.valid_to) == (
        "York",
        "superseded",
        None,
        "2020-01-01T00:00:00+00:00",
    )


@pytest.mark.parametrize(
    ("parts", "options", "named"),
    [
        (("", "home", "Bath"), {}, "subject"),
        (("Ana", " ", "Bath"), {}, "slot"),
        (("Ana", "home", ""), {}, "value"),
        (("Ana", "home", 7), {}, "value"),
        (("Ana · Ben", "home", "Bath"), {}, "' · '"),
        (("Ana", "home: now", "Bath"), {}, "': '"),
        (("Ana", "home", "Bath (from 2026 to 2027)"), {}, "one line"),
        (("Ana", "home", "not: Bath"), {}, "one line"),
        (("Ana", "home", "Bath"), {"polarity": "no"}, "polarity"),
        (("Ana", "home", "Bath"), {"valid_from": "soon"}, "valid_from"),
        (("Ana", "home", "Bath"), {"valid_to": "soon"}, "valid_to"),
        (("Ana", "home", "Bath"), {"valid_from": "2026-02-01", "valid_to": "2026-02-01"}, "valid_to"),
    ],
)
def test_what_cannot_be_a_fact_is_refused(plain, parts, options, named):
    """An InvalidInput names the argument, and nothing is stored."""
    with pytest.raises(InvalidInput, match=named):
        plain.add_fact(*parts, user="ana", **options)
    assert plain.stats(user="ana").events == 0


def test_a_secret_told_as_a_fact_is_masked(plain):
    """As in any text: masked before it is stored, and the receipt says so."""
    (item,) = plain.add_fact("the mailbox", "password", "Xk9-pQ27-trout", user="ana").items
    (fact,) = plain.facts("the mailbox", user="ana")
    assert item.masked and "masked" in item.reason and fact.value.startswith("[redacted:")
    assert "trout" not in "".join(str(record) for record in plain.export())


@pytest.mark.parametrize("value", ["Bath (Somerset)", "3:15", "咖啡 (少糖)", "a: b", "tea, no milk", "x (from)", "–"])
def test_a_value_may_be_any_line(plain, value):
    """It reads back as it was told, with and without bounds."""
    for number, bounds in enumerate(({}, {"valid_from": "2026-01-01"}, {"valid_to": "2036-01-01"})):
        plain.add_fact(f"Thing {number}", "note", value, user="ana", **bounds)
    assert values(plain) == [value] * 3


@pytest.mark.parametrize("option", ["as_of", "known_at"])
def test_a_moment_that_cannot_be_read(plain, option):
    """An InvalidInput names it; nothing looks like an empty result."""
    with pytest.raises(InvalidInput, match=option):
        plain.facts(user="ana", **{option: "soon"})
    with pytest.raises(InvalidInput, match=option):
        plain.search("home", user="ana", **{option: "soon"})


# -- clarifications


def test_a_contradiction_is_a_question(plain):
    """Two values of what cannot change: asked once, the older first, until one is deleted."""
    plain.add("My birthday is July 8.", user="ana", at="2026-02-03")
    plain.add("My birthday is June 9.", user="ana", at="2026-01-03")
    (asked,) = plain.clarifications(user="ana")
    pointers = {card.text: card.pointer for card in plain.list(user="ana")}
    assert (asked.subject, asked.slot, asked.values) == ("user", "birthday", ("June 9", "July 8"))
    assert asked.pointers == (pointers["My birthday is June 9."], pointers["My birthday is July 8."])
    assert all(
        f"{value} [m:{pointer}]" in asked.question for value, pointer in zip(asked.values, asked.pointers, strict=True)
    )
    assert [fact.standing for fact in plain.facts(user="ana")] == ["conflicting", "conflicting"]
    plain.delete(asked.pointers[0], user="ana")
    assert plain.clarifications(user="ana") == []
    assert [fact.standing for fact in plain.facts(user="ana")] == ["current"]


def test_a_pair_is_asked_about_once(plain):
    """However often each of the two is said; a third value is a question of its own."""
    for day, born in enumerate(("June 9", "July 8", "June 9", "July 8"), 1):
        plain.add(f"My birthday is {born}, no. {day}.", user="ana", at=f"2026-01-0{day}")
    assert [set(asked.values) for asked in plain.clarifications(user="ana")] == [{"June 9", "July 8"}]


def test_every_value_is_asked_about_in_any_order_of_arrival(plain):
    """Three birthdays: none is left out, whichever was stored first."""
    for user, days in (("ana", (1, 2, 3)), ("ben", (3, 2, 1)), ("eva", (2, 3, 1))):
        for day in days:
            plain.add(f"My birthday is June {day}.", user=user, at=f"2026-01-0{day}")
        asked = plain.clarifications(user=user)
        assert {value for one in asked for value in one.values} == {"June 1", "June 2", "June 3"}
        assert [one.values for one in asked] == [one.values for one in plain.clarifications(user="ana")]


def test_a_month_is_no_doubt(plain):
    """ "May 3" is a day, not a "may"."""
    plain.add("My birthday is May 3.", user="ana")
    plain.add("Our wedding may be on May 3.", user="ben")
    assert [fact.modality for fact in plain.facts("user", "birthday", user="ana")] == ["asserted"]
    assert {fact.modality for fact in plain.facts(user="ben", include_superseded=True)} <= {"uncertain"}


def test_a_denial_settles_a_contradiction(plain):
    """One of the two is denied: no question, and the other is current."""
    plain.add_fact("Ana", "birthday", "June 9", valid_from="2026-01-01", user="u")
    plain.add_fact("Ana", "birthday", "July 8", valid_from="2026-01-02", user="u")
    assert len(plain.clarifications(user="u")) == 1
    plain.add_fact("Ana", "birthday", "June 9", polarity="-", user="u")
    assert plain.clarifications(user="u") == []
    assert [(f.value, f.polarity, f.standing) for f in plain.facts("Ana", user="u")] == [
        ("July 8", "+", "current"), ("June 9", "-", "current"),
    ]  # fmt: skip


def test_liking_what_one_is_allergic_to_is_a_question(plain):
    """In the words of each language; of another person it is none."""
    plain.add("I am allergic to almonds.", user="ana")
    plain.add("I like almonds.", user="ana")
    plain.add("Ben likes almonds.", user="ana")
    (asked,) = plain.clarifications(user="ana")
    assert asked.question.startswith("you are allergic to almonds [m:") and asked.slot == "allergy"
    plain.add("我对芒果过敏。", user="lin")
    plain.add("我喜欢芒果。", user="lin")
    assert "过敏，却又喜欢芒果" in plain.clarifications(user="lin")[0].question


# -- beside the rest


def test_facts_are_no_cards_of_their_own(moved):
    """What was said is there once: one card a message, nothing doubled in a context."""
    assert len(moved.list(user="ana")) == len(moved.messages(user="ana")) == 2
    context = moved.recall("Where do I live, in Leeds or Bath?", user="ana", budget=500)
    assert context.text.count("Bath") == 1
    assert [change.event for change in moved.history("leeds", user="ana")] == ["ADD"]


def test_search_names_what_overtook_a_memory(moved):
    """`superseded_by` is a pointer that leads somewhere; None where what a memory says still holds."""
    found = {hit.pointer: hit.superseded_by for hit in moved.search("Leeds Bath", user="ana", include_superseded=True)}
    assert found == {"leeds": "bath", "bath": None}


def test_event_times_are_those_of_the_text(plain):
    """Each time a memory speaks of, resolved against when it was said; an unknown pointer is NotFound."""
    pointer = plain.add("The visa was granted last Wednesday.", user="ana", at="2026-05-05").pointer
    (time,) = plain.event_times(pointer, user="ana")
    assert (time.text.lower(), time.start, time.precision) == ("last wednesday", "2026-04-29", "day")
    with pytest.raises(NotFound):
        plain.event_times("unheard", user="ana")


def test_the_verbs_are_the_same_awaited(tmp_path):
    """facts, add_fact, clarifications and event_times, bound to a scope too."""

    async def ask() -> list[Any]:
        async with await AsyncMemory.open(tmp_path / "a.db", embedder="none") as memory:
            me = memory.scope(user="ana")
            pointer = (await me.add_fact("Ana", "home", "Bath")).pointer
            return [await me.facts("Ana"), await me.clarifications(), await me.event_times(pointer)]

    facts, asked, times = asyncio.run(ask())
    assert ([fact.value for fact in facts], asked, times) == (["Bath"], [], ())


# -- said again

NUTS, NO_NUTS = "I am allergic to nuts.", "I am no longer allergic to nuts."


@pytest.mark.parametrize("order", [*permutations([(LEEDS, "01"), ("I live in Bath.", "02"), (LEEDS, "03")])])
def test_what_is_said_again_stands_at_each_time(plain, order):
    """In whatever order they come: the last saying decides what holds, and each moment has its own value."""
    for text, month in order:
        plain.add(text, user="ana", at=f"2026-{month}-01")
        values(plain, user="ana")  # what readers hold is brought up to date
    assert values(plain, "user", "home") == ["Leeds"]
    assert [values(plain, "user", "home", as_of=f"2026-{month}") for month in ("01", "02", "03")] == [
        ["Leeds"], ["Bath"], ["Leeds"],
    ]  # fmt: skip
    spans = {
        (f.value, f.valid_from[:7], (f.valid_to or "")[:7]) for f in plain.facts(user="ana", include_superseded=True)
    }
    assert spans >= {("Bath", "2026-02", "2026-03"), ("Leeds", "2026-03", "")}
    assert [card.text for card in plain.recall("Where do I live?", user="ana").cards] == [LEEDS]


@pytest.mark.parametrize("order", [*permutations([(NUTS, "01"), (NO_NUTS, "02"), (NUTS, "03")])])
def test_a_late_denial_does_not_end_what_was_said_after_it(plain, order):
    for text, month in order:
        plain.add(text, user="ana", at=f"2026-{month}-01")
    assert [(fact.value, fact.polarity) for fact in plain.facts(user="ana")] == [("nuts", "+")]


def test_a_late_earlier_saying_is_the_beginning(plain):
    """Said of March, then of January: it held in February, for recall too."""
    for month in ("03", "01"):
        plain.add(LEEDS, user="ana", at=f"2026-{month}-01")
    (fact,) = plain.facts(user="ana", as_of="2026-02-01")
    assert (fact.value, fact.valid_from) == ("Leeds", "2026-01-01T00:00:00+00:00")
    assert [card.text for card in plain.recall("Where do I live?", user="ana", as_of="2026-02-01").cards] == [LEEDS]
    assert values(plain, as_of="2025-12-01") == []


def test_a_repeat_that_its_source_takes_back_counts_no_more(plain):
    """Until that is undone."""
    plain.add("I live in York.", user="ana", at="2026-01-01")
    plain.add("I live in York.", user="ana", at="2026-03-01", source_id="one")
    plain.add("I live in Hull.", user="ana", at="2026-02-01")
    assert values(plain, "user", "home") == ["York"]
    plain.delete_source("one", user="ana")
    assert values(plain, "user", "home") == ["Hull"]
    plain.undo(user="ana")
    assert values(plain, "user", "home") == ["York"]


def test_a_repeat_that_is_forgotten_counts_no_more(plain):
    plain.add(LEEDS, user="ana", at="2026-01-01")
    event = plain.add(LEEDS, user="ana", at="2026-03-01").items[0].event_id
    plain.add("I live in Bath.", user="ana", at="2026-02-01")
    assert values(plain, "user", "home") == ["Leeds"]
    plain.forget(event, user="ana")
    assert values(plain, "user", "home") == ["Bath"]


def test_a_repeat_counts_from_when_it_was_told(open_memory, clock):
    """As we knew it before the repeat came."""
    plain = open_memory(embedder="none", clock=clock)
    plain.add(LEEDS, user="ana", at="2026-01-01")
    plain.add(LEEDS, user="ana", at="2025-11-01")
    plain.add("I live in Bath.", user="ana", at="2025-12-01")
    clock.set("2026-07-26T00:00:00+00:00")
    plain.add("I live in Bath.", user="ana", at="2025-12-15")
    plain.add(LEEDS, user="ana", at="2025-12-05")
    assert values(plain, "user", "home") == ["Leeds"]
    assert [values(plain, "user", "home", as_of="2025-12-06", known_at=at) for at in ("2026-07-25", None)] == [
        ["Bath"], ["Leeds"],
    ]  # fmt: skip


def test_repeats_travel_and_survive_an_update_and_its_undo(plain, open_memory):
    """An import says what the export said; an update states its own words alone, and its undo brings the sayings back."""
    for text, month in ((LEEDS, "01"), (LEEDS, "03"), ("I live in Bath.", "02")):
        plain.add(text, user="ana", at=f"2026-{month}-01")
    copy = open_memory("copy.db", embedder="none")
    copy.import_(plain.export())
    assert told(copy) == told(plain)
    leeds = next(card for card in plain.list(user="ana") if card.text == LEEDS)
    plain.update(leeds.id, "I live in Hull.", user="ana")
    assert values(plain, "user", "home") == ["Bath"]
    plain.undo(user="ana")
    assert values(plain, "user", "home") == ["Leeds"]
    assert plain.verify().ok


@pytest.mark.parametrize("sessions", [(), ("a", "b", "c")])
def test_what_holds_comes_before_all_that_it_overtook(plain, sessions):
    """Asked by a value that was so, then was not, and is again: the newest saying first, what lay between behind it."""
    for text, month in ((LEEDS, "01"), ("I live in Bath.", "02"), (LEEDS, "03")):
        where = {"session": sessions[int(month) - 1]} if sessions else {}
        plain.add(text, user="ana", at=f"2026-{month}-01", **where)
    found = plain.search("Leeds", user="ana")
    assert (found[0].text, found[0].superseded_by) == (LEEDS, None)
    assert all(hit.superseded_by and hit.score < found[0].score for hit in found[1:])


def test_a_moment_at_the_end_of_the_calendar(plain):
    plain.add(LEEDS, user="ana", at="2026-01-01")
    assert [values(plain, as_of=at) for at in ("9999-12-31", "9999-12", "9999")] == [["Leeds"]] * 3


@pytest.mark.parametrize("user", ["\u200b", "\x00", "\u202e", " \u200b\t"])
def test_an_id_that_cannot_be_seen_is_blank(plain, user):
    with pytest.raises(InvalidScope, match="user is blank"):
        plain.add(LEEDS, user=user)


@pytest.mark.parametrize(
    ("first", "second", "before", "after"),
    [
        ("I work at Arup.", "I accepted the Mott MacDonald offer. I start there on 10 March", "Arup", "Mott MacDonald"),
        ("I work at Arup.", "I'm starting at Mott MacDonald on 10 March.", "Arup", "Mott MacDonald"),
        ("I work at Arup.", "My first day at Mott MacDonald is 10 March.", "Arup", "Mott MacDonald"),
        ("我在腾讯上班。", "3月10号去华为报到。", "腾讯", "华为"),
        ("我在腾讯上班。", "我3月10号入职华为。", "腾讯", "华为"),
    ],
)
def test_a_new_workplace_holds_from_its_day_on(first: str, second: str, before: str, after: str) -> None:
    """Until then it is planned; then the one of before has ended."""
    with Memory.open(":memory:", embedder="none", background=False) as memory:
        memory.add(first, user="u", at="2026-03-01T08:00Z")
        memory.add(second, user="u", at="2026-03-02T08:00Z")
        told = [
            {(f.value, f.standing) for f in memory.facts("user", "workplace", user="u", as_of=f"2026-03-{day}")}
            for day in ("05", "20")
        ]
    assert told == [{(before, "current"), (after, "planned")}, {(after, "current")}]
