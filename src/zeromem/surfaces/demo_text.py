"""Draws the demo for people: every question with its context and reasons, then the tokens saved.

In: what `demo.py` found out. Out: text and one table on stdout. Imported only when it is drawn, because rich is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from zeromem.surfaces.cli_explain import console
from zeromem.surfaces.cli_text import safe

if TYPE_CHECKING:  # demo.py imports this module when it draws
    from zeromem.surfaces.demo import Answer, Demo


def show(demo: Demo, keep: str | None, user: str) -> None:
    out = console()
    _line(out, f"\n{demo.messages} messages of {demo.sessions} sessions are remembered. Five questions:", "bold")
    for number, answer in enumerate(demo.answers, 1):
        _question(out, number, answer, demo)
    _line(out, "\nTwo messages that need no memory:", "bold")
    for answer in demo.silent:
        told = f"silent ({answer.context.reason})" if not answer.context.text else "NOT SILENT"
        _line(out, f"  {answer.question}  →  {answer.context.tokens} tokens, {told}")
    _line(out, f"\nEvery memory leads back to its bytes: zeromem expand {demo.expanded.card.pointer}", "bold")
    event = demo.expanded.spans[-1].event
    _line(out, f"  {event.id}  {event.at}  {event.speaker or event.role}: {safe(event.text)}")
    _line(out, "  the same text as in the sample, byte for byte" if demo.exact else "  NOT the text of the sample")
    out.print()
    out.print(_savings(demo))
    if keep is not None:
        _line(out, f"The memory is in {keep}; try: zeromem --db {keep} --user {user} list")


def _question(out: Console, number: int, answer: Answer, demo: Demo) -> None:
    context = answer.context
    _line(out, f"\n{number}. {answer.question}", "bold cyan")
    _line(out, safe(context.text).rstrip() or f"(nothing: {context.reason})")
    _line(out, f"why     {'; '.join(answer.why)}", "dim")
    _line(out, f"tokens  {context.tokens:,} here, {demo.last_ten_tokens:,} for the last ten messages, "
               f"{demo.full_tokens:,} for the whole history")  # fmt: skip
    told = "inside" if answer.found else "MISSING"
    named = answer.expect if answer.found else [words for words in answer.expect if words not in context.text]
    last = "also in" if answer.in_last_ten else "not in"
    wanted = " and ".join(f"“{words}”" for words in named)
    _line(out, f"answer  {told}: {wanted} ({last} the last ten messages)", "green" if answer.found else "red")


def _line(out: Console, text: str, style: str = "") -> None:
    """Text as it is: the terminal may wrap it, but no line break is put into it."""
    out.print(Text(text, style=style), soft_wrap=True)


def _savings(demo: Demo) -> Table:
    table = Table(title="Tokens in the prompt", title_justify="left")
    table.add_column("question", overflow="fold")
    for name in ("memory", "last ten", "whole history", "saved"):
        table.add_column(name, justify="right")
    table.add_column("answer inside")
    for answer in (*demo.answers, *demo.silent):
        used = answer.context.tokens
        inside = ("yes" if answer.found else "no") if answer.expect else "none needed"
        table.add_row(
            Text(answer.question), f"{used:,}", f"{demo.last_ten_tokens:,}", f"{demo.full_tokens:,}",
            f"{1 - used / demo.full_tokens:.0%}", inside,
        )  # fmt: skip
    return table
