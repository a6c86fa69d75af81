"""No true fact is ever retired wrongly: pairs of statements that leave each other alone, and pairs of which the first ends."""

from __future__ import annotations

from typing import Any

import pytest

from zeromem import Document, Memory

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
    # Other meanings of the same words, other sorts of one slot, some times only, long ago.
    ("I live in Leeds.", "I live in fear of that audit."),
    ("I live in Leeds.", "I live on the third floor."),
    ("I live in Leeds.", "I moved to the sofa because my back hurt."),
    ("I work at Siemens.", "I work at the library on Saturdays."),
    ("My phone number is 555-0134.", "My work phone number is 555-0199."),
    ("My email is ana@x.test.", "My work email is ana@corp.test."),
    ("My flight is on Tuesday.", "My flight is at 7:40."),
    ("The code of the shed is 4471.", "The code is ugly."),
    ("I use Vim.", "I don't use Vim for Java."),
    ("I eat meat.", "I don't eat meat on Sundays."),
    ("The ticket costs 40 euros.", "The ticket costs 10 euros for kids."),
    ("The spare key is in the drawer.", "Our old fridge was moved to the basement."),
    ("I work at Nokia.", "I left Nokia at six."),
    ("I like Berlin.", "I don't like Berlin in winter."),
    ("The meeting is on Friday.", "The meeting is in room 204."),
    ("I work at Corvid.", "I work with Jana."),
    ("I work with Tom.", "I work with Jana."),
    ("My friend lives in Rome.", "My friend lives in Oslo."),
    ("My cousin is Ana.", "My cousin is Eva."),
    ("I live in Leeds.", "Fix my essay: I live in Paris and I work at Acme."),
    ("The owner of the portal is Kim.", "The owner of the portal is away."),
    ("I work at Nokia.", "I might quit my job."),
    ("I own a bike.", "I sold my car."),
    ("I like beer.", "I stopped drinking tea."),
    ("I'm flying to Oslo on 2 May.", "The trip to Bergen is off."),
    ("I live in Leeds.", "My grandmother moved to Spain."),
    ("我住在成都。", "我住在公司附近。"),
    ("我住在成都。", "我搬到沙发上睡了。"),
    ("我住在成都。", "我和爸妈住在一起。"),
    ("我老公叫阿强。", "我同事小王结婚了，老婆叫丽丽。"),
    ("我女朋友叫小美。", "我表弟小杰在读大三，女朋友叫阿雯。"),
    ("我老公在百度上班。", "我闺蜜结婚了，老公叫王强，在腾讯上班。"),
    ("我在美团上班。", "浩浩毕业了，在华为上班。"),
    ("我在华为上班。", "我离开华为大楼去吃饭了。"),
    ("我在美团上班。", "我刚从同济医院出来。"),
    ("我在美团上班。", "我爸退休了。"),
    ("我今年三十岁。", "我养了一只猫叫咪咪，今年三岁。"),
    ("我住在成都。", "下面是我同事发来的邮件：大家好，我住在都柏林。我对猫过敏。"),
    ("我在西门子上班。", "我周六在图书馆上班。"),
    ("我的手机号是13800001111。", "我的工作手机号是13900002222。"),
    ("航班是周二。", "航班是七点四十。"),
    ("我喝茶。", "我今天不喝茶。"),
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
    ("I own a red Toyota Yaris.", "Sold the Yaris."),
    ("My wife is called Ana.", "I got divorced last month."),
    ("My boyfriend is Tom.", "My boyfriend and I broke up."),
    ("I'm married to Ana.", "We're divorced now."),
    ("I smoke.", "I quit smoking."),
    ("I like coffee.", "I quit coffee."),
    ("I use Slack and Trello.", "I stopped using Slack and Trello."),
    ("I'm flying to Oslo on 2 May.", "The trip to Oslo is off."),
    ("I have a dentist appointment on Tuesday.", "We cancelled the dentist."),
    ("I work at Nokia.", "I was let go last week."),
    ("I work at Nokia.", "I quit my job."),
    ("The party is on Friday.", "We moved the party to Saturday."),
    ("我住在杭州。", "我搬到深圳了。"),
    ("我很喜欢吃香菜。", "我现在不吃香菜了。"),
    ("我讨厌香菜。", "我现在很喜欢吃香菜。"),
    ("我在百度上班。", "我跳槽到美团了。"),
    ("柜子密码是 4471。", "柜子密码改成 9920 了。"),
    ("我在华为上班。", "我辞职了。"),
    ("我在美团上班。", "我上个月退休了。"),
    ("我妈住在绍兴。", "我妈搬到杭州跟姨妈一起住了。"),
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


