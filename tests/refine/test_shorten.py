"""Texts become shorter, and say nothing else than before."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zeromem.refine.reading import read
from zeromem.refine.shorten import allot, shorten
from zeromem.refine.verify import verify
from zeromem.rules import LANGUAGES, table, weighing
from zeromem.text.atoms import atoms

SAID = [
    "Hey Caroline! Good to see you! I'm swamped with the kids & work. What's up with you?",
    "By the way, I really don't eat meat, but I love cheese a lot.",
    "Thanks so much! The gate code is 5512, call Ana on 555-0199 before 9:30 tomorrow.",
    "My mother is allergic to penicillin, so please never give it to her.",
    "Rules:\n- run the tests first\n- never push on Friday\n- ask Ana before merging",
    'I loved reading "Charlotte\'s Web" as a kid. It was so cool seeing how friendship can make a difference.',
    "I can't wait to see it! If it rains we might stay at home.",
    "Mr. Lee paid $1,200.50 for two old bikes at https://a.b/c?d=e in Rome.",
    "你好！其实我真的不吃香菜，但是特别喜欢吃辣的火锅。",
    "明天下午三点前给小王打13812345678，他儿子对花生过敏。",
    "我昨天用Python写了三个脚本，然后把它们发布到服务器上了，太好了！",
    "周五千万不要发布新版本，否则王老师会很生气。你去过罗马吗？",
]


@pytest.mark.parametrize(
    ("text", "most", "expected"),
    [
        (SAID[1], 36, "I don't eat meat, but I love cheese"),
        (SAID[1], 30, "I don't eat meat, love cheese"),
        (SAID[1], 0, "I don't eat meat"),
        (SAID[2], 60, "The gate code 5512, call Ana 555-0199 before 9:30 tomorrow"),
        (SAID[2], 0, "code 5512, Ana 555-0199 before 9:30 tomorrow"),
        (SAID[3], 0, "My mother allergic penicillin, never give"),
        (SAID[8], 12, "我不吃香菜，吃辣的"),
        (SAID[9], 0, "明天下午三点前…小王打13812345678，他儿子…花生过敏"),
        ("My new boss at Mott MacDonald is called Ingrid Solberg.", 30, "Mott MacDonald… Ingrid Solberg"),
        (
            "I've given up coffee since the race. Only rooibos tea now.",
            30,
            "I've given up coffee, since race. Only rooibos",
        ),
        ("The kitchen is over budget by 800 euros, so we cut the lamps.", 10, "kitchen over budget by 800 euros"),
        ("We are thinking of selling the Skoda in spring.", 10, "We thinking of selling Skoda"),
        ("If data is missing, do not guess.", 10, "If data missing, do not guess"),
        ("定金今天交了四万三，装修公司定了业之峰。", 9, "定金今天交了四万三，装修公司"),
        ("我改负责华东区了，不想再负责华南区。", 10, "我改负责华东区，不想再负责华南区"),
    ],
)
def test_examples(text: str, most: int, expected: str) -> None:
    """Padding goes first, then grammar, then what says least; atoms stay with what they bind."""
    assert shorten(text, most) == expected


def test_short_texts_stay() -> None:
    """A text that fits comes back as it is, spaces, marks and all."""
    assert shorten("  Hello,  you!\n", 20) == "  Hello,  you!\n"


def test_rare_words_stay_longest() -> None:
    """What `weigh` calls rare outlives what it calls common."""
    text = "We saw a heron and a dog and a cat at the pond"
    weights = {"heron": 5.0, "pond": 3.0}
    assert shorten(text, 12, weigh=lambda word: weights.get(word, 0.1)) == "heron… pond"


def test_a_scope_is_shared_out() -> None:
    """What says little gives most, a word said before is worth less, and the whole comes to its share."""
    texts = [
        "Wow, that's so great, thanks!",
        "The heron nests at the mill pond near Leeds since 2019.",
        "Yes, the heron nests at the mill pond.",
    ] * 20
    parts = allot(texts, 0.5, groups=[n // 3 for n in range(60)])
    short = [shorten(text, part.most, weigh=part.weigh) for text, part in zip(texts, parts, strict=True)]
    assert 0.42 < sum(map(len, short)) / sum(map(len, texts)) <= 0.5
    assert all(len(one) / len(text) > 0.5 for one, text in zip(short[1::3], texts[1::3], strict=True))
    assert sum(map(len, short[::3])) < 0.4 * sum(map(len, texts[::3]))


def test_allot_wants_a_group_for_every_text() -> None:
    with pytest.raises(ValueError):
        allot(["a", "b"], 0.5, groups=[1])


def test_the_same_every_time() -> None:
    """No randomness, no dependence on what was read before."""
    parts = allot(SAID, 0.6)
    read.cache_clear()
    assert allot(SAID, 0.6) == parts


def words(text: str) -> list[str]:
    return [text[token.start : token.end] for token in read(text).tokens]


PIECES = st.lists(
    st.sampled_from([*SAID, *(word for text in SAID for word in re.findall(r"\S+\s?", text)), "\n", " ", "。", "? "]),
    max_size=14,
).map(" ".join)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(SAID) | PIECES | st.text(st.characters(codec="utf-8"), max_size=80), st.integers(0, 160))
def test_properties(text: str, most: int) -> None:
    """Words of the source in its order; never longer; no broken character, no space between Han ones; hard atoms stand as they are written."""
    short = shorten(text, most)
    assert len(short) <= len(text)
    assert len(short) <= max(most, len(shorten(text, 0)))
    assert "\ufffd" not in short or "\ufffd" in text
    left = iter(re.findall(r"\w", text))
    assert all(letter in left for letter in re.findall(r"\w", short))
    if not re.search("[\u4e00-\u9fff]\\s+[\u4e00-\u9fff]", text):
        assert not re.search("[\u4e00-\u9fff] +[\u4e00-\u9fff]", short)
    assert [atom.text for atom in atoms(text) if atom.hard and atom.text not in short] == []


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(SAID) | PIECES, st.integers(0, 160))
def test_shortening_again_changes_nothing(text: str, most: int) -> None:
    """At the same size a shortened text stays as it is; where atoms need more, that is its size."""
    short = shorten(text, most)
    assert shorten(short, max(most, len(short))) == short
    assert len(shorten(short, most)) <= len(short)


@pytest.mark.parametrize("text", SAID)
def test_what_is_shortened_is_true(text: str) -> None:
    """At every size the check lets it through, and a smaller size never keeps more hard atoms than a larger one loses."""
    sizes = [shorten(text, most) for most in range(0, len(text) + 1, 3)]
    assert [verify(text, short).reason for short in sizes if not verify(text, short).ok] == []
    assert all(len(small) <= len(large) + 2 for small, large in pairwise(sizes))


def test_a_long_text_is_shortened_in_time() -> None:
    """Fifty thousand characters; it would take hours if it were worse than linear."""
    assert len(shorten("We saw two herons near the old mill pond, didn't we? " * 1000, 20_000)) > 5_000


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tables_examples(language: str) -> None:
    """Every pattern of the tables finds its `yes` and not its `no`."""
    for key, entry in table(language, "refine").items():
        if key == "safety":
            found = {text: any(atom.kind == "safety" for atom in atoms(text)) for text in (*entry["yes"], *entry["no"])}
        elif key == "filler":
            found = {text: any(token.filler for token in read(text).tokens) for text in (*entry["yes"], *entry["no"])}
        elif key == "idle":
            found = {text: bool(weighing(key, "refine").search(text)) for text in (*entry["yes"], *entry["no"])}
        else:
            continue
        assert (key, [text for text in entry["yes"] if not found[text]]) == (key, [])
        assert (key, [text for text in entry["no"] if found[text]]) == (key, [])
