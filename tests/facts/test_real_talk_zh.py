"""Chinese as people write it in notes and messages: whom a pronoun means, and what ends what. All sentences are invented."""

from __future__ import annotations

import pytest

from zeromem import Memory
from zeromem.encode.facts import extract


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("我妹妹是兽医。她住在成都。", {("妹妹", "job", "兽医"), ("妹妹", "home", "成都")}),
        ("攻略是给我表妹准备的，她22岁，也爱拍照。", {("表妹", "age", "22岁"), ("表妹", "likes", "拍照")}),
        ("我刚和父亲聊了聊家里的钱。他住在洛阳。", {("父亲", "home", "洛阳")}),
        ("我最近在给爸妈挑体检套餐。他们都在太原。", {("爸妈", "location", "太原")}),
        ("我和妹妹去见了李总，她对海鲜过敏。", set()),  # either may be meant
        ("我和妈妈还有姐姐吃了饭，她住在成都。", set()),
        ("我爸的同事来了，他住在苏州。", set()),
        ("我和爸爸去钓鱼，她不喜欢。", set()),  # the pronoun does not fit
    ],
)
def test_a_pronoun_means_the_one_of_the_kin_that_was_mentioned(text: str, wanted: set[tuple[str, str, str]]) -> None:
    """Only where one of them fits it, and nobody else is spoken of."""
    assert {(fact.subject, fact.slot, fact.value) for fact in extract(text)} == wanted


@pytest.mark.parametrize(
    "text",
    [
        "我刚从万达的户外用品店出来。",
        "画画能让我从白天的数字里跳出来。",
        "我想从工作模式切换到休息模式。",
        "那边偏是偏，但生活气息更浓。",
        "路上堵，还得半小时到家。",
        "我开车，八点楼下见。",
        "3. 将清单同步至共享文档。",
        "我另外准备了两套预案。",
        "今天太累，把早上的瑜伽取消了。",
        "想系统地了解鉴别要点。",
        "我觉得自己好笨。",
    ],
)
def test_what_states_nothing_for_long(text: str) -> None:
    """Such sentences were read as a home, a job left, a plan or a wish."""
    assert extract(text) == []


@pytest.mark.parametrize(
    ("said", "slots"),
    [("我辞职了。", {"workplace", "job"}), ("我从店里出来了。", set())],
)
def test_a_resignation_ends_the_job_and_the_workplace(said: str, slots: set[str]) -> None:
    """Leaving a shop ends neither."""
    with Memory.open(":memory:", embedder="none", background=False) as memory:
        memory.add("我在美团当产品经理。", user="u", at="2026-01-01")
        memory.add(said, user="u", at="2026-03-01")
        gone = {fact.slot for fact in memory.facts(user="u", include_superseded=True) if fact.standing == "superseded"}
    assert gone == slots


def test_a_head_of_a_note_is_no_part_of_its_clause() -> None:
    """What stands behind the title or 下面是我的情况 is read as if it stood alone."""
    told = {(fact.slot, fact.value) for fact in extract("下面是我的情况：我今年32岁，住在杭州。")}
    assert told == {("age", "32岁"), ("home", "杭州")}
    noted = extract("备忘录《阳台》: 决定在六月正式启动阳台改造。")
    assert [(fact.slot, fact.value, fact.when) for fact in noted] == [("plan", "启动阳台改造", "六月")]
