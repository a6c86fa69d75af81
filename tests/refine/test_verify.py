"""A new wording may stand for its source only if it says nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeromem.refine.verify import Loss, verify

EN = (
    "Hey Bob! I don't eat meat, but I love cheese. Ana told Tim that the rent is 820 euros from May. My son is allergic to peanuts. "
    "Never push on Friday. Have you been to Rome? Call +49 30 1234 567 before 9:30. It might rain."
)
ZH = "你好！我不吃香菜，但是喜欢辣。小王借给老李3000元。我儿子对花生过敏。周五不要发布。你去过罗马吗？明天下午三点前打13812345678。"
RULES = "Rules:\n- run tests first\n- keep lines short\n- ask Ana before merging"

# What is said about the source, in which way it lies, and where the loss shows it.
LIES = {
    "flips a negation": (EN, EN.replace("don't eat meat", "eat meat"), "hard_lost"),
    "negates something else": (EN, EN.replace("don't eat meat, but I love", "eat meat, but I don't love"), "bent"),
    "denies more": (EN, EN.replace("I love cheese", "I don't love cheese"), "bent"),
    "drops the last rule": (RULES, RULES.rsplit("\n", 1)[0], "hard_lost"),
    "changes a number": (EN, EN.replace("820", "280"), "hard_lost"),
    "binds a number to something else": ("Two cats and three dogs.", "Three cats and two dogs.", "bent"),
    "swaps two persons": (EN, EN.replace("Ana told Tim", "Tim told Ana"), "moved"),
    "merges two persons": ("Ana likes tea and Bob likes milk.", "Ana likes milk.", "moved"),
    "invents a fact": (EN, EN + " He bought a boat.", "added"),
    "moves a time": (EN, EN.replace("9:30", "10:30"), "hard_lost"),
    "drops a danger": (EN, EN.replace("My son is allergic to peanuts. ", ""), "hard_lost"),
    "makes a guess certain": (EN, EN.replace("It might rain", "It will rain"), "hard_lost"),
    "answers a question": (EN, EN.replace("Have you been to Rome?", "You have been to Rome."), "moved"),
    "changes a telephone number": (EN, EN.replace("567", "568"), "hard_lost"),
    "copies an example": (EN, "The user likes hiking and lives in Leeds.", "added"),
    "is garbage": (EN, "\ufffd\ufffd {]] lorem ipsum", "added"),
    "is empty": ("We went to the beach.", "", "hard_lost"),
    "drops a condition": ("I will come if Ana pays.", "I will come, Ana pays.", "hard_lost"),
    "turns a direction": ("The train from Leeds to York is late.", "The train to Leeds from York is late.", "moved"),
    "flips a negation, zh": (ZH, ZH.replace("不吃香菜", "吃香菜"), "hard_lost"),
    "denies more, zh": (ZH, ZH.replace("喜欢辣", "不喜欢辣"), "bent"),
    "changes a number, zh": (ZH, ZH.replace("3000", "8000"), "hard_lost"),
    "swaps two persons, zh": (ZH, ZH.replace("小王借给老李", "老李借给小王"), "moved"),
    "invents a fact, zh": (ZH, ZH + "他买了一条船。", "added"),
    "drops a danger, zh": (ZH, ZH.replace("我儿子对花生过敏。", ""), "hard_lost"),
    "drops the last rule, zh": (ZH, ZH[: ZH.index("周五")] + ZH[ZH.index("你去过") :], "hard_lost"),
    "moves a time, zh": (ZH, ZH.replace("三点", "四点"), "hard_lost"),
    "answers a question, zh": (ZH, ZH.replace("你去过罗马吗？", "你去过罗马。"), "moved"),
    "is garbage, zh": (ZH, "锟斤拷烫烫烫", "hard_lost"),
}  # fmt: skip


@pytest.mark.parametrize(("source", "text", "where"), LIES.values(), ids=LIES)
def test_lies_are_refused(source: str, text: str, where: str) -> None:
    """Each way of lying is refused, and the loss names it."""
    loss = verify(source, text)
    assert not loss.ok
    assert getattr(loss, where), loss
    assert loss.reason


TRUE = {
    "itself": (EN, EN),
    "itself, zh": (ZH, ZH),
    "without padding": ("Hey Bob! By the way, I really don't eat meat.", "Bob: I don't eat meat."),
    "grammar put in": ("Went beach, saw two seals", "Went to the beach and saw two seals."),
    "another form of a word": ("She was running to the shops", "She runs to the shop"),
    "another not": ("I do not eat any meat", "I don't eat meat"),
    "sentences in another order": ("The key is red. The lock is old.", "The lock is old. The key is red."),
    "an idle denial gone": ("I can't wait to see the new house!", "see the new house"),
    "zh without padding": ("其实我真的不吃香菜，谢谢！", "我不吃香菜"),
}


@pytest.mark.parametrize(("source", "text"), TRUE.values(), ids=TRUE)
def test_true_rewrites_pass(source: str, text: str) -> None:
    """What says the same in fewer words is let through."""
    loss = verify(source, text)
    assert loss.ok, loss.reason


def test_the_whole_loss() -> None:
    """A loss names what stands, what is gone, and how long both texts are."""
    assert verify('I pay 30 euros for "Dune" in Rome.', "I pay 20 euros in Rome") == Loss(
        hard_lost=("pay 30 euros",),
        soft_kept=("Rome",),
        soft_lost=("Dune",),
        bent=("pay 20 euros",),
        added=("20",),
        before=34,
        after=22,
    )


def test_known_words_may_come_in() -> None:
    """The speaker's name may, if the caller says so; it does not excuse other words."""
    assert verify("I moved to Leeds", "Ana: I moved to Leeds").added == ("Ana",)
    assert verify("I moved to Leeds", "Ana: I moved to Leeds", known=frozenset({"Ana"})).ok
    assert verify("I moved to Leeds", "Ana: I moved to York", known=frozenset({"Ana"})).added == ("York",)


@given(st.text(st.characters(codec=None), max_size=150), st.text(st.characters(codec=None), max_size=150))
def test_any_two_texts(source: str, text: str) -> None:
    """No text raises, and a text may always stand for itself."""
    verify(source, text)
    assert verify(source, source).ok


def test_long_texts_are_checked_in_time() -> None:
    """Thousands of the same words; it would take hours if it were quadratic in them."""
    text = "I don't like tea, Ana. We never go to Leeds! " * 1500
    assert verify(text, text).ok
