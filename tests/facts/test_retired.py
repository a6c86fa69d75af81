"""No true fact is ever retired wrongly: pairs of statements that leave each other alone, and pairs of which the first ends."""

from __future__ import annotations

from typing import Any

import pytest

from zeromem import Memory

# Both stay: other subjects, other slots, mentions, chains, values that can both be so, what is temporary, conditional or planned.
BOTH = [
    ("I live in Leeds.", "My sister lives in York."),
    ("I live in Leeds.", "This week I'm in Split."),
    ("I live in Leeds.", "If I get the job I'll move to Bristol."),
    ("I live in Leeds.", "I might move to Bristol."),
    ("I live in Leeds.", "I'm moving to Bristol in August."),
    ("I work at Norwind.", "My brother works at Corvid."),
    ("I'm allergic to peanuts.", "I'm allergic to shellfish."),
    ("I love jazz.", "I love opera."),
    ("I love jazz.", "My wife hates jazz."),
    ("I hate olives.", "I love olive oil."),
    ("My dog is called Rex.", "My cat is called Mia."),
    ("My daughter Wren is six.", "My son Bo is nine."),
    ("Ana speaks Polish.", "Ana speaks Italian."),
    ("The billing service runs on port 7070.", "The auth service runs on port 7071."),
    ("The billing service runs on port 7070.", "The billing service runs version 3.2."),
    ("The billing service runs on port 7070.", "We wrote a retry helper; the billing service uses it too."),
    ("The portal uses the auth gateway.", "The auth gateway uses Redis."),
    ("The locker code is 4471.", "The shed code is 9920."),
    ("Kim owns the portal.", "Kim owns the gateway."),
    ("The capital of France is Paris.", "The capital of Italy is Rome."),
    ("I'm a baker.", "I'm a volunteer firefighter."),
    ("I take metformin.", "I take aspirin."),
    ("My budget for the trip is 900 euros.", "My budget for the bike is 700 euros."),
    ("I don't eat pork.", "I don't eat shellfish."),
    ("I like tea.", "Do I like coffee?"),
    ("I like tea.", "Ben said he hates tea."),
    ("我住在杭州。", "我妈住在绍兴。"),
    ("我住在杭州。", "我这周在上海出差。"),
    ("我住在杭州。", "如果拿到offer我就搬到深圳。"),
    ("我住在杭州。", "我打算明年搬到深圳。"),
    ("我对花生过敏。", "我对虾过敏。"),
    ("我喜欢爵士乐。", "我喜欢京剧。"),
    ("我喜欢喝茶。", "我老婆不喜欢喝茶。"),
    ("我不吃香菜。", "我不吃羊肉。"),
    ("小王负责门户。", "小李负责网关。"),
    ("我会说粤语。", "我会说日语。"),
    ("我在美团上班。", "我老公在百度上班。"),
    ("我女儿六岁。", "我儿子九岁。"),
]
# The second ends the first.
FIRST_ENDS = [
    ("I live in Leeds.", "I've moved to York."),
    ("I live in Leeds.", "I don't live in Leeds anymore."),
    ("I work at Norwind.", "I work at Corvid now."),
    ("I love aniseed tea.", "I can't stand aniseed tea any more."),
    ("I hate olives.", "I love olives now."),
    ("My phone number is 555-0101.", "My new phone number is 555-0202."),
    ("The locker code is 4471.", "The locker code is now 9920."),
    ("Rate is 3%.", "Rate is now 4%."),
    ("The standup is at 9:00.", "The standup moved to 9:15."),
    ("The author of The Monk is Al Gore.", "The author of The Monk is Ana Roth."),
    ("我住在杭州。", "我搬到深圳了。"),
    ("我很喜欢吃香菜。", "我现在不吃香菜了。"),
    ("我讨厌香菜。", "我现在很喜欢吃香菜。"),
    ("我在百度上班。", "我跳槽到美团了。"),
    ("柜子密码是 4471。", "柜子密码改成 9920 了。"),
]


def told(first: str, second: str) -> tuple[Any, list[str]]:
    with Memory.open(":memory:", embedder="none", background=False) as memory:
        memory.add(first, user="u", at="2026-01-01")
        receipt = memory.add(second, user="u", at="2026-03-01")
        gone = [fact.value for fact in memory.facts(user="u", include_superseded=True) if fact.standing == "superseded"]
        return [item.reason for item in receipt.items if item.status == "superseded"], gone


@pytest.mark.parametrize(("first", "second"), BOTH)
def test_both_stay(first: str, second: str) -> None:
    """Nothing is superseded, in the receipt and among the facts."""
    assert told(first, second) == ([], [])


@pytest.mark.parametrize(("first", "second"), FIRST_ENDS)
def test_the_first_ends(first: str, second: str) -> None:
    """The older value is superseded and the receipt says so."""
    reasons, gone = told(first, second)
    assert len(reasons) >= 1 and len(gone) >= 1
