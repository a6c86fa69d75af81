"""The commands that stand on a chat model: ask, and review of what one proposed.

In: arguments. Out: an answer with the memories that it names, the quarantine as a table, or JSON.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

import typer

from zeromem.errors import InvalidInput
from zeromem.plural import counted
from zeromem.proposals import Answer, Proposed, Quarantined
from zeromem.surfaces import cli_text as text
from zeromem.surfaces.cli_call import Call, command
from zeromem.surfaces.cli_write import embed

app = typer.Typer()


@command(app, "ask")
def ask(
    call: Call,
    question: Annotated[str, typer.Argument(help="The question.")],
    *,
    budget: Annotated[
        int | None, typer.Option("--budget", "-b", help="Tokens of memories that the model sees.")
    ] = None,
    tokens: Annotated[int, typer.Option("--tokens", help="Tokens of the answer at most.")] = 512,
) -> None:
    """Answer a question from memory by the chat model that ZEROMEM_CHAT_URL and ZEROMEM_CHAT_MODEL name, with the memories it is from.

    Example: zeromem ask "Which hotel did we book?"
    """
    with call.memory() as memory:
        found = memory.ask(question, budget=budget, tokens=tokens, **call.ids)
        call.answer(found, answer_text(found))
        for warning in found.warnings:
            call.note(f"warning: {warning}")
        if not found:
            call.note(found.reason)
            call.note_empty(memory)
        elif found.model:
            call.note(f"{found.model}: {_cost(found)}")


@command(app, "review")
def review(
    call: Call,
    *,
    accept: Annotated[
        list[str] | None, typer.Option("--accept", metavar="ID", help="Make a memory of this entry.")
    ] = None,
    reject: Annotated[list[str] | None, typer.Option("--reject", metavar="ID", help="It is not so.")] = None,
    verdict: Annotated[
        Literal["waiting", "accepted", "rejected"], typer.Option("--verdict", help="Which entries are listed.")
    ] = "waiting",
) -> None:
    """List what a chat model proposed and what was said does not support, or judge it. None of it is recalled.

    Example: zeromem review

    Example: zeromem review --accept q0650f3b2a1c9d4e5f60718293a
    """
    if both := sorted(set(accept or ()) & set(reject or ())):
        raise InvalidInput(f"{both[0]!r:.60} is to be accepted and rejected; say one")
    with call.memory() as memory:
        if accept or reject:
            done = [memory.accept(id_, **call.ids) for id_ in accept or ()]
            done += [memory.reject(id_, **call.ids) for id_ in reject or ()]
            for receipt in done:
                embed(memory, call, receipt)
            call.answer({"receipts": done}, "\n".join(text.receipt_text(receipt) for receipt in done))
            return
        found = memory.review(verdict=verdict, **call.ids)
        call.answer({"entries": found}, review_text(found))
        if not found:
            call.note("nothing waits to be judged" if verdict == "waiting" else f"nothing was {verdict}")


def answer_text(found: Answer) -> str:
    """The answer, and below it the memories that it names."""
    if not found:
        return ""
    cards = {card.pointer: card for card in found.context.cards}
    lines = [f"  [m:{one.pointer}] {one.at[:10]} {text.one_line(cards[one.pointer].text)}" for one in found.citations]
    return "\n".join([text.safe(found.text), *lines])


def review_text(found: list[Quarantined]) -> str:
    """Entries as a table, one a line."""
    rows = [
        (one.id, one.at[:16].replace("T", " "), text.one_line(one.text), text.one_line(one.reason)) for one in found
    ]
    return "\n".join(f"{id_}  {at}  {words}  ({why})" for id_, at, words, why in rows)


def proposed_text(done: Proposed) -> Iterator[str]:
    """What a chat model did in a run of upkeep, one thing a line; nothing where none was asked."""
    if not (done.read or done.items or done.spent.calls or done.waiting):
        return
    told = {name: done.count(status) for name, status in (
        ("stored", "stored"), ("quarantined", "quarantined"), ("duplicate", "duplicate"), ("ignored", "ignored"))}  # fmt: skip
    yield (
        f"model: {counted(done.read, 'message')} read, {', '.join(f'{count:,} {name}' for name, count in told.items())}; "
        f"{_cost(done)}" + (f"; {counted(done.waiting, 'message')} to be tried again" if done.waiting else "")
    )
    for item in done.items:
        yield f"  {item.status:<11} {text.one_line(item.text)}  ({text.one_line(item.reason)})"
    if done.reason:
        yield f"  {done.reason}"


def _cost(done: Answer | Proposed) -> str:
    spent = done.spent
    money = f", cost {spent.cost:.4f}" if spent.cost else ""
    return f"{counted(spent.calls, 'call')}, {counted(spent.prompt, 'token')} in, {spent.completion:,} out, {spent.seconds:.1f} s{money}"
