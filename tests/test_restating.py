"""What an assistant only says again gets no card: it would compete with what it repeats, and outlive it."""

from __future__ import annotations

import pytest

from zeromem.restating import echoed
from zeromem.rules import LANGUAGES, table


@pytest.mark.parametrize("language", LANGUAGES)
def test_examples_of_echoes(language):
    """Every example of the tables comes to what it says."""
    examples = table(language, "echoes")["examples"]
    assert {text: echoed(text) for text in examples} == examples


def said(text: str, name: str = "") -> dict[str, str]:
    return {"role": "assistant", "content": text, **({"name": name} if name else {})}


AGAIN = [
    ("I live in Bath.", "Noted: you live in Bath."),
    ("I moved to Bath.", "Got it, you live in Bath. I'll keep that in mind."),
    ("I am allergic to peanuts.", "Understood, you're allergic to peanuts."),
    ("The gate code is 4471.", "Noted: the gate code is 4471."),
    ("My sister is called Mia. I live in Bath.", "OK! Your sister is called Mia, and you live in Bath."),
    ("我住在杭州。", "好的，我记下了：你住在杭州。"),
    ("我搬到杭州了。", "好的，你住在杭州。我会记住的。"),
    ("我对花生过敏。", "明白，您对花生过敏。"),
    ("门禁密码是4471。", "收到：门禁密码是4471。"),
]
NEW = [
    ("I live in Bath.", "Noted: you live in Leeds."),
    ("I live in Bath.", "You don't live in Bath."),
    ("I live in Bath.", "You live in Bath. The Pump Room there serves tea."),
    ("I live in Bath.", "You live in Bath, so I suggest the Pump Room."),
    ("I live in Bath.", "Do you live in Bath?"),
    ("I live in Bath.", "You live in Bath since 2019."),
    ("I live in Bath.", "You live in Bath with Ana."),
    ("Ana lives in Bath.", "You live in Bath."),
    ("The gate code is 4471.", "Noted: the gate code is 4472."),
    ("I live in Bath.", "I live in Bath."),
    ("The gate code is 4471.", "The gate code is 4471."),
    ("我住在杭州。", "好的，我记下了：你住在苏州。"),
    ("我住在杭州。", "你住在杭州，附近的西湖很漂亮。"),
    ("小李住在杭州。", "你住在杭州。"),
    ("门禁密码是4471。", "收到：门禁密码是4472。"),
]


@pytest.mark.parametrize(("told", "again"), AGAIN)
def test_what_is_only_said_again_makes_no_card(plain, told, again):
    """In the same add or later, of whatever session; the event is kept, and the receipt names what it restates."""
    receipt = plain.add([{"role": "user", "content": told}, said(again)], user="u", session="a")
    pointer = plain.list(user="u")[0].pointer
    assert [(item.status, item.reason) for item in receipt.items[-1:]] == [("ignored", f"restates [m:{pointer}]")]
    later = plain.add(said(again), user="u", session="b").items
    assert [(item.status, item.reason, item.id) for item in later] == [("ignored", f"restates [m:{pointer}]", None)]
    assert [card.text for card in plain.list(user="u")] == [told]
    assert [event.text for event in plain.messages(user="u")] == [told, again, again]
    assert plain.verify().ok


@pytest.mark.parametrize(("told", "other"), NEW)
def test_what_says_more_is_a_card(plain, told, other):
    """Another value, its denial, a remark, a question, a number or a name beside it, another's fact, the assistant's own words."""
    plain.add([{"role": "user", "content": told}, said(other)], user="u")
    assert other in [card.text for card in plain.list(user="u")]


def test_what_nobody_said_is_a_card(plain):
    """An assistant may know it from elsewhere; another user's words are no reason."""
    plain.add("I live in Bath.", user="other")
    plain.add(said("Noted: you live in Bath."), user="u")
    assert [card.text for card in plain.list(user="u")] == ["Noted: you live in Bath."]


def test_a_named_user_is_restated_too(plain):
    """ "you" is whoever speaks as the user."""
    plain.add({"role": "user", "name": "Ana", "content": "I live in Bath."}, user="u")
    assert plain.add(said("Noted: you live in Bath."), user="u").items[0].status == "ignored"


def test_a_restatement_does_not_outlive_what_it_repeats(plain):
    """The user moves: nothing still says the old home as if it held."""
    plain.add(
        [{"role": "user", "content": "I live in Leeds."}, said("Noted: you live in Leeds.")], user="u", at="2026-01-01"
    )
    plain.add("I moved to Bath.", user="u", at="2026-02-01")
    assert [card.text for card in plain.recall("Where do I live?", user="u", budget=500).cards] == ["I moved to Bath."]


def test_a_source_that_is_added_again_stays_as_it_is(plain):
    """An echo in it does not become a card the second time, nor where the source is replaced."""
    talk = [{"role": "user", "content": "I live in Bath."}, said("Noted: you live in Bath.")]
    for mode in ("append", "append", "replace"):
        plain.add(talk, user="u", source_id="s", mode=mode)
        assert [card.text for card in plain.list(user="u")] == ["I live in Bath."]
