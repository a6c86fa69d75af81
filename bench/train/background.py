"""Makes `weights/background_<embedder>.npz`: vectors of unrelated passages and questions in two language groups.

In: the MIT and Apache sets. Out: arrays passages0, questions0 (alphabets), passages1, questions1 (Han), float16, and the hash of the
texts they were made of; the `spread` and chance `levels` that follow from them. Sampled with a fixed seed; no text is kept.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import random
import re
from pathlib import Path
from typing import Any

import numpy as np

from zeromem.models.local import embedder
from zeromem.structures.background import make

PASSAGES, QUESTIONS = 160, 96  # a group
_SETS = ("longmemeval", "realmem", "vehiclemembench", "madial", "lifebench_zh")
_HAN = re.compile("[\u4e00-\u9fff]")
_LONGEST = 300  # characters


def texts(data: Path, kind: str, field: str, count: int) -> list[list[str]]:
    """`count` texts for each language group, as evenly from the sets as they go."""
    groups: list[list[str]] = [[], []]
    chance = random.Random(20260101)
    for han in (0, 1):
        pools = []
        for name in _SETS:
            found = sorted({str(row[field])[-_LONGEST:] for row in _rows(data / name / f"{kind}.jsonl.gz")})
            pools.append([text for text in found if _share(text) == han and text.strip()])
        chance.shuffle(pools)
        for pool in pools:
            chance.shuffle(pool)
        while len(groups[han]) < count and any(pools):
            for pool in pools:
                if pool and len(groups[han]) < count:
                    groups[han].append(pool.pop())
    return groups


def _rows(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _share(text: str) -> int:
    return int(len(_HAN.findall(text)) * 3 > len(text))


def train(data: Path, out: Path, name: str) -> dict[str, Any]:
    """Write the background of one embedder; return what it was made of."""
    model = embedder(name)
    if model is None:
        raise ValueError("a background needs an embedder")
    passages, questions = texts(data, "turns", "text", PASSAGES), texts(data, "questions", "question", QUESTIONS)
    arrays = {f"passages{i}": model.passages(group).astype(np.float16) for i, group in enumerate(passages)}
    arrays |= {
        f"questions{i}": np.stack([model.query(text) for text in group]).astype(np.float16)
        for i, group in enumerate(questions)
    }
    passage_groups, question_groups = (
        tuple(arrays[f"{kind}{i}"].astype(np.float32) for i in range(2)) for kind in ("passages", "questions")
    )
    known = make(passage_groups, question_groups)
    arrays |= {"spread": np.array(known.spread), "levels": np.array([known.seldom, known.rare])}
    mark = hashlib.sha256(json.dumps([passages, questions]).encode()).hexdigest()
    np.savez_compressed(out / f"background_{name}.npz", **arrays)
    return {
        "embedder": name,
        "sha256": mark,
        "passages": [len(g) for g in passages],
        "questions": [len(g) for g in questions],
    }
