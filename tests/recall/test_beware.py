"""Allergies travel: with every shown card that names the thing, and with a question that does."""

from __future__ import annotations

from typing import Any

import pytest

from zeromem.recall.beware import thing
from zeromem.rules import kin
from zeromem.text.tokens import count

SHELVES = [f"The kettle stands on shelf {i}." for i in range(20)] + [f"水壶在第{i}层架子上。" for i in range(20)]


def shown(memory: Any, *texts: str, asked: str, **options: Any) -> list[str]:
    """What a recall shows, oldest first, of a memory that was told these texts and much else."""
    for day, text in enumerate([texts[0], *SHELVES, *texts[1:]]):
        memory.add(text, user="u", at=f"2026-{day // 28 + 1:02d}-{day % 28 + 1:02d}")
    context = memory.recall(asked, user="u", **options)
    assert context.tokens == count(context.text) if context.text else context.tokens == 0
    return [card.text for card in sorted(context.cards, key=lambda card: card.at)]


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("I'm allergic to shellfish.", "Book me a seafood dinner for two."),
        ("I'm allergic to shellfish.", "帮我订一家海鲜餐厅。"),
        ("I don't eat pork.", "红烧肉怎么做好吃？"),
        ("I'm vegan.", "Order me a cheese plate."),
        ("I'm a vegetarian.", "Find a good steakhouse."),
        ("I have celiac disease.", "Which pasta should I cook tonight?"),
        ("我吃素。", "推荐一家烤鸭店。"),
        ("我有糖尿病。", "给我点一杯奶茶。"),
    ],
)
def test_ways_of_eating_and_illnesses_warn_of_what_they_leave_out(plain, told, asked):
    """Diets and illnesses bar things by themselves; a dish names what it is made of, in either language."""
    assert shown(plain, told, asked=asked) == [told]


@pytest.mark.parametrize(
    ("allergy", "card", "asked"),
    [
        ("I am allergic to peanuts.", "My usual at the Lotus is peanut noodles.", "What is my usual at the Lotus?"),
        ("I have a nut allergy.", "My usual at the Lotus is walnut cake.", "What is my usual at the Lotus?"),
        ("I'm lactose intolerant.", "My usual at the Lotus is a cheese toast.", "What is my usual at the Lotus?"),
        ("I don't eat pork.", "My usual at the Lotus is a bacon roll.", "What is my usual at the Lotus?"),
        ("Tom is allergic to eggs.", "Tom liked the omelette at Lou's.", "What did Tom like at Lou's?"),
        ("我对花生过敏。", "我早餐常吃花生酱面包。", "我早餐常吃什么？"),
        ("我对海鲜过敏。", "上次我在老渔港点了虾饺。", "上次我在老渔港点了什么？"),
        ("小李对芒果过敏。", "小李上次点了芒果布丁。", "小李上次点了什么？"),
        ("医生说我不能吃柚子。", "我在早餐店常喝蜂蜜柚子茶。", "我在早餐店常喝什么？"),
        ("I am allergic to peanuts.", "我早餐常吃花生酱面包。", "我早餐常吃什么？"),
    ],
)
def test_an_allergy_travels_with_a_card_that_names_the_thing(plain, allergy, card, asked):
    """Of the one who asks, or of whom the question is about, though the question names it not."""
    assert shown(plain, allergy, card, asked=asked) == [allergy, card]


@pytest.mark.parametrize(
    ("allergy", "asked"),
    [
        ("I am allergic to peanuts.", "order satay with peanut sauce"),
        ("I am allergic to peanuts.", "please order satay"),
        ("I cannot stand jazz. I am allergic to penicillin.", "Is amoxicillin a good choice?"),
        ("我对花生过敏。", "帮我点一份花生酱沙爹"),
        ("我对虾过敏。", "帮我订一份鲜虾云吞面"),
    ],
)
def test_a_question_that_names_the_thing_is_answered_with_the_allergy(plain, allergy, asked):
    """Alone, where the gate would have been silent; the trace says why."""
    assert shown(plain, allergy, asked=asked) == [allergy]
    trace = plain.recall(asked, user="u").trace
    (why,) = next(record.detail["beside"] for record in trace if record.stage == "select").values()
    assert why.endswith("named in the question")


