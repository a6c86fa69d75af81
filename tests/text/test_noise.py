"""Messages without content, queries that ask nothing, and injected memory blocks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeromem.rules import LANGUAGES, table
from zeromem.text.noise import Noise, classify, silent, strip_injected

EXAMPLES = {language: table(language, "noise")["examples"] for language in LANGUAGES}
KINDS = ("acknowledgement", "greeting", "heartbeat", "upkeep")


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


def test_fillers_alone() -> None:
    """Fillers ask nothing, so recall stays silent, but they are no acknowledgement."""
    assert classify("um, well...") is None
    assert silent("um, well...") == Noise("acknowledgement", "only filler words")


BLOCK = '<memory scope="ana">\n[m:tea] Ana drinks tea. (2026-07-25)\n</memory>'


@pytest.mark.parametrize(
    ("text", "rest", "count"),
    [
        (f"{BLOCK}\n\nWhat do I drink?", "What do I drink?", 1),
        (f"What do I drink?\n\n{BLOCK}", "What do I drink?", 1),
        (f"Hello.\n{BLOCK}\nWhat do I drink?", "Hello.\nWhat do I drink?", 1),
        ("<memories>- tea</memories>Hi, which tea?", "Hi, which tea?", 1),
        ("<relevant_memories>\nx\n</relevant_memories>\n<memories>\ny\n</memories>\nq", "q", 2),
        ("## Relevant memories\n- Ana drinks tea\n- Bob too\n\nWhat do I drink?", "What do I drink?", 1),
        ("## 相关记忆：\n1. 喜欢喝茶\n\n我喝什么？", "我喝什么？", 1),
        (BLOCK, "", 1),
    ],
)
def test_injected_blocks_go(text: str, rest: str, count: int) -> None:
    """Blocks of any memory system are taken out and counted; the rest stays as it was."""
    assert strip_injected(text) == (rest, count)


@pytest.mark.parametrize(
    "text",
    ["no block", "  spaces stay \n", "<memory unit='MiB'>512</memory>", "use `<memory a>x</memory>` here",
     "```\n<memory>\nx\n</memory>\n```", "<memory> never closed", "## Memories\n- my first day at school",
     "relevant memories are hard to find", "a < b > c"],
)  # fmt: skip
def test_own_words_stay(text: str) -> None:
    """Text that only looks like a block is returned as it is."""
    assert strip_injected(text) == (text, 0)


def test_a_message_of_blocks_alone() -> None:
    """A message that is nothing but injected memory makes no card."""
    found = classify(BLOCK)
    assert found is not None and found.kind == "injected"


PIECES = ["ok", "<memory>", "</memory>", "## Relevant memories\n", "- a\n", "好的", "?", "\0", "\ud800", " "]


@given(st.text(st.characters(codec=None), max_size=80) | st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_text(text: str) -> None:
    """No text raises, and stripping never adds a character."""
    classify(text)
    silent(text)
    rest, count = strip_injected(text)
    assert len(rest) <= len(text) and (count > 0 or rest == text)
