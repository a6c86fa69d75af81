"""Grounding: what a message supports, and every way in which a candidate may say something else."""

from __future__ import annotations

import pytest

from zeromem.propose.grounding import Source, alike, copied, grounded
from zeromem.rules import LANGUAGES, table, weighing

SUPPORTED = [
    ("I own a kayak", "Has a kayak"),
    ("I own a kayak", "The user owns a kayak"),
    ("I wrap code in ``` fences and use ruff", "Wraps code in ``` fences"),
    ("I wrap code in ``` fences and use ruff", "Uses ruff"),
    ("I play cello and have a dog", "Plays cello"),
    ("I like jazz", "likes jazz"),
    ("我把轮询间隔改成2秒了", "轮询间隔改为2秒"),
    ("我把轮询间隔改成2秒了", "轮询间隔已改为2秒。"),
    ("My sister Ana has a dog, and Ben doesn't eat meat but I like fish.", "The user likes fish"),
    ("My sister Ana has a dog, and Ben doesn't eat meat but I like fish.", "Ana has a dog"),
    ("My sister Ana has a dog, and Ben doesn't eat meat but I like fish.", "The user's sister Ana has a dog"),
    ("My sister Ana has a dog, and Ben doesn't eat meat but I like fish.", "Ben does not eat meat"),
    ("我妹妹小雨养了一只狗，但是我不吃肉。", "用户不吃肉"),
    ("我妹妹小雨养了一只狗，但是我不吃肉。", "用户的妹妹小雨养了一只狗"),
    ("I moved to York last week.", "The user moved to York last week"),
    ("I moved to York last week.", "Moved to York"),
    ("I'm allergic to peanuts.", "The user is allergic to peanuts"),
    ("我对花生过敏。", "用户对花生过敏"),
    ("My budget is 500 euros.", "The user's budget is 500 euros"),
    ("I have an appointment tomorrow at the dentist", "The user has an appointment on 2026-07-26 at the dentist"),
    ("My dog is called Rex.", "The user's dog is called Rex"),
    ("I might move to York.", "The user might move to York"),
    ("下周三我要去上海出差。", "用户下周三要去上海出差"),
    ("我的预算是500元", "用户的预算是500元"),
    ("I work at Initech as a nurse", "The user works at Initech as a nurse"),
    ("Never deploy on Friday.", "Never deploy on Friday"),
    ("Morning! My sister Imogen moved to Trondheim in March.", "The user's sister Imogen moved to Trondheim in March"),
    ("Hi, I'm Ana and I live in Bath with my husband Tom. We have two cats.", "The user has two cats"),
    ("我叫李雷，今年35岁，在腾讯做后端开发。我女儿下个月上小学。", "用户在腾讯做后端开发"),
    ("我叫李雷，今年35岁，在腾讯做后端开发。我女儿下个月上小学。", "用户的女儿下个月上小学"),
    ("我和我老婆都不喜欢吃辣，最近在学游泳。", "用户最近在学游泳"),
    (
        "We decided to use PostgreSQL instead of MySQL for billing.",
        "The user decided to use PostgreSQL instead of MySQL for billing",
    ),
    ("Our landlord Mr Hall raised the rent to 1,200 pounds.", "Mr Hall raised the rent to 1,200 pounds"),
]
LIES = [
    ("My sister Ana has a dog, and Ben doesn't eat meat but I like fish.", "The user has a dog"),
    ("My sister Ana has a dog, and Ben doesn't eat meat but I like fish.", "Ben has a dog"),
    ("My sister Ana has a dog, and Ben doesn't eat meat but I like fish.", "Ben likes fish"),
    ("My sister Ana has a dog, and Ben doesn't eat meat but I like fish.", "Ben eats meat"),
    ("My sister Ana has a dog, and Ben doesn't eat meat but I like fish.", "The user doesn't like fish"),
    ("I might move to York.", "The user moved to York"),
    ("I want to buy a kayak", "Has a kayak"),
    ("I want to buy a kayak", "Bought a kayak"),
    ("Do I have a kayak?", "Has a kayak"),
    ("My budget is 500 euros.", "The user's budget is 800 euros"),
    ("we talked about the harbour lights", "Emma wed Sofia on a rooftop on 2024-06-09"),
    ("我妹妹小雨养了一只狗，但是我不吃肉。", "用户养了一只狗"),
    ("我妹妹小雨养了一只狗，但是我不吃肉。", "用户吃肉"),
    ("我想买一只狗", "用户买了一只狗"),
    ("我想买一只狗", "用户有一只狗"),
    ("Ana met Ben at work", "Ben met Ana at work"),
    ("I fly from York to Bath", "The user flies from Bath to York"),
    ("I sold my kayak", "The user has a kayak"),
    ("My sister has a dog", "The user has a dog"),
    ("我妹妹有一只狗", "用户有一只狗"),
    ("I used to live in Rome", "The user lives in Rome"),
    ("我以前住在北京", "用户住在北京"),
    ("If I get the job I move to York", "The user moves to York"),
    ("I told Ben I have a dog", "Ben has a dog"),
    ('Ben said "I have a dog"', "The user has a dog"),
    ("Deploy on Monday. Never on Friday.", "Deploy on Friday"),
    ("张伟的狗咬了李娜的猫", "李娜的猫咬了张伟的狗"),
    ("I don't have a car", "The user has a car"),
    ("我没有车", "用户有车"),
    ("Ana has a cat. Ben has a dog.", "Ana has a dog"),
    ("You should try the kayak", "The user should try the kayak"),
    ("Kiln", "Kiln"),
    ("I have an appointment tomorrow", "The user has an appointment on 2026-07-28"),
    ("Our landlord Mr Hall raised the rent to 1,200 pounds.", "The user raised the rent to 1,200 pounds"),
    ("Our landlord Mr Hall raised the rent to 1,200 pounds.", "Raised the rent to 1,200 pounds"),
    ("I quit smoking in May but my husband Tom still smokes ten a day.", "The user smokes ten a day"),
    ("I quit smoking in May but my husband Tom still smokes ten a day.", "Tom quit smoking in May"),
    ("老板周强说项目推迟到九月，不过我还没告诉客户。", "周强没告诉客户"),
    ("我女儿小米不吃香菜，儿子大宝什么都吃。", "用户的儿子大宝不吃香菜"),
    ("The staging server runs on port 8081, production on 443.", "Production runs on port 8081"),
    ("Never restart production during the day; Maya has to approve it first.", "The user has to approve it first"),
    ("I thought about becoming a vegetarian. Lena is one.", "The user is a vegetarian"),
]


