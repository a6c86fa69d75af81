"""Texts and JSON-like values that hypothesis draws for the property tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest

from zeromem import Memory
from zeromem.models.scripted import ScriptedEmbedder

Fresh = Callable[..., AbstractContextManager[Memory]]


@pytest.fixture
def fresh(clock: Any) -> Fresh:
    """`with fresh() as memory`: one memory for one example, in RAM, with a scripted embedder."""

    @contextmanager
    def make(**options: Any) -> Iterator[Memory]:
        given = {"embedder": ScriptedEmbedder(), "clock": clock, "background": False, **options}
        with Memory.open(":memory:", **given) as memory:
            yield memory

    return make
