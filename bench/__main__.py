"""The command line: `python -m bench NAME --data DIR`. One JSON object on stdout, progress on stderr.

In: a benchmark's name and options. Out: with --json the object alone, without it a table and the object; with --save also a
file below `bench/results/`, named by commit.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench import changes, data, decisions, everyday, extraction, gate, precision, refine, retrieval, speed
from bench.cache import cached
from bench.memories import Filled

NAMES = (
    *data.SETS,
    "everyday",
    "gold_memories",
    "facts",
    "updates",
    "precision",
    "refine",
    "decisions",
    "gate",
    "speed",
    "train",
)
_COLUMNS = ("n", "any@5", "any@10", "all@5", "all@10", "frac@5", "frac@10", "session_any@5", "session_all@5", "turn_frac@10",
            "gold@400", "gold@800", "gold@1600", "gold", "tokens_mean", "answered")  # fmt: skip

_CHANGES = {
    "facts": changes.facts,
    "updates": changes.updates,
    "precision": precision.measure,
    "refine": refine.measure,
}


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    started, measured = time.monotonic(), commit()  # the commit before the run: the tree may move on while it lasts
    result = _run(options)
    result["commit"] = measured
    result["seconds"] = round(time.monotonic() - started, 1)
    if options.save:
        _save(result, options)
    if not options.json:
        _show(result)
    print(json.dumps(result, ensure_ascii=False))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure zeromem on public data.")
    parser.add_argument(
        "name", choices=NAMES, help="a question set, or decisions, gate, speed; train makes the shipped weights"
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the folder that holds the sets")
    parser.add_argument("--embedder", choices=("e5", "fast", "none"), default="e5")
    parser.add_argument("--set", dest="of", choices=decisions.SETS, help="the set of `decisions`")
    parser.add_argument("--others", default=",".join(gate.OTHERS), help="further sets of `gate`, by commas")
    parser.add_argument("--out", type=Path, help="where `decisions` leaves its contexts (default: a temporary folder)")
    parser.add_argument("--limit", type=int, help="only the first N questions; for `speed` smaller scopes")
    parser.add_argument("--parts", default="background,fusion,gate", help="what `train` makes, by commas")
    parser.add_argument("--no-horizon", action="store_true", help="let turns that are dated after a question answer it")
    parser.add_argument(
        "--upkeep", action="store_true", help="run maintain before the questions, at the time of the last turn"
    )
    parser.add_argument("--json", action="store_true", help="print the object alone, without the table")
    parser.add_argument("--save", action="store_true", help="also write bench/results/COMMIT-NAME-EMBEDDER.json")
    return parser


def _run(options: argparse.Namespace) -> dict[str, Any]:
    Filled.upkeep = options.upkeep
    if options.name == "speed":
        return speed.measure(options.embedder, options.limit)
    if options.name == "train":
        return _train(options)
    if options.name == "gold_memories":
        return extraction.measure(options.data, options.limit)
    embedder = cached(options.embedder)
    if options.name == "everyday":
        return everyday.measure(embedder, options.limit)
    if options.name in _CHANGES:
        return _CHANGES[options.name](options.data, embedder, options.limit)
    if options.name == "gate":
        return gate.measure(options.data, embedder, options.limit, [name for name in options.others.split(",") if name])
    if options.name == "decisions":
        if options.of is None:
            raise SystemExit("decisions needs --set: " + ", ".join(decisions.SETS))
        return decisions.measure(options.data, options.of, embedder, options.limit, options.out)
    held = data.load(options.data, options.name, options.limit)
    return retrieval.measure(held.timeless() if options.no_horizon else held, embedder)


def _train(options: argparse.Namespace) -> dict[str, Any]:
    """All embedders at once, for they share weights. Only training needs scipy (`pip install '.[bench]'`), so it is loaded here."""
    run = import_module("bench.train.run").run
    return {"dataset": "train", **run(options.data, ("e5", "fast", "none"), options.parts.split(","))}


def commit() -> str:
    """The commit that is measured, with + where the tree differs from it; "unknown" outside a repository."""
    here = Path(__file__).parent
    try:
        name = _git(here, "rev-parse", "--short", "HEAD")
        changed = _git(here, "status", "--porcelain", "--", "../src")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return name + ("+" if changed else "")


def _git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def _save(result: Mapping[str, Any], options: argparse.Namespace) -> None:
    folder = Path(__file__).parent / "results"
    folder.mkdir(exist_ok=True)
    parts = [result["commit"].rstrip("+"), options.name, options.of, options.embedder]
    parts += [f"first{options.limit}"] if options.limit else []
    parts += ["no-horizon"] if options.no_horizon else []
    parts += ["upkeep"] if options.upkeep else []
    path = folder / ("-".join(part for part in parts if part) + ".json")
    path.write_text(json.dumps(result, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _show(result: Mapping[str, Any]) -> None:
    console = Console(stderr=True, width=200)
    if "baselines" not in result or "by_category" not in result:
        console.print_json(json.dumps(result, ensure_ascii=False))
        return
    rows = retrieval.table(result)
    columns = [name for name in _COLUMNS if any(name in row for _, row in rows)]
    table = Table(title=f"{result['dataset']}, {result['embedder']}, {result['commit']}")
    for name in ("", *columns):
        table.add_column(name, justify="right" if name else "left")
    for name, row in rows:
        table.add_row(name, *(_figure(row.get(column)) for column in columns))
    console.print(table)


def _figure(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3f}" if value <= 1 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


if __name__ == "__main__":
    sys.exit(main())