def source(text: str, **more: str) -> Source:
    return Source(text, more.get("role", "user"), more.get("speaker"), "2026-07-25T10:00:00+00:00")


@pytest.mark.parametrize(("text", "candidate"), SUPPORTED)
def test_what_is_said_is_grounded(text: str, candidate: str) -> None:
    """The words of the source in another form, of the same person, as surely, denied alike."""
    spans, why = grounded(candidate, source(text))
    assert (bool(spans), why) == (True, "")
    assert all(0 <= start < end <= len(text) for start, end in spans)


@pytest.mark.parametrize(("text", "candidate"), LIES)
def test_what_is_not_said_is_refused(text: str, candidate: str) -> None:
    """A flipped denial, another person, a changed number, a plan told as done, a question told as fact, …"""
    spans, why = grounded(candidate, source(text))
    assert (spans, bool(why)) == ((), True)


def test_the_span_is_the_clause_that_says_it() -> None:
    """Not the whole message."""
    text = "My sister Ana has a dog, and Ben doesn't eat meat but I like fish."
    assert [text[start:end] for start, end in grounded("The user likes fish", source(text))[0]] == ["I like fish"]


def test_a_speaker_may_be_called_by_name() -> None:
    """Whoever speaks is the user, or bears the name that the message has."""
    assert grounded("Ana likes fish", source("I like fish", speaker="Ana"))[0]
    assert not grounded("Ben likes fish", source("I like fish", speaker="Ana"))[0]


def test_the_reason_names_what_is_missing() -> None:
    """For whoever judges the entry by hand."""
    assert grounded("The user's budget is 800 euros", source("My budget is 500 euros."))[1].endswith("does not say 800")
    assert "denied" in grounded("The user eats meat", source("I don't eat meat."))[1]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("轮询间隔改为2秒", "我把轮询间隔改成2秒了", True), ("轮询间隔已改为2秒。", "轮询间隔改成2秒", True), ("likes jazz", "I like jazz", True),
     ("I don't like jazz", "likes jazz", False), ("Budget 500", "Budget 800", False), ("Uses ruff", "I wrap code and use ruff", False)],
)  # fmt: skip
def test_texts_that_say_the_same(one: str, other: str, same: bool) -> None:
    """Forms of words do not count; numbers and denials do."""
    assert alike(one, other) is same


def test_examples_of_a_prompt_are_known() -> None:
    """Also in other forms of their words."""
    assert copied("The user's sister Imogen moves to Trondheim", ["My sister Imogen moved to Trondheim in March."])
    assert not copied("The user lives in Bath", ["My sister Imogen moved to Trondheim in March."])


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tables_match_their_examples(language: str) -> None:
    """Each pattern matches its own examples and no counterexample."""
    for key, entry in table(language, "grounding").items():
        assert (key, [text for text in entry["yes"] if not weighing(key, "grounding").search(text)]) == (key, [])
        assert (key, [text for text in entry["no"] if weighing(key, "grounding").search(text)]) == (key, [])


def test_a_long_message_is_held_against_a_candidate_in_time() -> None:
    """100,000 characters of clauses: what is quadratic would take minutes."""
    text = "I walked to the harbour and looked at the lights. " * 2000
    assert not grounded("The user bought a lighthouse in the harbour", source(text))[0]
