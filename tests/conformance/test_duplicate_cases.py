"""Cases of the kind "duplicates": the same words said again are one card, different words never are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from zeromem import Memory


def test_c001_same_text_twice(mem: Memory) -> None:
    """The second add says "already known" and names the card of the first; one card is active."""
    a = mem.add("The parcel locker code is 4471.", user="ana")
    b = mem.add("The parcel locker code is 4471.", user="ana")
    assert [card.id for card in mem.list(user="ana")] == [a.id]
    assert [(item.status, item.id) for item in b.items] == [("duplicate", a.id)]
    assert b.items[0].reason.startswith("already known")
    assert "4471" in mem.get(str(a.id)).text


def test_c002_width_and_spaces_are_folded(mem: Memory) -> None:
    """Full-width digits and outer spaces make no second card; the search shows it once, first."""
    a = mem.add("快递柜密码是4471。", user="ana")
    mem.add(" 快递柜密码是４４７１。 ", user="ana")
    assert [card.id for card in mem.list(user="ana")] == [a.id]
    assert [hit.id for hit in mem.search("快递柜密码", user="ana", k=3)] == [a.id]


def test_c002_another_event_of_the_same_card(mem: Memory) -> None:
    """Both spellings stay byte for byte: one card, two events."""
    a = mem.add("快递柜密码是4471。", user="ana")
    mem.add(" 快递柜密码是４４７１。 ", user="ana")
    expanded = mem.expand(str(a.id))
    assert [event.text for event in expanded.events] == ["快递柜密码是4471。", " 快递柜密码是４４７１。 "]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("The locker code is 4471.", "The locker code is 4472."),
        ("I like tea.", "I don't like tea."),
        ("我喜欢开会。", "我不喜欢开会。"),
        ("Call Bo at 5", "Call bo at 5"),
        ("pay 5 EUR", "pay 5EUR"),
    ],
)
def test_c001_near_duplicates_stay_two(plain: Memory, one: str, two: str) -> None:
    """Another number, a negation, another case or word border is another card."""
    plain.add(one, user="ana")
    plain.add(two, user="ana")
    assert [card.text for card in plain.list(user="ana")] == [one, two]


def test_c001_same_words_of_another_speaker(plain: Memory) -> None:
    """What the assistant says is not a duplicate of what the user said."""
    plain.add(
        [{"role": "user", "content": "The gate is B4."}, {"role": "assistant", "content": "The gate is B4."}], user="u"
    )
    assert [card.role for card in plain.list(user="u")] == ["user", "assistant"]


def test_c001_again_after_a_delete_is_stored(plain: Memory) -> None:
    """A text added again after its card was deleted is stored anew."""
    first = plain.add("The parcel locker code is 4471.", user="ana")
    plain.delete(str(first.id))
    again = plain.add("The parcel locker code is 4471.", user="ana")
    assert [item.status for item in again.items] == ["stored"]
    assert [card.id for card in plain.list(user="ana")] == [again.id]


def test_c001_after_an_update(plain: Memory) -> None:
    """The old words of a changed card are no duplicate any more, the new ones are."""
    first = plain.add("gate code 1111", user="ana")
    plain.update(str(first.id), "gate code 2222")
    assert plain.add("gate code 2222", user="ana").id == first.id
    assert plain.add("gate code 1111", user="ana").id != first.id


def test_c004_one_fact_said_three_ways(with_chat: Callable[..., Any]) -> None:
    """Three wordings of one extracted fact make at most one card, and the result names what was dropped."""
    mem = with_chat('{"memory":[{"text":"轮询间隔改为2秒"},{"text":"轮询间隔改成2秒"},{"text":"轮询间隔已改为2秒。"}]}')
    mem.add("我把轮询间隔改成2秒了", user="ana")
    report = mem.maintain(user="ana")
    assert len([card for card in mem.list(user="ana") if "2秒" in card.text]) == 1
    assert [item.status for item in report.items].count("duplicate") >= 2


@pytest.mark.xfail(strict=True, raises=AttributeError, reason="waits for entities")
def test_c005_same_acronym_is_one_entity(plain: Memory) -> None:
    """The same exact name is one entity, however different the sentences around it are."""
    a = plain.add("DQRA approved the budget.", user="ana")
    b = plain.add("DQRA moved to floor 3.", user="ana")
    named = [entity for entity in plain.entities(user="ana") if entity.name == "DQRA"]
    assert len(named) == 1
    assert set(named[0].cards) == {a.id, b.id}


@pytest.mark.xfail(strict=True, raises=AttributeError, reason="waits for entities")
def test_c006_shared_prefix_stays_two_entities(mem: Memory) -> None:
    """Marc and Marcella are two."""
    mem.add("Ana reports to Marc.", user="ana")
    mem.add("Marcella runs payroll.", user="ana")
    assert {"Marc", "Marcella"} <= {entity.name for entity in mem.entities(user="ana")}


def test_c006_shared_prefix_does_not_answer(mem: Memory) -> None:
    """The question about Ana's manager finds Marc, not Marcella."""
    mem.add("Ana reports to Marc.", user="ana")
    mem.add("Marcella runs payroll.", user="ana")
    assert [hit.text for hit in mem.search("who is Ana's manager", user="ana", k=1)] == ["Ana reports to Marc."]
