"""Understands the question: its words and their weight in this scope, language, names, quotations, identifiers and times.

In: the question and when it is asked. Out: `question`. Rules only; a word's weight is its rarity within the scope, so that
another scope's text never changes it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from zeromem.clock import moment
from zeromem.recall.state import Question, Recall
from zeromem.structures.linear import rarity
from zeromem.text.times import find
from zeromem.text.words import content, hashes, identifiers, language, names, quoted, terms

_LONG = 64  # content words; of a longer question (instructions around it) the last ones ask


def understand(recall: Recall) -> Recall:
    """Fill in the question. Words of topic count; if there are none, all words do."""
    text = recall.query
    found = terms(text)
    asked = list(dict.fromkeys(content(found) or found))[-_LONG:]
    numbers = hashes(asked)
    weights = rarity(recall.snapshot, [int(number) for number in numbers])
    question = Question(
        text, tuple(found), tuple(asked), tuple(int(n) for n in numbers), tuple(float(w) for w in weights), language(text),
        tuple(names(text)), tuple(quoted(text)), tuple(identifiers(text)), find(text, moment(recall.now)),
    )  # fmt: skip
    detail = {
        "terms": {term: round(weight, 2) for term, weight in zip(asked, question.weights, strict=True)},
        "names": question.names,
        "times": [f"{span.text}: {span.start:%Y-%m-%d}…{span.end:%Y-%m-%d}" for span in question.times],
    }
    known = int(np.count_nonzero(weights))
    return replace(recall, question=question, note=f"{known} of {len(asked)} words known in this scope", detail=detail)
