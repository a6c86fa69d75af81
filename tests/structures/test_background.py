"""Relevance beyond what is usual: zero for the background itself, high for related texts, across languages."""

from __future__ import annotations

import numpy as np
import pytest

from zeromem.models.local import embedder
from zeromem.recall.weights import background
from zeromem.structures.background import Background, make


def relevance(known: Background, question: np.ndarray, card: np.ndarray) -> float:
    group, level = known.card_side(card[None, :])
    asked, means, deviations = known.question_side(question)
    cosine = float(card @ question)
    own = (cosine - means[group[0]]) / deviations[group[0]]
    return float(own + (cosine - level[0, asked]) / known.spread[asked])


def test_unrelated_vectors_stand_at_zero() -> None:
    """Random texts are about 0, a text and itself far above, and the chance levels are ordered."""
    chance = np.random.default_rng(7)
    groups = [[_unit(chance.normal(centre, 1, (60, 32))) for centre in (0.0, 0.6)] for _ in range(2)]
    known = make(tuple(groups[0]), tuple(groups[1]))
    assert 0 < known.seldom < known.rare
    other = _unit(chance.normal(0.6, 1, (200, 32)))
    found = [relevance(known, question, card) for question, card in zip(groups[1][1], other, strict=False)]
    assert abs(float(np.mean(found))) < 0.6
    assert relevance(known, other[0], other[0]) > 2 * known.rare


def _unit(matrix: np.ndarray) -> np.ndarray:
    return (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("name", ["e5", "fast"])
def test_shipped_levels_are_those_of_the_shipped_vectors(name: str) -> None:
    """They are kept beside the vectors, since working them out takes longer than a recall."""
    known = background(name)
    assert known is not None
    made = make(known.passages, known.questions)
    assert (known.seldom, known.rare) == pytest.approx((made.seldom, made.rare), abs=1e-4)
    assert known.spread == pytest.approx(made.spread, abs=1e-6)


@pytest.mark.parametrize("name", ["e5", pytest.param("fast", marks=pytest.mark.slow)])
def test_related_texts_clear_the_bar_in_both_languages(name: str) -> None:
    """Shipped backgrounds: related pairs above the 2 % level, also across languages; unrelated ones below."""
    model, known = embedder(name), background(name)
    assert model is not None and known is not None
    related = [
        ("when does my passport expire", "我的护照到期日是 2029-11-03。"),
        ("我住在哪个城市", "I live in Lyon."),
        ("who is my doctor", "Dr. Ng is my vet"),
        ("我不吃什么", "我讨厌香菜。"),
    ]
    unrelated = [
        ("测试模型访问", "CocoIndex 项目的代码检索工具还在调试。"),
        ("how do I reverse a linked list", "I love aniseed tea."),
        ("天气怎么样", "My cat is Pixel"),
    ]
    for question, card in related:
        assert relevance(known, model.query(question), model.passages([card])[0]) > known.seldom, question
    for question, card in unrelated:
        assert relevance(known, model.query(question), model.passages([card])[0]) < known.seldom, question