@pytest.mark.parametrize(
    ("allergy", "card", "asked"),
    [
        ("I am allergic to peanuts.", "My usual at the Lotus is plain rice.", "What is my usual at the Lotus?"),
        ("Tom is allergic to peanuts.", "My usual at the Lotus is peanut noodles.", "What is my usual at the Lotus?"),
        ("I am not allergic to peanuts.", "My usual at the Lotus is peanut noodles.", "What is my usual at the Lotus?"),
        ("我对牛奶过敏。", "我奶奶住在杭州。", "我奶奶住在哪里？"),
        ("我有乳糜泻。", "我的面包车停在三层。", "我的面包车停在哪里？"),
        ("I eat gluten-free.", "The free tickets are in the drawer.", "Where are the free tickets?"),
    ],
)
def test_an_allergy_stays_away_where_nothing_names_it(plain, allergy, card, asked):
    """Another thing, another person, no allergy at all."""
    assert shown(plain, allergy, card, asked=asked) == [card]


def test_an_allergy_that_is_over_stays_away(plain):
    """It was denied since."""
    texts = (
        "I am allergic to peanuts.",
        "I am not allergic to peanuts any more.",
        "My usual at the Lotus is peanut noodles.",
    )
    assert texts[0] not in shown(plain, *texts, asked="What is my usual at the Lotus?")


def test_an_allergy_comes_before_what_it_warns_of(plain):
    """Where the budget, or `most`, holds one of the two; never more than either allows."""
    texts = ("I am allergic to peanuts.", "My usual at the Lotus is peanut noodles.")
    asked = "What is my usual at the Lotus?"
    assert shown(plain, *texts, asked=asked, most=1) == [texts[0]]
    for budget in range(0, 80, 4):
        context = plain.recall(asked, user="u", budget=budget)
        assert context.tokens == (count(context.text) if context.text else 0) <= budget
        assert len(context.cards) < 2 or {card.text for card in context.cards} == set(texts)


def test_a_long_card_keeps_the_words_of_the_allergy(plain):
    """Shortened, it still says what it came for."""
    long = " ".join(f"On day {i} the weather was mild and grey." for i in range(60))
    plain.add(f"{long} I am allergic to peanuts. {long}", user="u")
    plain.add("My usual at the Lotus is peanut noodles.", user="u")
    context = plain.recall("What is my usual at the Lotus?", user="u", budget=150)
    assert "allergic to peanuts" in context.text and context.tokens == count(context.text) <= 150


def test_what_filters_leave_out_stays_out(plain):
    """A wall is a wall: another user's allergy, and one that `after` excludes."""
    plain.add("I am allergic to peanuts.", user="other")
    assert shown(plain, "I am allergic to nuts.", asked="order peanut noodles", after="2026-06-01") == []


def test_liking_what_one_is_allergic_to_keeps_both(plain):
    """Neither ends the other; the question about the one shows both, and it is asked which is right."""
    texts = ("I am allergic to peanuts.", "I love peanut butter.")
    assert shown(plain, *texts, asked="What do I love?") == list(texts)
    assert [fact.standing for fact in plain.facts(user="u") if fact.slot in ("allergy", "likes")] == ["current"] * 2
    (asked,) = plain.clarifications(user="u")
    assert asked.values == ("peanuts", "peanut butter")


def test_the_table_of_kin_names_things_by_themselves():
    """Every name of a thing, in whichever language, means all that it is in."""
    for entry in (*kin()["things"].values(), *kin()["ways"].values()):
        for name in entry["is"]:
            assert [word for word in (*entry["is"], *entry.get("in", ())) if not thing(name).named_in(word)] == []
    assert not thing("cat hair").named_in("My hair is long.")
    assert thing("white mulberry").named_in("a mulberry pie")
