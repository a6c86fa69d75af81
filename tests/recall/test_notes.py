"""Notes under a memory: exact counts, a doubt about what is asked, a part that no longer holds."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from zeromem import Context, InvalidInput, Memory
from zeromem.recall.notes import doubt, named, partly, past
from zeromem.rules import LANGUAGES, notes, slots
from zeromem.text.tokens import count


def lines(context: Context) -> list[str]:
    """The notes of a context, which is counted exactly."""
    assert context.tokens == (count(context.text) if context.text else 0)
    return [line.strip() for line in context.text.splitlines() if line.startswith(("  (", "  （"))]


def told(memory: Any, *texts: str) -> None:
    for day, text in enumerate(texts, 1):
        memory.add(text, user="u", at=f"2026-01-{day:02d}")


def test_notes_are_counted_right():
    """Added up from pieces they have the tokens that the tokenizer says; every slot of the table has a name."""
    names = list(slots())
    assert [set(notes()["slots"][language]) - set(names) for language in LANGUAGES] == [set(), set()]
    made = [
        note
        for language in LANGUAGES
        for note in (past(language), partly((), language), doubt("no such slot", language))
    ]
    made += [partly(some, language) for language in LANGUAGES for some in permutations(names, 2)]
    made += [doubt(name, language) for name in names for language in (*LANGUAGES, "ja")]
    assert [note for note in made if note[1] != count(note[0])] == []
    assert [note for note in made if not note[0].startswith("  ") or note[0].count("\n") != 1] == []
    assert partly(("home",), "en", lambda text: 1000 + len(text))[1] == 1000 + len(partly(("home",))[0])
    assert (named("time_zone", "en"), named("birthday", "zh"), named("mood", "zh")) == ("time zone", "生日", "mood")


DOUBTS = [
    (("My birthday is June 9.", "My birthday is July 8."), "When is my birthday?",
     "(contradicts another memory here: birthday; if it matters, ask which is right)", "your birthday: is it June 9 [m:"),
    (("我的生日是6月9日。", "我的生日是7月8日。"), "我的生日是哪天？",
     "（与这里另一条记忆矛盾：生日；如果要紧，请问哪个对）", "你的生日：是6月9日 [m:"),
    (("Ana's birthday is June 9.", "Ana's birthday is July 8."), "When is Ana's birthday?",
     "(contradicts another memory here: birthday; if it matters, ask which is right)", "Ana's birthday: is it June 9 [m:"),
    (("I am allergic to peanuts.", "I love peanut butter."), "What do I love?",
     "(contradicts another memory here: allergy; if it matters, ask which is right)", "you are allergic to peanuts [m:"),
    (("我喜欢花生酱。", "我对花生过敏。"), "我喜欢什么？",
     "（与这里另一条记忆矛盾：过敏；如果要紧，请问哪个对）", "你对花生 [m:"),
]  # fmt: skip


@pytest.mark.parametrize(("texts", "asked", "note", "question"), DOUBTS)
def test_a_doubt_about_what_is_asked_is_told_once(plain, texts, asked, note, question):
    """Where both memories are shown: a line under the later one, and the question in full beside the text."""
    told(plain, *texts)
    context = plain.recall(asked, user="u")
    assert lines(context) == [note]
    (one,) = context.clarifications
    assert one.question.startswith(question) and set(one.pointers) == {card.pointer for card in context.cards}
    assert context.text.index(texts[1]) < context.text.index(note)
    assert one in plain.clarifications(user="u")
    off = plain.recall(asked, user="u", clarify=False)
    assert (lines(off), off.clarifications, len(off.cards)) == ([], (), 2)
    assert context.tokens - off.tokens == count(f"  {note}\n") <= 26


def test_a_doubt_about_something_else_is_not_told(plain):
    """The contradiction stands in the memory; it is not what is asked."""
    told(plain, "My birthday is June 9. The kettle is red.", "My birthday is July 8. The kettle is loud.")
    context = plain.recall("Which kettle is red, and which kettle is loud?", user="u", budget=400)
    assert (len(context.cards), lines(context), context.clarifications) == (2, [], ())


def test_a_doubt_takes_no_memory_its_place(plain):
    """It is left out where there is no room; the budget holds at every size; so it does with another tokenizer."""
    told(plain, *DOUBTS[0][0])
    with Memory.open(":memory:", embedder="none", count=lambda text: len(text.encode())) as other:
        told(other, *DOUBTS[0][0])
        for budget in range(0, 120, 3):
            context = plain.recall(DOUBTS[0][1], user="u", budget=budget)
            assert context.tokens == (count(context.text) if context.text else 0) <= budget
            assert bool(context.clarifications) == bool(lines(context))
            wide = other.recall(DOUBTS[0][1], user="u", budget=4 * budget)
            assert wide.tokens == len(wide.text.encode()) <= 4 * budget


def test_one_of_the_two_alone_is_no_doubt(plain):
    """`most` shows one of them."""
    told(plain, *DOUBTS[0][0])
    context = plain.recall(DOUBTS[0][1], user="u", most=1)
    assert (len(context.cards), context.clarifications) == (1, ())


@pytest.mark.parametrize("value", [1, "no", None])
def test_the_switch_is_true_or_false(plain, value):
    """Anything else is an InvalidInput that names it."""
    with pytest.raises(InvalidInput, match="clarify"):
        plain.recall("When is my birthday?", user="u", clarify=value)


@pytest.mark.parametrize(
    ("texts", "asked", "note"),
    [
        (("I live in Leeds and work as a nurse.", "I moved to Bath."), "What is my job?", "(partly no longer so: home)"),
        (("我住在上海，是一名护士。", "我搬到杭州了。"), "我的职业是什么？", "（部分现已不是这样：住处）"),
        (("I live in Leeds, work at Acme, and my cat is called Tom.", "I moved to Bath and work at Orbit now."),
         "What is my cat called?", "(partly no longer so: home, workplace)"),
    ],
)  # fmt: skip
def test_a_part_that_no_longer_holds_is_marked(plain, texts, asked, note):
    """The rest of the memory does; the note names what does not."""
    told(plain, *texts)
    context = plain.recall(asked, user="u")
    assert context.text.count(note) == len(lines(context)) == 1
    assert texts[0] in [card.text for card in context.cards]


def test_what_holds_bears_no_note(plain):
    """Told twice, a move from one place to the other, an old plan beside what came of it."""
    told(plain, "I live in Leeds and work as a nurse.", "I still live in Leeds.", "I work as a nurse.")
    assert lines(plain.recall("What is my job, and where do I live?", user="u", budget=400)) == []


def test_a_memory_that_is_overtaken_as_a_whole_is_marked_so(plain):
    """As before: where the question asks how it was."""
    told(plain, "I live in Leeds.", "I moved to Bath.")
    assert lines(plain.recall("Where did I live before?", user="u")) == ["(no longer so)"]


def test_notes_are_in_the_language_of_the_memory(plain):
    """Whatever the question's is: what is overtaken, a doubt, and the question that it comes to."""
    told(plain, "我住在上海。", "我搬到杭州了。", "我的手机号是13800138000。", "我的手机号是13900139000。")
    assert lines(plain.recall("我以前住在哪里？", user="u")) == ["（现已不是这样）"]
    context = plain.recall("我的手机号是多少 phone number", user="u")
    assert [line for line in lines(context) if not line.startswith("（")] == []
    assert [one.question for one in plain.clarifications(user="u") if not one.question.startswith("你的")] == []
