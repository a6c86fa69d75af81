"""`python -m bench train`: makes every file of `src/zeromem/weights/` anew.

In: the data folder, the embedders to train, and which of background, fusion and gate. Out: the files, each with the hash of the data
it was made of. The background comes first: the other two are trained on relevances that it defines.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

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
    for part, train in (("fusion", ranking.train), ("gate", gating.train)):
        if part not in parts:
            continue
        path = WEIGHTS / f"{part}.json"
        tables = json.loads(path.read_text("utf-8"))["weights"] if path.exists() else {}
        for name in embedders:
            started = time.monotonic()
            tables[name] = train(folder, cached(name), name)
            print(f"  {part} {name}: {time.monotonic() - started:.0f} s {tables[name]}", file=sys.stderr)
        tables["other"] = tables.get(_OTHER[part], tables.get("other", {}))
        record = {"format": 1, "trained_on": _hashes(folder), "weights": tables}
        path.write_text(json.dumps(record, indent=1) + "\n", "utf-8")
        out[part] = tables
    return out


def _hashes(folder: Path) -> dict[str, str]:
    """SHA-256 of turns and questions of each training set."""
    out = {}
    for name in sorted({one for some in SETS.values() for one in some}):
        mark = hashlib.sha256()
        for file in ("turns", "questions"):
            mark.update((folder / name / f"{file}.jsonl.gz").read_bytes())
        out[name] = mark.hexdigest()
    return out
