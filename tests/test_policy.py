"""What a memory weighs by its kind, its words and its use, and in which tier it then belongs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from zeromem.encode.unwanted import retracts, unwanted
from zeromem.errors import InvalidInput
from zeromem.kinds import route_of, routes
from zeromem.policy import DAY, Limits, place, route_for, weigh
from zeromem.ports import Usage
from zeromem.rules import LANGUAGES, kinds, presets, slots, table, weighing
from zeromem.settings import Settings
from zeromem.types import Card, Scope

TABLE = routes("assistant")
AT = "2026-01-01T00:00:00+00:00"
SAID = 1_767_225_600_000_000


def card(text: str, *, role: str = "user", kind: str = "message") -> Card:
    return Card("c1", "p", 1, Scope(user="ana"), kind, role, None, text, AT, AT, AT, None, {}, "rule", 9, row=1, born=1)


def strength(text: str, days: float, usage: Usage | None = None, **given: object) -> float:
    return weigh(card(text), (), TABLE, usage or Usage(1, 0, 0, SAID), SAID + int(days * DAY), **given)[0].strength  # type: ignore[arg-type]


@pytest.mark.parametrize("language", LANGUAGES)
def test_policy_words_match_their_examples(language: str) -> None:
    for key, entry in table(language, "policy").items():
        assert (key, [text for text in entry["yes"] if not weighing(key, "policy").search(text)]) == (key, [])
        assert (key, [text for text in entry["no"] if weighing(key, "policy").search(text)]) == (key, [])


def test_every_slot_of_the_route_table_is_there_and_the_last_row_takes_all() -> None:
    named = {slot for row in kinds().values() for slot in row.get("slots", ()) if slot != "*"}
    assert named - slots().keys() == set()
    assert TABLE[-1].name == "message"
    assert TABLE[-1].fits("whatever", "anybody", frozenset(), "")


@pytest.mark.parametrize(
    ("kind", "role", "text", "stated", "name"),
    [
        ("message", "user", "I am allergic to nuts.", ("allergy",), "safety"),
        ("message", "user", "以后都用公制单位回答", ("rule_always",), "rule"),
        ("message", "user", "The locker code is 4471", ("code",), "number"),
        ("message", "user", "I live in Bath and like tea", ("home", "likes"), "person"),
        ("message", "user", "The portal uses the gateway", ("uses the",), "fact"),
        ("message", "user", "Where is the key?", (), "question"),
        ("message", "user", "钥匙在哪里？", (), "question"),
        ("message", "user", "It rained.", (), "message"),
        ("message", "assistant", "I live in the cloud.", (), "answer"),
        ("tool", "tool", "search → 3", ("code",), "tool"),
        ("document", "user", "Port 22", ("identifier",), "document"),
        ("note", "user", "She took the flat", (), "note"),
        ("fact", "user", "Ana · job: cook", ("job",), "person"),
    ],
)
def test_the_first_row_that_fits_is_the_kind(
    kind: str, role: str, text: str, stated: tuple[str, ...], name: str
) -> None:
    assert route_for(kind, role, text, stated, TABLE).name == name


def test_importance_grows_by_what_the_text_asks_and_tells() -> None:
    """Asked to be kept, a number, an end, a feeling, a surprise, said again: each adds, none exceeds 1."""
    plain = weigh(card("We sat by the river."), (), TABLE, Usage(1, 0, 0, SAID), SAID)[0]
    assert (plain.kind, plain.importance, plain.why) == ("message", 0.35, ())
    for text, why in [
        ("Remember that we sat by the river.", "asked to be remembered"),
        ("记住我们坐在河边。", "asked to be remembered"),
        ("We sat by river 1205.", "bears a number"),
        ("The boiler is finally fixed.", "something was brought to an end"),
        ("锅炉终于修好了。", "something was brought to an end"),
        ("We won the race!!", "felt strongly"),
        ("气死我了", "felt strongly"),
    ]:
        weight = weigh(card(text), (), TABLE, Usage(1, 0, 0, SAID), SAID)[0]
        assert (text, why in weight.why, plain.importance < weight.importance <= 1) == (text, True, True)
    again = weigh(card("We sat by the river."), (), TABLE, Usage(3, 0, 0, SAID), SAID, surprising=True)[0]
    assert again.why == ("changed what was known", "said 3 times")
    assert again.importance == pytest.approx(1 - 0.65 * 0.7 * 0.75**2, abs=1e-3)


def test_strength_halves_in_its_half_life_and_use_makes_it_last() -> None:
    """A message halves in 30 days; two sayings double that, each use adds two half-lives, and what was used starts anew."""
    text = "We sat by the river."
    assert strength(text, 0) == 0.35
    assert strength(text, 30) == 0.175
    assert strength(text, 60, Usage(1, 4, 0, SAID)) == 0.175
    assert strength(text, 90, Usage(1, 0, 1, SAID)) == 0.175
    assert strength(text, 90, Usage(1, 0, 1, SAID + 90 * DAY)) == 0.35
    assert strength(text, -5) == 0.35
    assert strength(text, 9000, pinned=True) == 1.0
    assert strength(text, 0, outdated=True) == pytest.approx(0.35 / 4, abs=1e-3)
    assert strength("Remember this", 10**6) == 0.0


def test_places() -> None:
    """Short memories stay a week or until a thousand newer ones came; then the strong go to long, the weak to the archive."""
    limits = Limits(7, 3)
    plain, row = weigh(card("We sat by the river."), (), TABLE, Usage(1, 0, 0, SAID), SAID)
    weak = replace(plain, strength=0.19)
    once = Usage(1, 0, 0, SAID)
    assert place(plain, row, "short", once, 1, 0, limits) == ("short", "new")
    assert place(plain, row, "short", once, 8, 0, limits) == ("long", "past 7 days, and still strong (0.35)")
    assert place(weak, row, "short", once, 8, 0, limits) == ("archive", "past 7 days, and weak (0.19)")
    assert place(weak, row, "short", once, 1, 3, limits) == ("archive", "beyond the newest 3, and weak (0.19)")
    assert place(weak, row, "short", Usage(2, 0, 0, SAID), 1, 0, limits) == ("long", "said 2 times")
    assert place(weak, row, "short", Usage(1, 0, 1, SAID), 1, 0, limits) == ("long", "used by an answer")
    assert place(replace(weak, importance=0.8), row, "short", once, 1, 0, limits) == ("long", "important")
    assert place(weak, row, "long", once, 99, 0, limits) == ("long", "lasting")
    assert place(replace(weak, strength=0.09), row, "long", once, 99, 0, limits) == ("archive", "faded to 0.09")
    assert place(weak, row, "archive", once, 99, 0, limits) == ("archive", "rests")
    assert place(plain, replace(row, lifetime=30), "long", once, 31, 0, limits)[0] == "archive"
    assert place(plain, replace(row, lifetime=30), "archive", once, 31, 0, limits, pinned=True) == (
        "long",
        "pinned",
    )


@pytest.mark.parametrize(
    ("text", "whole"),
    [("Don't save that.", True), ("please don't remember this, thanks", True), ("这个不要记", True), ("别记下来，谢谢", True),
     ("My salary is 4000, don't remember this", False), ("我工资四千，别记下来。", False)],
)  # fmt: skip
def test_a_request_alone_means_what_was_said_before(text: str, whole: bool) -> None:
    assert (unwanted(text), retracts(text)) == (True, whole)


@pytest.mark.parametrize("name", presets())
def test_every_preset_can_be_opened(name: str) -> None:
    """Its settings are settings, its rows rows of the table; a caller's own value stands above it."""
    given = presets()[name].get("settings", {})
    settings = Settings(preset=name)
    assert {key: getattr(settings, key) for key in given} == given
    assert set(presets()[name].get("kinds", {})) <= {row.name for row in routes(name)}
    assert Settings(preset=name, window=77).window == 77
    assert Settings(preset=name, window=5).window == 5  # chosen, though it is the default
    assert replace(Settings(), preset=name).window == settings.window


def test_the_edge_preset_is_small() -> None:
    edge = Settings(preset="edge")
    assert (edge.window, edge.embedder, edge.background, edge.budget) == (3, "e5", False, 300)


@pytest.mark.parametrize(
    ("row", "words"),
    [({"tier": "top"}, "must be one of short, long"), ({"importance": 2}, "from 0 to 1"), ({"half_life": True}, "number"),
     ({"colour": 1}, "is no column"), ({"slots": "home"}, "list of names"), ({"pattern": "("}, "no regular expression")],
)  # fmt: skip
def test_a_bad_row_is_told(row: dict[str, object], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        route_of("mine", row)


def test_an_unknown_preset_is_told() -> None:
    with pytest.raises(InvalidInput, match=r"preset must be one of assistant, support, .*, not 'chatty'"):
        Settings(preset="chatty")
