"""What a message corrects of the one right before it: that value is replaced, and nothing else. In English and Chinese."""

from __future__ import annotations

import pytest

from zeromem import Memory
from zeromem.correcting import correction
from zeromem.rules import LANGUAGES, table

Told = str | tuple[str, str]


def held(*messages: Told) -> list[str]:
    """What is affirmed and holds or is planned after these messages of one session, an hour apart."""
    with Memory.open(":memory:", embedder="none", background=False) as memory:
        for hour, message in enumerate(messages):
            role, text = message if isinstance(message, tuple) else ("user", message)
            memory.add([{"role": role, "content": text}], user="u", session="s", at=f"2026-03-01T{hour:02}:00Z")
        facts = memory.facts(user="u", as_of="2026-03-01T12:00Z")
    lines = (
        f"{f.subject} | {f.slot} | {f.value}" + (f" | {f.when}" if f.when else "") for f in facts if f.polarity == "+"
    )
    return sorted(set(lines))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_examples_of_the_table(language: str) -> None:
    """What a message corrects that does nothing else: the value, and the wrong one where it is named."""
    for row in table(language, "corrections")["row"]:
        for text, wanted in row["examples"].items():
            found = correction(text)
            assert wanted == ("" if found is None else found.value + (f" < {found.old}" if found.old else "")), text


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        ("My sister's name is Carla.", "Typo, her name is Karla.", ["user | sibling | Karla"]),
        ("My sister's name is Carla.", "Typo, my sister's name is Karla.", ["user | sibling | Karla"]),
        ("My sister is called Carla.", "Sorry, Karla with a K.", ["user | sibling | Karla"]),
        ("My sister Carla lives in Leeds.", "Typo, it's Karla", ["Karla | home | Leeds", "user | sibling | Karla"]),
        ("The meeting is on Monday.", "sorry, I meant Tuesday", ["meeting | date | Tuesday"]),
        ("The dentist is on Tuesday at 4.", "not Tuesday, Wednesday", ["dentist | date | Wednesday at 4"]),
        ("The dentist is on Tuesday at 4.", "Sorry, at 5.", ["dentist | date | Tuesday at 5"]),
        ("I have a meeting with Dana on Monday.", "Sorry, I meant Tuesday.", ["user | plan | meeting with Dana | on Tuesday"]),
        ("I live in Leeds. My cat is 5.", "I meant 6", ["cat | age | 6", "user | home | Leeds"]),
        ("I'm 34.", "*35", ["user | age | 35"]),
        ("我妹妹叫卡拉。", "打错了，是卡娜", ["user | sibling | 卡娜"]),
        ("会议在周二。", "不是周二，是周三", ["会议 | date | 周三"]),
        ("会议在周二。", "说错了，周三", ["会议 | date | 周三"]),
        ("周五下午三点开会。", "不对，四点", ["user | plan | 开会 | 周五下午四点"]),
        ("我住在苏州。", "写错了，应该是宿州", ["user | home | 宿州"]),
        ("我的手机号是13800001111。", "打错了，是13800002222", ["user | phone | 13800002222"]),
        ("The garden gate code is 7719.", "Actually it's 7791, I mixed up the digits.", ["garden gate | code | 7791"]),
        ("The garden gate code is 7719.", "Actually it's 7791", ["garden gate | code | 7791"]),
        ("The garden gate code is 7719.", "no wait, it's 7791. I misread it", ["garden gate | code | 7791"]),
        ("花园门的密码是7719。", "不对，是7791，我记错了", ["花园门 | code | 7791"]),
        ("花园门的密码是7719。", "应该是7791，刚才打错了", ["花园门 | code | 7791"]),
        ("花园门的密码是7719。", "应该是7791", ["花园门 | code | 7791"]),
        ("The bride is called Anna. I plan to see Rome.", "Typo, it's Anne.", ["bride | name | Anne", "user | plan | see Rome"]),
    ],
)  # fmt: skip
def test_the_value_told_right_before_is_replaced(first: str, second: str, wanted: list[str]) -> None:
    assert held(first, second) == wanted
    assert held(first, ("assistant", "Noted!" if first.isascii() else "记下了。"), second) == wanted


@pytest.mark.parametrize(
    "messages",
    [
        ("I live in Leeds.", "Sorry, Mom"),
        ("I live in Leeds.", "The bus was late today.", "sorry, I meant Luton"),
        ("I live in Leeds.", ("assistant", "Shall I look in Leeds or in London?"), "Sorry, London"),
        ("I live in Leeds.", "I meant 6"),
        ("I live in Leeds.", "sorry, tomorrow"),
        ("I live in Leeds.", ("assistant", "Luton is a town."), ("assistant", "Typo, it's Luton.")),
    ],
)
def test_what_may_mean_anything_else_corrects_nothing(messages: tuple[Told, ...]) -> None:
    """Another kind of value, another message, an answer, somebody else's words."""
    assert held(*messages) == ["user | home | Leeds"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("弟弟下个月结婚，新娘是张慧，我要去帮忙", "打错了，是张惠"),
        ("周末要去爬山，阿杰也来", "打错了，是阿洁"),
        ("I'm going to paint the kitchen with Carla.", "Typo, it's Bob."),
        ("I live in Leeds, near Karstens.", "Typo, it's Carstens."),
    ],
)
def test_a_value_of_another_shape_is_not_replaced(first: str, second: str) -> None:
    """A name takes no deed's place, and a word that no fact was read from is the one that was mistyped."""
    assert held(first, second) == held(first)


def test_of_two_that_may_be_meant_neither_is_corrected() -> None:
    wanted = ["user | likes | coffee", "user | likes | tea"]
    assert held("I like tea and coffee.", "Sorry, I meant juice.") == wanted
    assert held("I like tea and coffee.", "Sorry, I meant juice, not tea.") == [
        "user | likes | coffee",
        "user | likes | juice",
    ]


def test_a_correction_is_undone_with_its_message() -> None:
    """What it ended holds again when it is deleted; the receipt names what it ended."""
    with Memory.open(":memory:", embedder="none", background=False) as memory:
        memory.add("The meeting is on Monday.", user="u", session="s")
        receipt = memory.add("Sorry, I meant Tuesday.", user="u", session="s")
        stored, ended = receipt.items
        assert (ended.status, ended.reason) == ("superseded", "meeting's date: Monday → Tuesday")
        assert stored.pointer is not None
        memory.delete(stored.pointer, user="u")
        assert [fact.value for fact in memory.facts(user="u", slot="date")] == ["Monday"]