def values(memory: Memory, **which: Any) -> list[str]:
    return [fact.value for fact in memory.facts(**which)]


def test_a_return_to_an_earlier_value_is_news() -> None:
    """The same words said again after a change hold again, from then on; a history that is sent again changes nothing."""
    with Memory.open(":memory:", embedder="none", background=False) as memory:
        said = ["I live in Leeds.", "I moved to Bath.", "I live in Leeds."]
        for day, text in enumerate(said, 1):
            receipt = memory.add(text, user="u", at=f"2026-03-0{day}")
        assert [item.status for item in receipt.items] == ["stored", "superseded"]
        assert values(memory, user="u", slot="home") == ["Leeds"]
        assert memory.search("where do I live", user="u", current=True)[0].text == "I live in Leeds."
        again = memory.add(said[:2], user="u", at="2026-04-01")
        assert [item.status for item in again.items] == ["duplicate", "duplicate"]
        assert values(memory, user="u", slot="home") == ["Leeds"]


def test_users_of_one_agent_are_not_one_person() -> None:
    """What one user says ends nothing of another's, though one agent's scope holds both."""
    with Memory.open(":memory:", embedder="none", background=False) as memory:
        memory.add("I live in Leeds.", user="u1", agent="x", at="2026-01-01")
        memory.add("I moved to Bath.", user="u2", agent="x", at="2026-02-01")
        assert values(memory, agent="x", slot="home") == ["Leeds", "Bath"]
        assert [hit.superseded_by for hit in memory.search("where do I live", agent="x")] == [None, None]
        assert memory.clarifications(agent="x") == []


def test_documents_and_tools_do_not_speak_for_the_user() -> None:
    """Their first person is somebody else."""
    with Memory.open(":memory:", embedder="none", background=False) as memory:
        memory.add("I live in Leeds.", user="u", at="2026-01-01")
        memory.add(Document("I live in Dublin. I work for Acme.", title="essay.md"), user="u", at="2026-02-01")
        memory.add({"role": "tool", "tool_call_id": "c", "content": "I moved to Cork."}, user="u", at="2026-03-01")
        assert values(memory, user="u", subject="user") == ["Leeds"]


def test_a_slot_is_looked_up_whatever_the_words_say() -> None:
    """Where one value holds, its card comes first; who is asked about decides whose it is."""
    with Memory.open(":memory:", embedder="none", background=False) as memory:
        for day, text in enumerate((
            "I'm Tom, I live in Galway and I work as a nurse.", "My sister Aoife lives in Cork.",
            "We moved to Limerick last weekend, the new address is 14 Henry Street.",
        ), 1):  # fmt: skip
            memory.add(text, user="u", at=f"2026-03-{day:02}")
        assert "Limerick" in memory.search("Where do I live?", user="u")[0].text
        assert "Cork" in memory.search("Where does my sister live?", user="u")[0].text
        assert "Limerick" in memory.recall("Where do I live?", user="u").text


@pytest.mark.parametrize("past", ["In 2012 I moved to Kiel.", "Back in 2015 I moved to Rome.", "我2012年搬到天津。"])
def test_what_is_told_of_long_ago_ends_nothing_of_now(past: str) -> None:
    """A change with a time long past is weighed from then on."""
    with Memory.open(":memory:", embedder="none", background=False) as memory:
        memory.add("I live in Leeds. 我住在成都。", user="u", at="2026-01-01")
        before = values(memory, user="u", slot="home")
        memory.add(past, user="u", at="2026-02-01")
        assert values(memory, user="u", slot="home") == before != []
