"""Draws why a recall came out as it did: what every stage did, and every candidate with its scores and its fate.

In: a Context with its trace, and the hits of the same question. Out: two tables on stdout. Imported only for `--explain` and the
demo, because rich takes as long to import as a recall.
"""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from zeromem.surfaces.cli_text import one_line
from zeromem.types import Card, Context, Hits

_WIDEST = 110  # of a terminal that does not tell its width
_SHOWN = 36  # columns of a candidate's text


def console() -> Console:
    """The terminal as wide as it is; a pipe or file gets enough room for the tables."""
    found = Console(highlight=False)
    return found if found.is_terminal else Console(highlight=False, width=_WIDEST)


def explain_recall(context: Context, hits: Hits | None) -> None:
    out = console()
    out.print(stages(context))
    if hits:
        out.print(candidates(context, hits))


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


def candidates(context: Context, hits: Hits) -> Table:
    """One row a candidate: the fused score, the score of every arm, and why it was kept or dropped."""
    arms = list(dict.fromkeys(name for hit in hits for name in hit.arms))
    table = Table(title="Candidates", title_justify="left")
    table.add_column("pointer", no_wrap=True)
    for name in ("score", *arms):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("kept or dropped", min_width=16, overflow="fold")
    table.add_column("text", overflow="fold")
    for hit in hits:
        scores = [f"{hit.arms[name]:.2f}" if hit.arms.get(name) == hit.arms.get(name) else "-" for name in arms]
        text = Text(one_line(hit.text))
        text.truncate(_SHOWN, overflow="ellipsis")
        table.add_row(Text(f"[m:{hit.pointer}]"), f"{hit.score:.2f}", *scores, Text(fate(context, hit.card)), text)
    return table


def fate(context: Context, card: Card) -> str:
    """Why a candidate stands in the context, or why not."""
    cited = next((citation for citation in context.citations if citation.id == card.id), None)
    if cited is not None:
        return f"kept, {cited.tokens} tokens" + (", shortened" if cited.shortened else "")
    for step in context.trace:
        told = step.detail.get("dropped")
        if isinstance(told, dict) and card.pointer in told:
            return f"dropped: {one_line(str(told[card.pointer]))}"
    if not context.text:
        return f"dropped: {context.reason}"
    if card.pointer in context.dropped:
        return f"dropped: {card.tokens} tokens, no room or enough already"
    return "dropped: not among the ranked"
