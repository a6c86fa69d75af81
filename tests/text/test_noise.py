"""Messages without content, and queries that ask nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeromem.rules import LANGUAGES, table
from zeromem.text.noise import Noise, classify, silent

EXAMPLES = {language: table(language, "noise")["examples"] for language in LANGUAGES}
KINDS = ("acknowledgement", "greeting", "heartbeat", "upkeep", "framework", "chatter")


@pytest.mark.parametrize(("kind", "text"), [(k, t) for e in EXAMPLES.values() for k in KINDS for t in e[k]])
def test_examples_of_the_tables(kind: str, text: str) -> None:
    """The examples of every kind are of that kind, and silence recall."""
    found = classify(text)
    assert found is not None and found.kind == kind
    assert silent(text) == found


@pytest.mark.parametrize("text", [t for e in EXAMPLES.values() for t in e["kept"]])
def test_content_is_kept(text: str) -> None:
    """A question that may have an answer, or a short answer with content, is no noise."""
    assert silent(text) is None
    assert classify(text) is None


@pytest.mark.parametrize(
    "text",
    ["okay, thank you so much", "alrighty then", "sweet, thanks dude", "yup, all clear", "right, carry on",
     "OK!!! 👍👍", "ｏｋ", "yesssss", "thaaanks", "hahahaha nice", "super helpful, thanks!", "haha thanks :)",
     "yes, continue please", "You’re awesome", "that's good enough for now", "no thank you", "ok好的", "好滴好滴",
     "嗯嗯嗯，了解了", "收到👌", "没问题，继续", "行行行", "谢谢王老师", "真不错！", "解决了，非常感谢",
     "好的呢亲", "就按你说的办", "不用了，谢谢", "嗯", "哈哈哈哈哈哈哈哈哈哈", "扣1", "！！！", "🙏🙏",
     "好的～谢谢～"],
)  # fmt: skip
def test_unlisted_combinations(text: str) -> None:
    """Known words combine freely, with emoji, elongation, full-width letters and address."""
    assert silent(text) is not None


@pytest.mark.parametrize(
    "text",
    ["mom's birthday?", "my blood type", "who's Bob?", "PIN?", "thanks! btw what's my seat?",
     "yes and the address?", "no I meant the other hotel", "both", "run the tests", "what's good there?",
     "thanks, Ana?", "how is Ana doing", "/run", "ok = 5", "summary?", "成绩", "高中", "好友的名字", "他同意了吗",
     "继续昨天的故事", "运行环境是什么", "要几份", "两个", "明天", "猫叫什么", "行，那周五几点",
     "谢谢，那WiFi密码呢", "老师的电话"],
)  # fmt: skip
def test_unlisted_content(text: str) -> None:
    """One word that is not small talk makes a message content."""
    assert silent(text) is None


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b\ufeff", "\u3000"])
def test_empty(text: str) -> None:
    """White space and invisible characters are empty."""
    assert classify(text) == Noise("empty", "no visible character")


@pytest.mark.parametrize(
    "text",
    ["OK. Thanks for your help!", "Thanks for your help!", "Great, that works. Thank you for all of your help! Bye.",
     "好的，谢谢你的帮助！", "OK, got it. Thank you so much for all of your help with this. Have a nice day!",
     "好的。我知道了。真的非常感谢你的帮助！那就这样吧，再见！", "Hi! Thanks for the summary, thanks for the plan, thanks for your patience."],
)  # fmt: skip
def test_sequences_of_acknowledging_clauses(text: str) -> None:
    """A message is an acknowledgement if each of its clauses is, however many there are."""
    found = classify(text)
    assert found is not None and found.kind == "acknowledgement"


@pytest.mark.parametrize(
    "text",
    ["OK. Thanks for your help! The code is 4471.", "Thanks for your help, Ana is allergic to nuts", "Ok, help", "OK. Which help?",
     "好的，谢谢你的帮助！密码是4471。", "Thanks! And the blue one?"],
)  # fmt: skip
def test_a_clause_with_content_keeps_the_message(text: str) -> None:
    """One clause that says or asks something makes the message content."""
    assert classify(text) is None and silent(text) is None


def test_fillers_alone() -> None:
    """Fillers ask nothing, so recall stays silent, but they are no acknowledgement."""
    assert classify("um, well...") is None
    assert silent("um, well...") == Noise("acknowledgement", "only filler words")


PIECES = ["ok", "- a\n", "好的", "?", "\0", "\ud800", " "]


@given(st.text(st.characters(codec=None), max_size=80) | st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_text(text: str) -> None:
    """No text raises."""
    classify(text)
    silent(text)
