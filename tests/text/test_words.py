"""The words of a text: what an index stores, what a query is matched on."""

import json
import subprocess
import sys

import pytest

from zeromem.text.words import content, fold, hashes, identifiers, is_stop, language, names, quoted, stop_hashes, terms


def finds(query: str, text: str) -> bool:
    """Whether every topical term of the query stands in the text."""
    return set(content(terms(query))) <= set(terms(text))


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("汇率换算", "外币汇率换算模块"),
        ("docker", "我们用docker部署服务"),
        ("レッサーパンダ", "先週レッサーパンダを動物園で見ました。"),
        ("OPS-31", "Ticket OPS-31 is open."),
        ("billing-service", "the billing-service listens on port 9077"),
        ("billing service port", "the billing-service listens on port 9077"),
        ("port 9077", "port 9,077 is taken"),
        ("5d3+5", "伤害是5d3+5。"),
        ("K-93", "locker K-93, ground floor"),
        ("王芳", "Please ask 王芳 to send the 通知 today"),
        ("通知", "Please ask 王芳 to send the 通知 today"),
        ("AB12", "ＡＢ１２"),
        ("cafe", "the Café at noon"),
        ("user name", "call getUserName first"),
        ("where did she hike", "She hiked the ridge"),
        ("the who", "I saw the Who live"),
    ],
)
def test_a_text_is_found_by_its_words_in_any_script(query: str, text: str) -> None:
    """A query finds a text through stems, parts of compounds, Han words and pairs of unspaced scripts."""
    assert finds(query, text)


@pytest.mark.parametrize(
    ("query", "text"), [("Marc", "Marcella runs payroll"), ("oak", "a soaked coat"), ("cat", "concatenate")]
)
def test_a_part_of_a_word_is_not_the_word(query: str, text: str) -> None:
    """Words match whole, never as substrings."""
    assert not finds(query, text)


def test_a_japanese_word_is_found_where_it_stands_beside_other_kanji() -> None:
    """Han runs are cut by context, so a word shares terms with the text even where the cut differs."""
    assert set(terms("動物園")) & set(terms("先週動物園で見ました。"))


@pytest.mark.parametrize("text", ["", " \n", '* " ( ) - + ^ :', "、。！？", "--- ... ///"])
def test_punctuation_alone_has_no_terms(text: str) -> None:
    """A query of pure operators asks for nothing."""
    assert terms(text) == []


def test_terms_stand_in_text_order_with_repeats() -> None:
    """Repeats are kept, since a term's count is part of its score."""
    assert terms("Cats, cats and a dog") == ["cat", "cat", "and", "a", "dog"]


def test_compounds_stand_whole_and_in_parts() -> None:
    """An identifier can be asked for as written or by a part of it."""
    assert terms("OPS-31 src/app.py") == ["ops-31", "op", "31", "src/app.py", "src", "app", "py"]


def test_numbers_stay_whole() -> None:
    """Separators inside a number are part of it; the plain digits stand beside it."""
    assert terms("9,077 3.5% 2026-07-25 10:30") == [
        "9,077",
        "9077",
        "3.5%",
        "3.5",
        "2026-07-25",
        "2026",
        "07",
        "25",
        "10:30",
    ]


def test_possessives_and_contractions_lose_the_apostrophe() -> None:
    """`Ana's` asks for Ana; `don't` is one stop word."""
    assert terms("Ana’s don't") == ["ana", "dont"]
    assert is_stop("dont")


def test_emoji_are_terms() -> None:
    """A pictograph can be searched for."""
    assert terms("party 🎉") == ["parti", "🎉"]


def test_fold_makes_width_case_and_broken_text_comparable() -> None:
    """Full width equals plain, case is gone, lone surrogates become U+FFFD and never raise."""
    assert fold("ＡＢ１２ Straße \ud83d") == "ab12 strasse \ufffd"
    assert terms("a\ud83db") == ["a", "b"]


def test_content_leaves_out_stop_words_of_both_languages() -> None:
    """Question words and particles are not what a query is about."""
    assert content(terms("What did Ana say about the kiln?")) == ["ana", "kiln"]
    assert content(terms("王芳是什么时候来的？")) == ["王芳"]
    assert content(["the", "who"]) == ["the", "who"]


def test_hashes_are_the_same_in_every_process() -> None:
    """Stored postings outlive the process that wrote them."""
    words = ["kiln", "汇率", "🎉"]
    program = f"from zeromem.text.words import hashes; print(hashes({words!r}).tolist())"
    other = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    assert json.loads(other.stdout) == hashes(words).tolist()
    assert hashes(words).dtype == "uint32"
    assert hashes([]).shape == (0,)


def test_stop_hashes_tell_stop_words_apart_once_only_hashes_are_left() -> None:
    """Stored hashes still tell how many terms carry a topic."""
    found = hashes(["the", "kiln", "什么", "汇率"])
    assert [int(term) in set(stop_hashes().tolist()) for term in found] == [True, False, True, False]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Where did I park?", "en"),
        ("我把车停在哪里了？", "zh"),
        ("用 docker compose 部署服务", "zh"),
        ("Please ask 王芳 to send the notice to everyone today", "en"),
        ("先週レッサーパンダを動物園で見ました。", "ja"),
        ("Привет, как дела?", "other"),
        ("Où est passée la clé du placard à côté de l'entrée ?", "other"),
        ("123", "other"),
    ],
)
def test_language(text: str, expected: str) -> None:
    """The script decides; accents and common words tell English from its neighbours."""
    assert language(text) == expected


def test_names() -> None:
    """Capitalised runs inside a sentence, possessives, titles, handles and Han persons are names; openings, days and pronouns are not."""
    assert names("When did Ana Maria meet Dr. Smith on Monday? Yesterday I asked @joe.") == [
        "Smith",
        "joe",
        "Ana Maria",
    ]
    assert names("Melanie's kids know Paris. Paris is far. Dogs bark.") == ["Melanie", "Paris"]
    assert names("王芳和李雷通知了张伟") == ["王芳", "李雷", "张伟"]


def test_quoted() -> None:
    """Every kind of quotation mark counts; apostrophes do not."""
    assert quoted("he said 'no way' and \"yes\" in 《三体》, don't and can't") == ["no way", "yes", "三体"]


def test_identifiers() -> None:
    """Codes, paths and code names are identifiers; numbers, hyphenated phrases with function words and contractions are not."""
    text = "OPS-31, billing-service, src/app.py, getUserName, 5d3+5, AB12, and/or, 3.5%, don't"
    assert identifiers(text) == ["OPS-31", "billing-service", "src/app.py", "getUserName", "5d3+5", "AB12"]
