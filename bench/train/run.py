"""`python -m bench train`: makes every file of `src/zeromem/weights/` anew.

In: the data folder, the embedders to train, and which of background, fusion and gate. Out: the files, each with the hash of the data
it was made of. The background comes first: the other two are trained on relevances that it defines.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import everyday
from bench.cache import cached
from bench.train import background, gating, ranking
from bench.train.states import SETS

WEIGHTS = Path(__file__).parents[2] / "src/zeromem/weights"
PARTS = ("background", "fusion", "gate")
_OTHER = {"fusion": "fast", "gate": "none"}  # whose table serves an embedder that nothing was trained for


def run(folder: Path, embedders: Sequence[str], parts: Sequence[str] = PARTS) -> dict[str, Any]:
    """Train and write; return what was written."""
    out: dict[str, Any] = {}
    if "background" in parts:
        out["background"] = [background.train(folder, WEIGHTS, name) for name in embedders if name != "none"]
    if "fusion" in parts:
        out["fusion"] = _write("fusion", folder, ranking.train(folder, {name: cached(name) for name in embedders}))
    if "gate" in parts:
        out["gate"] = _write("gate", folder, {name: gating.train(folder, cached(name), name) for name in embedders})
    return out


def _write(part: str, folder: Path, trained: dict[str, dict[str, float]]) -> dict[str, Any]:
    """Put trained tables into their file; those of other embedders stay."""
    path = WEIGHTS / f"{part}.json"
    tables = {**(json.loads(path.read_text("utf-8"))["weights"] if path.exists() else {}), **trained}
    tables["other"] = tables.get(_OTHER[part], tables.get("other", {}))
    record = {"format": 1, "trained_on": _hashes(folder), "weights": tables}
    path.write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    return tables


def _hashes(folder: Path) -> dict[str, str]:
    """SHA-256 of turns and questions of each training set, and of the repository's own files."""
    out = {}
    for name in sorted({one for some in SETS.values() for one in some}):
        files = [folder / name / f"{file}.jsonl.gz" for file in ("turns", "questions")]
        mark = hashlib.sha256()
        for file in everyday.files("train") if name == "everyday" else files:
            mark.update(file.read_bytes())
        out[name] = mark.hexdigest()
    return out
