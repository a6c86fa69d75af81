"""The rules of `route.standings`: which facts of one subject and matter still hold, from the facts alone, whatever order they came in."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeromem.clock import micros
from zeromem.facts import HAND, Claim, FactRow
from zeromem.route import about, alike, filed, grouped, sense, standings

DAY = 86_400_000_000
START = datetime(2026, 1, 1, tzinfo=UTC)


def fact(id_: int, slot: str, value: str, *, day: int | None = None, subject: str = "user", **more: object) -> FactRow:
    """A fact as the store holds it, said on its day (the day of its id, where none is told) by a card of its own."""
    given = {name: more.pop(name) for name in ("polarity", "modality", "change", "single", "rule") if name in more}
    row = filed(Claim(subject, slot, value, **given), None, START, ".")
    return replace(row, **{"id": id_, "row": id_, "at": micros(START) + DAY * (id_ if day is None else day), **more})


def stand(*facts: FactRow) -> list[str]:
    """How each stands, in the order given; facts of other subjects and matters beside them."""
    held = {id_: how.standing for some in grouped(facts).values() for id_, how in standings(some).items()}
    return [held[one.id] for one in facts]


HOME, LIKES, BORN = "home", "likes", "birthday"
PAST = {"modality": "past"}
PLANNED = {"modality": "planned"}
NOW = {"modality": "temporary"}
NOT = {"polarity": "-"}


@pytest.mark.parametrize(
    ("older", "newer", "wanted"),
    [
        # a slot of one value
        ((HOME, "Leeds", {}), (HOME, "Bath", {}), ("superseded", "current")),
        ((HOME, "Leeds", {}), (HOME, "Leeds", {}), ("current", "current")),
        ((HOME, "Leeds", {}), (HOME, "Leeds, UK", {}), ("current", "current")),
        ((HOME, "Leeds, UK", {}), (HOME, "Leeds", {}), ("current", "current")),
        # a number is never a part of another
        (("price", "40 euros", {}), ("price", "40 50 euros", {}), ("superseded", "current")),
        (("room", "12", {}), ("room", "12 B", {}), ("superseded", "current")),
        # a slot of many values
        ((LIKES, "tea", {}), (LIKES, "coffee", {}), ("current", "current")),
        (("pet", "cat", {}), ("pet", "dog", {"change": True}), ("current", "current")),
        # other slots
        ((HOME, "Leeds", {}), ("hometown", "Bath", {}), ("current", "current")),
        # denials
        ((LIKES, "tea", {}), (LIKES, "tea", NOT), ("superseded", "current")),
        ((LIKES, "tea", NOT), (LIKES, "tea", {}), ("superseded", "current")),
        ((LIKES, "tea", {}), ("dislikes", "tea", {}), ("superseded", "current")),
        ((LIKES, "tea", {}), ("dislikes", "coffee", {}), ("current", "current")),
        (("dislikes", "tea", {}), ("dislikes", "tea", NOT), ("superseded", "current")),
        ((HOME, "Leeds", {}), (HOME, "Leeds", NOT), ("superseded", "current")),
        ((HOME, "Leeds", {}), (HOME, "Bath", NOT), ("current", "current")),
        ((HOME, "Leeds", NOT), (HOME, "Bath", {}), ("current", "current")),
        # what was
        ((HOME, "Leeds", {}), (HOME, "Leeds", PAST), ("superseded", "past")),
        ((HOME, "Leeds", {}), (HOME, "Bath", PAST), ("current", "past")),
        ((HOME, "Leeds", PAST), (HOME, "Bath", {}), ("past", "current")),
        ((HOME, "Leeds", PAST), (HOME, "Leeds", {}), ("past", "current")),
        # what is to be
        ((HOME, "Leeds", {}), (HOME, "Bath", PLANNED), ("current", "planned")),
        ((HOME, "Bath", PLANNED), (HOME, "Bath", {}), ("superseded", "current")),
        ((HOME, "Bath", PLANNED), (HOME, "York", {"change": True}), ("superseded", "current")),
        ((HOME, "Bath", PLANNED), (HOME, "Leeds", {}), ("planned", "current")),
        ((HOME, "Bath", PLANNED), (HOME, "York", PLANNED), ("superseded", "planned")),
        (("plan", "Rome", PLANNED), ("plan", "Oslo", PLANNED), ("planned", "planned")),
        # what is for the time being, possible or conditional
        (("location", "Leeds", {}), ("location", "Bath", NOW), ("current", "temporary")),
        (("location", "Leeds", NOW), ("location", "Bath", NOW), ("superseded", "temporary")),
        (("location", "Leeds", NOW), ("location", "Bath", {}), ("temporary", "current")),
        ((HOME, "Leeds", {}), (HOME, "Bath", {"modality": "conditional"}), ("current", "conditional")),
        ((HOME, "Leeds", {}), (HOME, "Bath", {"modality": "uncertain"}), ("current", "uncertain")),
        ((HOME, "Leeds", {"modality": "uncertain"}), (HOME, "Bath", {}), ("uncertain", "current")),
        # what cannot change
        ((BORN, "June 9", {}), (BORN, "July 8", {}), ("conflicting", "conflicting")),
        ((BORN, "June 9", {}), (BORN, "June 9", {}), ("current", "current")),
        ((BORN, "June 9", {}), (BORN, "July 8", {"change": True}), ("superseded", "current")),
        ((BORN, "June 9", {}), (BORN, "June 9", NOT), ("superseded", "current")),
        # a slot of the caller's own holds many values, unless its wording implies one
        (("mascot", "owl", {}), ("mascot", "fox", {}), ("current", "current")),
        (("mascot", "owl", {"single": True}), ("mascot", "fox", {"single": True}), ("superseded", "current")),
    ],
)  # fmt: skip
def test_what_a_newer_fact_makes_of_an_older_one(older, newer, wanted):
    """Two facts of one subject, a day apart."""
    pair = [fact(number, slot, value, **more) for number, (slot, value, more) in enumerate((older, newer), 1)]
    assert tuple(stand(*pair)) == wanted


def test_subjects_are_apart():
    """What is said of Ana ends nothing of Ben; "the office" and "our offices" are one."""
    assert stand(fact(1, HOME, "Leeds", subject="Ana"), fact(2, HOME, "Bath", subject="Ben")) == ["current", "current"]
    assert stand(fact(1, HOME, "Leeds", subject="the office"), fact(2, HOME, "Bath", subject="our offices")) == [
        "superseded",
        "current",
    ]


def test_each_is_ended_by_the_next():
    """`by` names the fact that ended it, not the last one."""
    facts = [fact(1, HOME, "Leeds"), fact(2, HOME, "Bath"), fact(3, HOME, "York")]
    assert [(how.standing, how.by) for how in standings(facts).values()] == [
        ("superseded", 2), ("superseded", 3), ("current", None),
    ]  # fmt: skip


def test_without_the_newer_one_the_older_holds():
    """Standing is a view of the facts that are there."""
    leeds, bath, york = fact(1, HOME, "Leeds"), fact(2, HOME, "Bath"), fact(3, HOME, "York")
    assert stand(leeds, york) == ["superseded", "current"]
    assert stand(leeds, bath) == ["superseded", "current"]
    assert stand(leeds) == ["current"]


def test_back_to_what_it_was():
    """A value that came back holds; the first telling of it stays overtaken."""
    assert stand(fact(1, HOME, "Leeds"), fact(2, HOME, "Bath"), fact(3, HOME, "Leeds")) == [
        "superseded",
        "superseded",
        "current",
    ]


def test_of_one_message_the_denial_comes_first():
    """ "Bath, not Leeds": whatever stands first in the sentence."""
    both = [fact(1, HOME, "Bath", row=7, day=1), fact(2, HOME, "Leeds", polarity="-", row=7, day=1)]
    assert stand(fact(3, HOME, "Leeds", day=0), *both) == ["superseded", "current", "current"]


def test_a_contradiction_names_both():
    """Each of two values of what cannot change points at the other."""
    assert [(how.standing, how.by) for how in standings([fact(1, BORN, "June 9"), fact(2, BORN, "July 8")]).values()] == [
        ("conflicting", 2), ("conflicting", 1),
    ]  # fmt: skip


def test_a_denial_settles_a_contradiction():
    """One of two birthdays is denied: the other is current again."""
    facts = [fact(1, BORN, "June 9"), fact(2, BORN, "July 8"), fact(3, BORN, "June 9", polarity="-")]
    assert stand(*facts) == ["superseded", "current", "current"]


def test_a_third_telling_leaves_a_contradiction_one():
    """Saying one of two birthdays again settles nothing; the pair is asked about once more."""
    facts = [fact(1, BORN, "June 9"), fact(2, BORN, "July 8"), fact(3, BORN, "June 9")]
    assert set(stand(*facts)) == {"conflicting"}


def test_a_fact_told_by_hand_is_weighed_from_when_it_began():
    """Told last, but of an earlier time: it ends nothing that was said since."""
    old = fact(9, HOME, "York", rule=HAND, valid_from=micros(START) + DAY)
    assert stand(fact(2, HOME, "Leeds"), old) == ["current", "superseded"]
    assert stand(fact(2, HOME, "Leeds"), replace(old, valid_from=micros(START) + 3 * DAY)) == ["superseded", "current"]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("the blue house", "Blue House", True), ("Leeds", "Leeds, UK", True), ("Leeds", "Leicester", False),
        ("3 %", "4 %", False), ("12", "12 B", False), ("杭州", "杭州", True), ("杭州", "上海", False),
    ],
)  # fmt: skip
def test_values_that_are_alike(one, other, same):
    """Wording and order do not matter; more words of a place do not either; numbers do."""
    assert alike(fact(1, HOME, one), fact(2, HOME, other)) is alike(fact(1, HOME, other), fact(2, HOME, one)) is same


def test_folding():
    """Subjects without article and plural, values by their words, the user by name where there is one."""
    assert about("the billing service") == about("Billing Services")
    assert about("user", "Ana") == about("Ana") != about("user")
    assert sense("a green tea") == sense("Tea, green")
    assert sense("the") and about("的")  # nothing is folded to nothing


@pytest.mark.parametrize(
    ("when", "modality", "start"),
    [
        ("in June", "planned", "2026-06-01"), ("in June", "past", "2025-06-01"), ("on Friday", "planned", "2026-03-20"),
        ("5号", "planned", "2026-04-05"), ("in June 2025", "planned", "2025-06-01"), ("六月", "planned", "2026-06-01"),
        ("in March", "planned", "2026-03-01"), ("tomorrow", "planned", "2026-03-19"),
    ],
)  # fmt: skip
def test_the_time_of_a_plan_is_to_come(when, modality, start):
    """Said on 18 March 2026: a month or day without its year is the next one, of what was the last."""
    row = filed(
        Claim("user", "home", "York", modality=modality, when=when), None, datetime(2026, 3, 18, 9, tzinfo=UTC), "."
    )
    assert row.valid_from == micros(datetime.fromisoformat(f"{start}T00:00:00+00:00"))


SLOTS = st.sampled_from([HOME, LIKES, "dislikes", BORN, "location", "plan"])
VALUES = st.sampled_from(["Leeds", "Bath", "Leeds, UK", "9", "tea"])
MODALITY = st.sampled_from(
    ["asserted", "asserted", "asserted", "planned", "past", "temporary", "conditional", "uncertain"]
)
TOLD = st.lists(
    st.tuples(SLOTS, VALUES, MODALITY, st.sampled_from("+-"), st.booleans(), st.booleans()), min_size=1, max_size=9
)


@given(told=TOLD, data=st.data())
def test_the_order_of_arrival_does_not_matter(told, data):
    """The same dated facts give the same standings, in whatever order they were stored."""
    days = data.draw(st.permutations(range(len(told))))
    order = data.draw(st.permutations(range(len(told))))

    def stored(ids: list[int]) -> dict[int, tuple[str, int | None]]:
        facts = [
            fact(ids[i], slot, value, day=days[i], modality=modality, polarity=polarity, change=change,
                 rule=HAND if hand else "rule", valid_from=micros(START) + DAY * days[i] if hand else None)
            for i, (slot, value, modality, polarity, change, hand) in enumerate(told)
        ]  # fmt: skip
        facts.sort(key=lambda one: one.id)
        back = {id_: i for i, id_ in enumerate(ids)}
        return {
            back[id_]: (how.standing, None if how.by is None else back[how.by])
            for some in grouped(facts).values()
            for id_, how in standings(some).items()
        }

    assert stored(list(range(len(told)))) == stored(list(order))


@given(told=TOLD)
def test_something_is_always_left(told):
    """Where anything was asserted of a matter, its newest statement is not superseded, and nothing is ended by an older one."""
    facts = [
        fact(i, slot, value, modality=modality, polarity=polarity, change=change)
        for i, (slot, value, modality, polarity, change, _) in enumerate(told, 1)
    ]
    for some in grouped(facts).values():
        held = standings(some)
        assert held[max(held)].standing != "superseded"
        assert all(how.by > id_ for id_, how in held.items() if how.standing == "superseded" and how.by)
