"""Relations are followed from one to the next: whose brother's wife, in questions and in `subject=`."""

from __future__ import annotations

from typing import Any

import pytest

from zeromem.recall.relations import _relation
from zeromem.rules import LANGUAGES, slots, table

EN = [
    "Ben ordered the mushroom risotto.",
    "Ben lives in York.",
    "Eva works at the library.",
    "Tom works at Acme.",
    "Ana ordered the soup.",
]
ZH = ["小李的弟弟叫小强。", "小强点了酸辣粉。", "小强的老婆叫小美。", "小美在银行上班。", "小李点了牛肉面。", "我姐姐叫小梅。", "我弟弟叫小刚。",
      "小梅住在苏州。", "小刚住在南京。"]  # fmt: skip
KIN = [("Ana", "sibling", "Ben"), ("Tom", "spouse", "Eva"), ("Ben", "spouse", "Tom")]


@pytest.fixture
def people(plain: Any) -> Any:
    for subject, slot, value in KIN:
        plain.add_fact(subject, slot, value, user="u")
    plain.add("My sister is called Mia. My brother is called Rob.", user="u")
    for day, text in enumerate([*EN, *ZH, "Mia lives in Ghent.", "Rob lives in Hull."], 1):
        plain.add(text, user="u", at=f"2026-01-{day:02d}")
    for i in range(20):
        plain.add(f"The kettle stands on shelf {i}. 水壶在第{i}层。", user="u")
    return plain


@pytest.mark.parametrize(
    ("asked", "answer", "not_first"),
    [
        ("What did Ana's brother order?", EN[0], EN[4]),
        ("Where does Ana's brother live?", EN[1], ""),
        ("Where does Tom's wife work?", EN[2], EN[3]),
        ("Where does Ana's brother's partner's wife work?", EN[2], EN[3]),
        ("小李的弟弟点了什么？", ZH[1], ZH[4]),
        ("小李的弟弟的老婆在哪上班？", ZH[3], ""),
        ("我姐姐住在哪里？", ZH[7], ZH[8]),
        ("我弟弟住在哪里？", ZH[8], ZH[7]),
        ("Where does my sister live?", "Mia lives in Ghent.", "Rob lives in Hull."),
        ("Where does my brother live?", "Rob lives in Hull.", "Mia lives in Ghent."),
    ],
)
def test_a_question_about_somebody_s_people_finds_them(people, asked, answer, not_first):
    """By their names, which the question does not say; before what the one said whose people they are."""
    found = [hit.text for hit in people.search(asked, user="u", k=5)]
    assert answer in found
    assert not_first not in found or found.index(answer) < found.index(not_first)
    assert answer in [card.text for card in people.recall(asked, user="u").cards]


@pytest.mark.parametrize(
    ("subject", "texts"),
    [
        ("Ana's brother", EN[1:2]),
        ("Ana’s brother's partner's wife", EN[2:3]),
        ("小李的弟弟", []),
        ("小李的弟弟的老婆", ZH[3:4]),
        ("my sister", ["Mia lives in Ghent."]),
        ("我姐姐", ZH[7:8]),
    ],
)
def test_a_subject_may_be_named_by_a_relation(people, subject, texts):
    """`subject=` keeps to what states a fact of whom it leads to."""
    found = {
        hit.text for hit in people.search("Where? 哪里？ work live order 住 上班", user="u", subject=subject, k=50)
    }
    assert {text for text in found if " · " not in text and "叫" not in text} == set(texts)


def test_what_leads_nowhere_is_nobody(people):
    """No brother is known of Tom; a sister is no brother; nothing is guessed, and nothing is ended by following."""
    before = [(fact.value, fact.standing) for fact in people.facts(user="u", include_superseded=True)]
    for subject in ("Tom's brother", "Zoe's brother", "my sister's husband", "小美的姐姐"):
        assert people.search("live work order", user="u", subject=subject) == []
    whom = next(
        r.detail["whom"]
        for r in people.recall("Where does Tom's brother live?", user="u").trace
        if r.stage == "understand"
    )
    assert whom == ["tom"]
    assert [(fact.value, fact.standing) for fact in people.facts(user="u", include_superseded=True)] == before


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_of_relations_are_those_of_slots(language):
    """Each names a slot whose values are people or animals, and tells one sex at most."""
    rules = table(language, "asks")
    assert [slot for slot in rules["relations"] if slot != "me" and not slots()[slot].get("person")] == []
    told = {word for slot, words in rules["relations"].items() if slot != "me" for word in words}
    assert {word for words in rules["sexes"].values() for word in words} <= told
    assert not set(rules["sexes"]["female"]) & set(rules["sexes"]["male"])
    assert _relation("我" if language == "zh" else "my") == "me"
