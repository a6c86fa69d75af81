"""The commands about what is held true: facts, add-fact, clarifications.

In: arguments. Out: facts as a table, receipts and questions as text, or JSON.
"""

from __future__ import annotations

from typing import Annotated

import typer

from zeromem.surfaces import cli_text as text
from zeromem.surfaces.cli_call import Call, command
from zeromem.surfaces.cli_read import AsOf, KnownAt
from zeromem.surfaces.cli_write import embed

app = typer.Typer()

Subject = Annotated[str, typer.Argument(metavar="SUBJECT", help="Who or what: user (the speaker), or a name.")]


@command(app, "facts")
def facts(
    call: Call,
    subject: Annotated[
        str | None,
        typer.Argument(metavar="[SUBJECT]", help="Who or what: user (the speaker), or a name; default everybody."),
    ] = None,
    *,
    slot: Annotated[str | None, typer.Option("--slot", metavar="NAME", help="Only this slot: home, allergy, …")] = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    all_: Annotated[
        bool, typer.Option("--all", help="Also what no longer holds, what is only possible, and what was before.")
    ] = False,
) -> None:
    """Show what holds: of whom, what, since when, how sure, and which memory says so.

    Example: zeromem facts user --slot home

    Example: zeromem facts Ana --as-of 2026-02 --all

    Example: zeromem facts 王芳 --slot address --json
    """
    with call.memory() as memory:
        found = memory.facts(subject, slot, as_of=as_of, known_at=known_at, include_superseded=all_, **call.ids)
        call.answer({"facts": found}, text.facts_text(found))
        if not found:
            whom = "" if subject is None else f" of {subject!r:.80}"
            what = "" if slot is None else f" in slot {slot!r:.80}"
            call.note(f"no fact is known{whom}{what}" + ("" if all_ else "; --all also shows what no longer holds"))
            call.note_empty(memory)


@command(app, "add-fact")
def add_fact(
    call: Call,
    subject: Subject,
    slot: Annotated[
        str, typer.Argument(metavar="SLOT", help="What it says of them: home, job, allergy, a word of yours.")
    ],
    value: Annotated[str, typer.Argument(metavar="VALUE", help="The value.")],
    *,
    denied: Annotated[bool, typer.Option("--not", help="It is not so.")] = False,
    valid_from: Annotated[str | None, typer.Option("--from", metavar="TIME", help="Since when; default now.")] = None,
    valid_to: Annotated[str | None, typer.Option("--to", metavar="TIME", help="Until when.")] = None,
) -> None:
    """Tell a fact outright. It is a memory like any other, and ends what it contradicts.

    Example: zeromem add-fact Ana job "team lead" --from 2026-01-01

    Example: zeromem add-fact user diet pork --not

    Example: zeromem add-fact 王芳 home 杭州 --from 2026-03-01 --to 2026-09-01
    """
    with call.memory(create=True) as memory:
        receipt = memory.add_fact(
            subject, slot, value, polarity="-" if denied else "+", valid_from=valid_from, valid_to=valid_to, **call.ids
        )
        embed(memory, call, receipt)
    call.answer(receipt, text.receipt_text(receipt))


@command(app, "clarifications")
def clarifications(call: Call) -> None:
    """List contradictions that only you can settle, each as a question with the memories it is about.

    Settle one with `correct`, `update` or `delete`.

    Example: zeromem clarifications

    Example: zeromem update birthday2 "我的生日是五月三日。"
    """
    with call.memory() as memory:
        found = memory.clarifications(**call.ids)
        call.answer({"clarifications": found}, "\n".join(text.one_line(one.question) for one in found))
        if not found:
            call.note("nothing contradicts anything")
            call.note_empty(memory)
