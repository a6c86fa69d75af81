"""Draws why a recall came out as it did: what every stage did, and every candidate with its scores and its fate.

In: a Context with its trace. Out: two tables on stdout. Imported only for `--explain` and the
demo, because rich takes as long to import as a recall.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from zeromem.plural import counted
from zeromem.surfaces.cli_text import one_line
from zeromem.types import Context

_WIDEST = 110  # of a terminal that does not tell its width
_SHOWN = 36  # columns of a candidate's text


def console() -> Console:
    """The terminal as wide as it is; a pipe or file gets enough room for the tables."""
    found = Console(highlight=False)
    return found if found.is_terminal else Console(highlight=False, width=_WIDEST)


def explain_recall(context: Context) -> None:
    out = console()
    out.print(stages(context))
    if found := next((step.detail["candidates"] for step in context.trace if step.detail.get("candidates")), None):
        out.print(candidates(context, found))


def stages(context: Context) -> Table:
    """One row a stage: cards in and out, why, and milliseconds."""
    table = Table(title="Stages", title_justify="left")
    table.add_column("stage")
    table.add_column("in", justify="right")
    table.add_column("out", justify="right")
    table.add_column("why", overflow="fold")
    table.add_column("ms", justify="right")
    for step in context.trace:
        table.add_row(step.stage, f"{step.into:,}", f"{step.out:,}", Text(one_line(step.why)), f"{step.ms:.2f}")
    return table


def candidates(context: Context, found: Sequence[Mapping[str, Any]]) -> Table:
    """One row a candidate of the recall's own trace: fused score, the score of every arm, and why it was kept or dropped."""
    arms = list(dict.fromkeys(name for one in found for name in one["arms"]))
    table = Table(title=f"Candidates, the best {len(found)}", title_justify="left")
    table.add_column("pointer", no_wrap=True)
    for name in ("score", *arms):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("kept or dropped", min_width=16, overflow="fold")
    table.add_column("text", overflow="fold")
    for one in found:
        scores = [
            f"{one['arms'][name]:.2f}" if one["arms"].get(name) == one["arms"].get(name) else "-" for name in arms
        ]
        text = Text(one_line(one["text"]))
        text.truncate(_SHOWN, overflow="ellipsis")
        pointer = Text(f"[m:{one['pointer']}]")
        table.add_row(pointer, f"{one['score']:.2f}", *scores, Text(fate(context, one["pointer"])), text)
    return table


def fate(context: Context, pointer: str) -> str:
    """Why a candidate stands in the context, or why not."""
    cited = next((citation for citation in context.citations if citation.pointer == pointer), None)
    if cited is not None:
        return f"kept, {counted(cited.tokens, 'token')}" + (", shortened" if cited.shortened else "")
    for step in context.trace:
        told = step.detail.get("dropped")
        if isinstance(told, dict) and pointer in told:
            return f"dropped: {one_line(str(told[pointer]))}"
    return f"dropped: {context.reason}"
