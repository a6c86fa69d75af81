"""What no longer holds though no word names it: settings of before, a way of eating or a habit given up or taken up again, errands done."""

from __future__ import annotations

import pytest

from zeromem import Memory


def held(*messages: str) -> list[str]:
    """What holds or is planned after these messages, a week apart; a denial as "not …"."""
    with Memory.open(":memory:", embedder="none", background=False) as memory:
        for week, message in enumerate(messages):
            memory.add(message, user="u", at=f"2026-03-{1 + 7 * week:02}")
        facts = memory.facts(user="u", as_of="2026-03-31")
    return sorted({f"{f.slot}: {'' if f.polarity == '+' else 'not '}{f.value}" for f in facts})


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("The server port was 8080.", []),
        ("The server port used to be 8080.", []),
        ("The timeout was 30 seconds.", []),
        ("The locker code was 4471.", []),
        ("The server port used to be 8080, now it's 9090.", ["identifier: 9090"]),
        ("The server port is now 9090.", ["identifier: 9090", "value: 9090"]),
        ("From today the server port is 9090.", ["identifier: 9090"]),
        ("服务器端口以前是8080。", []),
        ("服务器端口以前是8080，现在是9090。", ["identifier: 9090", "端口: 9090"]),
        ("从今天起服务器端口是9090。", ["identifier: 9090"]),
    ],
)
def test_a_setting_told_in_the_past_does_not_hold(text: str, wanted: list[str]) -> None:
    assert held(text) == wanted


def test_a_setting_that_was_ends_where_it_was_known_to_hold() -> None:
    assert held("The server port is 8080.", "The server port used to be 8080.") == []
    assert held("服务器端口是8080。", "服务器端口以前是8080，现在是9090。") == ["identifier: 9090", "端口: 9090"]


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        ("I'm vegan.", "I started eating meat again.", ["diet: meat", "diet: not vegan"]),
        ("I'm vegetarian.", "I eat meat now.", ["diet: meat", "diet: not vegetarian"]),
        ("I'm vegetarian.", "I've started eating eggs.", ["diet: eggs", "diet: vegetarian"]),  # they may
        ("I'm vegan.", "My sister started eating meat again.", ["diet: meat", "diet: vegan"]),
        ("I'm vegan.", "I might start eating meat again.", ["diet: vegan"]),
        ("I quit smoking.", "I started smoking again.", ["habit: smoking"]),
        ("I quit smoking.", "I'm back to smoking.", ["habit: smoking"]),
        ("I quit drinking.", "I'm drinking again.", ["habit: drinking"]),
        ("I'm learning Spanish.", "I gave up Spanish.", ["study: not Spanish"]),
        ("I'm learning Spanish.", "I gave up the piano.", ["study: Spanish", "study: not piano"]),
        ("我是素食者。", "我开始吃肉了。", ["diet: not 素食者", "diet: 肉"]),
        ("我吃素。", "我又开始吃肉了。", ["diet: not 吃素", "diet: 肉"]),
        ("我吃素。", "我妈又开始吃肉了。", ["diet: 吃素", "diet: 肉"]),
        ("我不吃鱼。", "我开始吃鱼了。", ["diet: 鱼"]),
        ("我戒烟了。", "我又抽上了。", ["habit: 烟"]),
        ("我戒烟了。", "我又开始抽烟了。", ["habit: 烟"]),
        ("我在学西班牙语。", "西班牙语我不学了。", ["study: not 西班牙语"]),
        ("我在学钢琴。", "钢琴放弃了。", ["study: not 钢琴"]),
    ],
)
def test_what_is_taken_up_or_given_up_ends_what_it_contradicts(first: str, second: str, wanted: list[str]) -> None:
    assert held(first, second) == wanted


@pytest.mark.parametrize(
    ("errand", "done"),
    [
        ("I need to file the tax return.", "done with the tax return"),
        ("I need to file the tax return.", "The tax return is done."),
        ("I have to pay the rent.", "The rent is paid."),
        ("I need to call mom.", "called mom"),
        ("I need to renew my passport.", "My passport has been renewed."),
        ("Remind me to book the hotel.", "The hotel's booked."),
        ("Remind me to send the report.", "finished the report and sent it off"),
        ("记得交房租。", "房租交了"),
        ("我得去办护照。", "护照办好了"),
        ("我要给妈妈打电话。", "已经给妈妈打过电话了"),
        ("我得写报告。", "报告写完并发了"),
        ("提醒我买牛奶。", "牛奶买了"),
        ("我得把车送去保养。", "车保养过了"),
    ],
)
def test_an_errand_ends_when_it_is_told_as_done(errand: str, done: str) -> None:
    (fact,) = held(errand)
    assert fact.startswith(("todo: ", "plan: ")) and fact not in held(errand, done)


@pytest.mark.parametrize(
    ("errand", "other"),
    [
        ("I need to pay the rent.", "The rent is due."),
        ("I need to pay the rent.", "The rent will be paid."),
        ("I need to pay the rent.", "The bill is paid."),
        ("I need to book the hotel in Rome.", "The hotel's booked."),  # which one, is not said
        ("I need to call mom.", "Ana called mom."),
        ("I need to buy milk and eggs.", "The milk is bought."),
        ("我得交房租。", "房租还没交"),
        ("我得交房租。", "房租要交了"),
        ("提醒我买牛奶和鸡蛋。", "牛奶买了"),
        ("我得给小王寄合同。", "合同签了"),
    ],
)
def test_nothing_else_ends_an_errand(errand: str, other: str) -> None:
    (fact,) = held(errand)
    assert fact in held(errand, other)


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        ("My dentist is Dr. Lee.", "I changed dentists.", []),
        ("My landlord is Mr. Smith.", "We have a new landlord.", []),
        ("My gym is PureGym.", "I switched gyms last month.", []),
        ("My dentist is Dr. Lee.", "I have a new landlord.", ["contact: Dr. Lee"]),
        ("My dentist is Dr. Lee.", "My sister changed dentists.", ["contact: Dr. Lee"]),
        ("My dentist is Dr. Lee.", "I might change dentists.", ["contact: Dr. Lee"]),
        ("小雨的钢琴老师是李老师。", "小雨换了钢琴老师", []),
        ("小雨的钢琴老师是李老师。", "小雨换了英语老师", ["contact: 李老师"]),
        ("我的医生是李医生。", "我换医生了", []),
        ("我的医生是李医生。", "我想换医生", ["contact: 李医生", "plan: 换医生"]),
    ],
)
def test_who_was_replaced_no_longer_holds(first: str, second: str, wanted: list[str]) -> None:
    """Though it is not told by whom; nothing is made up."""
    assert [line for line in held(first, second) if not line.partition(": ")[2].startswith("not ")] == wanted


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        ("I drink four coffees a day.", "I've given up coffee.", ["diet: not coffee"]),
        ("I drink four coffees a day.", "I've given up meat.", ["diet: not meat", "habit: drink four coffees a day"]),
        ("我每天一杯美式。", "戒咖啡了。", ["diet: not 咖啡"]),
        ("我每天一杯美式。", "戒奶茶了。", ["diet: not 奶茶", "habit: 每天一杯美式"]),
    ],
)
def test_what_was_given_up_is_no_habit(first: str, second: str, wanted: list[str]) -> None:
    told = [line for line in held(first, second) if not line.startswith("habit: not ")]
    assert told == wanted
