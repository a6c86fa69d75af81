"""Chinese facts: whose they are, whose words, and what ends, takes back or leaves what. All sentences are invented."""

from __future__ import annotations

import pytest

from zeromem import Memory
from zeromem.encode.facts import extract

Facts = set[tuple[str, str, str]]


def read(text: str) -> Facts:
    return {(fact.subject, fact.slot, fact.value) for fact in extract(text)}


def held(*told: str) -> Facts:
    """What holds after messages, a month between them."""
    with Memory.open(":memory:", embedder="none", background=False) as memory:
        for month, text in enumerate(told, 1):
            memory.add(text, user="u", at=f"2026-{month:02}-10")
        facts = memory.facts(user="u", as_of=f"2026-{len(told):02}-28")
    return {(f.subject, f.slot, f.value) for f in facts if f.polarity == "+" and f.standing == "current"}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("小明的生日是5月9号。", {("小明", "birthday", "5月9号")}),
        ("思雨的生日是5月9号。", {("思雨", "birthday", "5月9号")}),
        ("陈晨的电话是13800001111。", {("陈晨", "phone", "13800001111")}),
        ("浩然的地址是中山路8号。", {("浩然", "address", "中山路8号")}),
        ("建国的爱好是钓鱼。", {("建国", "likes", "钓鱼")}),
        ("客服的邮箱是help@y.com。", {("客服", "email", "help@y.com")}),
        ("志强的孩子叫小宝。", set()),
        ("他的生日是3月3号。", set()),
        ("他说预算只有三十万。", set()),
        ("我的生日是5月9号。", {("user", "birthday", "5月9号")}),
        ("我现在的地址是中山路8号。", {("user", "address", "中山路8号")}),
        ("常用的邮箱是b@x.com。", {("user", "email", "b@x.com")}),
        ("我有个女儿，小名糖糖，今年四岁。", {("user", "child", "女儿"), ("女儿", "nickname", "糖糖"), ("女儿", "age", "四岁")}),
        ("我有个朋友，住在长沙，是律师。", {("朋友", "home", "长沙"), ("朋友", "job", "律师")}),
        ("我养了只猫，特别粘人，今年两岁。", {("user", "pet", "猫"), ("猫", "age", "两岁")}),
        ("新领导叫赵敏，以前是腾讯的。", {("user", "boss", "赵敏"), ("赵敏", "workplace", "腾讯")}),
    ],
)  # fmt: skip
def test_a_fact_belongs_to_whoever_is_named_before_it(text: str, wanted: Facts) -> None:
    """Before 的, or brought in by the clause before; never the user for want of a known name."""
    assert read(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "我住在上海，小王说",
        "我是程序员，小李说的。",
        "小说开头：我叫韩梅梅",
        "剧本片段：我叫李雷，我住在火星。",
        "我在考虑换工作。",
        "我在忙工作。",
        "一吃嘴唇就肿",
        "我在上海住了三天酒店。",
        "我在大理住了一个月，昨天刚回来。",
        "我对花生过敏。说着玩的",
        "我搬到成都了。骗你的。",
        "客厅的空调是格力的。",
    ],
)
def test_others_words_and_words_alike_state_nothing(text: str) -> None:
    """Told by somebody else, invented, taken back in the next sentence, or of the moment."""
    assert read(text) == set()


@pytest.mark.parametrize(
    ("told", "wanted"),
    [
        (("我老板是王磊。", "我前老板是李总。"), {("user", "boss", "王磊")}),
        (("我老板叫王磊。", "新领导叫赵敏，以前是腾讯的。"), {("user", "boss", "赵敏")}),
        (("我喜欢喝咖啡。", "我晚上不喝咖啡。"), {("user", "likes", "咖啡")}),
        (("我住在北京。", "我在上海住了三天酒店。"), {("user", "home", "北京")}),
        (("我对花生过敏。", "我对花生不再过敏了。"), set()),
        (("数据库端口是3306。", "数据库端口已改成13306。"), {("数据库", "identifier", "13306"), ("数据库端口", "值", "13306")}),
        (("我住在上海。", "我搬到苏州了。", "其实我没搬成，还在上海。"), {("user", "home", "上海"), ("user", "location", "上海")}),
        (("我和女朋友小雅住在武汉。", "我和小雅分手了。"), {("user", "home", "武汉")}),
        (("我跟李娜一起在腾讯工作。", "今天下雨。"), {("user", "workplace", "腾讯")}),
        (("我每天早上跑步。", "膝盖伤了，不跑步了。"), set()),
        (("我住在深圳。", "我在大理住了一个月，昨天刚回来。"), {("user", "home", "深圳")}),
        (("我的预算是五千元。", "预算提到八千了。"), {("user", "budget", "八千")}),
        (("我在一家广告公司做设计师。", "我跳槽到网易做产品经理了。"), {("user", "workplace", "网易"), ("user", "job", "产品经理")}),
        (("我家住在望京。", "我们搬到五楼办公了。"), {("user", "home", "望京")}),
    ],
)  # fmt: skip
def test_what_holds_after_the_last_message(told: tuple[str, ...], wanted: Facts) -> None:
    """A denial at some times, a stay, what is former and who is another's end nothing; a change ends what it changes."""
    assert held(*told) == wanted


@pytest.mark.parametrize(
    ("first", "second"),
    [("我打算周六去看电影。", "电影票退了，不去了。"), ("我打算考研。", "不考研了，先找工作。")],
)
def test_a_plan_ends_with_its_ticket_or_when_it_is_given_up(first: str, second: str) -> None:
    with Memory.open(":memory:", embedder="none", background=False) as memory:
        memory.add(first, user="u", at="2026-01-01")
        memory.add(second, user="u", at="2026-01-02")
        assert [fact for fact in memory.facts(user="u", slot="plan") if fact.polarity == "+"] == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("房租五月份涨到4200。", ("房租", "price", "4200")),
        ("从五月起我的领导是赵敏。", ("user", "boss", "赵敏")),
        ("我五月份搬去苏州。", ("user", "home", "苏州")),
        ("五月份登录端口改成4444。", ("登录", "identifier", "4444")),
    ],
)
def test_a_month_to_come_is_when_a_change_takes_place(text: str, told: tuple[str, str, str]) -> None:
    """It is no part of the subject, and what it tells of is planned until then."""
    with Memory.open(":memory:", embedder="none", background=False) as memory:
        memory.add(text, user="u", at="2026-01-10")
        facts = {(f.subject, f.slot, f.value): f for f in memory.facts(user="u", as_of="2026-01-11")}
    assert (facts[told].standing, str(facts[told].valid_from)[:10]) == ("planned", "2026-05-01")


def test_a_search_for_what_holds_finds_what_took_the_place_of_a_card_with_the_words() -> None:
    """月费涨到 is cut into other words than 月费 is; the card that it overtook has them."""
    with Memory.open(":memory:", embedder="none", background=False) as memory:
        memory.add("月费是20元。", user="u", at="2026-01-10")
        memory.add("月费涨到25元了。", user="u", at="2026-02-10")
        assert [hit.card.text for hit in memory.search("月费", user="u", current=True)] == ["月费涨到25元了。"]
