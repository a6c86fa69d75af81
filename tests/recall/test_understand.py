"""What a question asks: examples of the rule tables, and what a long message comes down to."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from zeromem import Memory
from zeromem.asking import ask_options
from zeromem.recall.pipeline import begin
from zeromem.recall.understand import asked_slots, focus, overview, past, personal, understand, wide
from zeromem.rules import LANGUAGES, slots, table, weighing


@pytest.mark.parametrize("form", [wide, overview, personal, past])
@pytest.mark.parametrize("language", LANGUAGES)
def test_examples_of_the_tables(language: str, form: Callable[[str], bool]) -> None:
    """Every example of the tables is read as it says."""
    rules = table(language, "questions")[form.__name__]
    assert [text for text in rules["yes"] if not form(text)] == []
    assert [text for text in rules["no"] if form(text)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_examples_of_slots_that_are_asked_for(language: str) -> None:
    """Every example asks for its slots and no more; every slot of the table is one of facts."""
    rules = table(language, "asks")
    assert {text: list(asked_slots(text)) for text in rules["examples"]} == rules["examples"]
    assert rules["slots"].keys() <= slots().keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_examples_of_the_words_that_weigh_claims(language: str) -> None:
    """Each pattern finds what it says and nothing else."""
    for key, entry in table(language, "weighing").items():
        assert (key, [text for text in entry["yes"] if not weighing(key).search(text)]) == (key, [])
        assert (key, [text for text in entry["no"] if weighing(key).search(text)]) == (key, [])


@pytest.mark.parametrize("language", LANGUAGES)
def test_examples_of_open_questions(open_memory: Callable[..., Memory], language: str) -> None:
    """A question of a time, or of everything about me, has no topic."""
    memory = open_memory("open.db", embedder="none")
    memory.add("The harbour is closed.", user="u")
    rules = table(language, "questions")["open"]
    for text, expected in [*((text, True) for text in rules["yes"]), *((text, False) for text in rules["no"])]:
        state = understand(begin(memory._sources(), text, ask_options({"user": "u"}, memory._clock), budget=800))
        assert state.question is not None
        assert (text, state.question.open) == (text, expected)


@pytest.mark.parametrize("language", LANGUAGES)
def test_examples_of_overviews_without_a_topic(open_memory: Callable[..., Memory], language: str) -> None:
    """They are of the last session, or of the time that they name."""
    memory = open_memory("recap.db", embedder="none")
    memory.add("The harbour is closed.", user="u")
    rules = table(language, "questions")["recap"]
    for text, expected in [*((text, True) for text in rules["yes"]), *((text, False) for text in rules["no"])]:
        state = understand(begin(memory._sources(), text, ask_options({"user": "u"}, memory._clock), budget=800))
        assert state.question is not None
        assert (text, state.question.recap) == (text, expected)


def test_a_question_for_many_is_filled_and_one_for_one_is_lean(open_memory: Callable[..., Memory]) -> None:
    """ "Which books" takes all that the budget holds, without a budget named too."""
    memory = open_memory("wide.db", embedder="none")
    read = ["Middlemarch", "Walden", "Emma", "Dracula", "Ulysses", "Beloved", "Persuasion", "Dubliners"]
    memory.add([{"role": "user", "content": f"I have read the book {name}."} for name in read], user="u")
    memory.add([{"role": "user", "content": f"The kettle stands on shelf {i}."} for i in range(40)], user="u")
    assert len(memory.recall("Which books have I read?", user="u").cards) >= len(read)
    assert len(memory.recall("Have I read the book Walden?", user="u").cards) < len(read)


def test_a_long_message_comes_down_to_its_question() -> None:
    """Repeated instructions count once, and the question is kept; a short message stays as it is."""
    text = "You are a careful agent. " * 60 + "Always be kind and answer in full. where is the lab key?"
    assert focus(text).endswith("where is the lab key?")
    assert len(focus(text)) < 200
    assert focus("short one") == "short one"


def test_an_open_question_has_all_of_its_time(open_memory: Callable[..., Memory]) -> None:
    """ "What did we talk about in November?" shows November and nothing else; "about me" what people said."""
    memory = open_memory("open.db", embedder="none")
    memory.add("We repaired the bicycle.", user="u", at="2025-11-22T10:00:00+00:00")
    memory.add("我们去看了灯塔。", user="u", at="2025-11-22T15:00:00+00:00")
    memory.add("The cellar is dry again.", user="u", at="2026-02-01T10:00:00+00:00")
    for question in ("What did we talk about on 22 November 2025?", "2025年11月22日我们聊了什么？"):
        context = memory.recall(question, user="u", at="2026-03-01")
        assert [card.text for card in context.cards] == ["We repaired the bicycle.", "我们去看了灯塔。"]
    assert len(memory.recall("What do you know about me?", user="u").cards) == 3
    assert not memory.recall("What did we talk about in May 2024?", user="u", at="2026-03-01")


def test_a_short_answer_comes_with_its_question(open_memory: Callable[..., Memory]) -> None:
    """ "43" shares no word with any question about shoes."""
    memory = open_memory("answer.db", embedder="none")
    memory.add(
        [{"role": "assistant", "content": "What is your shoe size?"}, {"role": "user", "content": "43"}],
        user="u",
        session="s",
    )
    memory.add(
        [{"role": "assistant", "content": "您对什么过敏？"}, {"role": "user", "content": "青霉素和芒果。"}],
        user="u",
        session="t",
    )
    assert "43" in memory.recall("What's my shoe size?", user="u").text
    assert "芒果" in memory.recall("我对什么过敏？", user="u").text


def test_the_same_question_asked_before_comes_last(open_memory: Callable[..., Memory]) -> None:
    """It knows no more than the one that is asked now."""
    memory = open_memory("again.db", embedder="none")
    memory.add("My locker code is 4471.", user="u")
    memory.add("What's my locker code?", user="u")
    assert memory.recall("What's my locker code?", user="u").cards[0].text == "My locker code is 4471."


def test_what_the_window_hides_is_named(open_memory: Callable[..., Memory]) -> None:
    """ "Nothing matches" would be wrong."""
    memory = open_memory("window.db", embedder="none")
    memory.add("I take my coffee black.", user="u", session="breakfast")
    context = memory.recall("How do I take my coffee?", user="u", session="breakfast")
    assert not context
    assert "window=0" in context.reason
    assert memory.recall("How do I take my coffee?", user="u", session="breakfast", window=0)


@pytest.mark.parametrize("language", LANGUAGES)
def test_examples_of_questions_that_list(open_memory: Callable[..., Memory], language: str) -> None:
    """They ask for all values of a slot and for nothing else."""
    memory = open_memory("lists.db", embedder="none")
    memory.add("I live in Bath.", user="u")
    rules = table(language, "asks")["listed"]
    for text, expected in [*((text, True) for text in rules["yes"]), *((text, False) for text in rules["no"])]:
        state = understand(begin(memory._sources(), text, ask_options({"user": "u"}, memory._clock), budget=800))
        assert state.question is not None
        assert (text, state.question.lists) == (text, expected)


ALLERGIES = ["I am allergic to peanuts.", "I have a latex allergy.", "我对芒果过敏。"]
CLINICS = [f"The allergy clinic on floor {i} opens at 9." for i in range(20)] + [
    f"我在第{i}层看到了过敏科。" for i in range(20)
]


@pytest.mark.parametrize(
    "asked",
    ["Which allergies do I have?", "What am I allergic to?", "我对什么过敏？", "我对哪些东西过敏？", "列出我的过敏原"],
)
def test_all_values_of_a_slot_are_shown_and_few_other_cards(open_memory: Callable[..., Memory], asked: str) -> None:
    """Whatever stands nearer in words: the cards that state one, in either language, and two more; of a named budget they come first."""
    memory = open_memory("allergies.db", embedder="none")
    for day, text in enumerate([*ALLERGIES, "Tom is allergic to eggs.", *CLINICS]):
        memory.add(text, user="u", at=f"2026-{day // 28 + 1:02d}-{day % 28 + 1:02d}")
    shown = [card.text for card in memory.recall(asked, user="u").cards]
    assert set(ALLERGIES) <= set(shown) and len(shown) <= len(ALLERGIES) + 2
    assert set(ALLERGIES) <= {card.text for card in memory.recall(asked, user="u", budget=110).cards}
    assert len(memory.recall("我对哪些东西过敏？", user="u", budget=400).cards) > len(ALLERGIES) + 2


def test_a_question_with_a_topic_is_filled_as_before(open_memory: Callable[..., Memory]) -> None:
    """Facts do not know which restaurants were in Rome."""
    memory = open_memory("rome.db", embedder="none")
    memory.add("I like jazz.", user="u")
    for name in ("Lilla", "Marta", "Otto", "Pino", "Rosa", "Sara"):
        memory.add(f"In Rome the restaurant {name} was to my taste.", user="u")
    assert len(memory.recall("Which restaurants in Rome did I like?", user="u").cards) >= 6
