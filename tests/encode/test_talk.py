"""Who speaks in Chinese talk: what is asked, requested, pasted or advised there states nothing of the user."""

from __future__ import annotations

import pytest

from zeromem.encode.facts import extract


def told(text: str) -> list[str]:
    """Subject, slot, polarity and value of what is found."""
    return [f"{fact.subject} {fact.slot} {fact.polarity}{fact.value}" for fact in extract(text)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("我不吃辣，有什么推荐？", ["user diet -辣"]),
        ("有推荐的餐厅吗，我对虾过敏", ["user allergy +虾"]),
        ("我对什么过敏，你还记得吗", []),
        ("我住在杭州，对吧？", []),
        ("我是该搬去上海还是留在杭州？", []),
    ],
)
def test_a_question_asks_in_its_own_clause(text: str, wanted: list[str]) -> None:
    """What stands beside the question is stated; what the question is about is not."""
    assert told(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "帮我改作文：我家住在河边。我爱吃苹果。我妈妈是医生。",
        "翻译成英文：\n我对花生过敏。我住在杭州。",
        "我叫林知夏，住在上海。帮我把这段话润色一下",
        "助手：你可以说，我住在上海。我对虾过敏。\n助手：好的",
        "你当面试官，我应聘护士，开始吧",
    ],
)
def test_pasted_texts_speak_for_nobody(text: str) -> None:
    """To be corrected, translated, summed up, or played; or said by an assistant in a log."""
    assert told(text) == []


def test_the_user_of_a_log_speaks() -> None:
    """Only the assistant's turns are left out."""
    assert told("用户: 我住在杭州。\n助手: 我住在服务器里。\n用户: 我对虾过敏。") == [
        "user home +杭州",
        "user allergy +虾",
    ]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("我需要查询用户的数据，请帮我写个脚本", []),
        ("我得写一个报告，帮我列提纲", []),
        ("我周五得交报告，帮我列提纲", ["user todo +交报告"]),
        ("每天摄入1500卡路里，帮我做个食谱", []),
        ("我每天早上跑步，帮我做个食谱", ["user habit +每天早上跑步"]),
    ],
)
def test_the_task_at_hand_is_no_duty(text: str, wanted: list[str]) -> None:
    """Unless it has a day of its own, or is said of the user."""
    assert told(text) == wanted


def test_advice_without_a_subject_is_nobodys() -> None:
    """In a long text; a sentence that goes on about the user still speaks of them."""
    advice = "每天早上跑步半小时。" + "理财的第一步是记账，第二步是留出备用金，第三步才轮到投资。" * 12
    assert told(advice) == []
    assert told("我是护士。每天早上跑步半小时。" + advice[10:]) == ["user job +护士", "user habit +每天早上跑步半小时"]


def test_narrow_commas_part_clauses() -> None:
    """As people type them in chats; numbers keep theirs."""
    assert told("我住在杭州,对虾过敏") == ["user home +杭州", "user allergy +虾"]
    assert told("预算1,200元") == ["user budget +1,200元"]


@pytest.mark.parametrize("mended", ["我爸糖尿病，每天打胰岛素", "我妈身体不好，一直吃降压药"])
def test_a_relative_named_first_is_the_one_spoken_of(mended: str) -> None:
    """Whatever their predicate is, what follows is not said of the user."""
    assert not any(line.startswith("user") for line in told(mended))
