"""The everyday sets hold what they say, train and test apart, and are measured."""

from __future__ import annotations

from itertools import chain

from bench import everyday


def test_the_sets_are_whole_and_apart() -> None:
    """Every gold turn exists, every scope has questions with and without an answer, and nothing stands in both halves."""
    halves = {split: everyday.load(split) for split in ("train", "test")}
    for data in halves.values():
        for question in chain(data.questions, data.unanswerable):
            held = {turn.id for turn in data.turns[question.conversation]}
            assert question.turns <= held
            assert bool(question.turns) == question.answerable
        assert (
            {q.conversation for q in data.questions} == {q.conversation for q in data.unanswerable} == set(data.turns)
        )
        assert {"cross", "en", "zh"} <= {question.category for question in data.questions}
    texts = [{question.text for question in data.questions} for data in halves.values()]
    assert not texts[0] & texts[1]
    assert not set(everyday.world("train")) & set(everyday.world("test"))


def test_a_measure_has_its_shares() -> None:
    """Shares are shares, and a store asked by words alone finds some and keeps silent for most of the world."""
    found = everyday.measure(None)
    assert found["n"] == len(everyday.load("test").questions)
    assert 0.3 < found["any@1"] <= found["any@3"] <= 1
    assert found["shown"] + found["silent"] <= 1
    assert found["world_silent"] > 0.9
    assert {"cross", "en", "zh"} <= set(found["by_kind"])
