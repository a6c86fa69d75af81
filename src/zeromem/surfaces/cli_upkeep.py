"""The commands of upkeep: maintain, standing, pin, retain, close-session.

In: arguments. Out: what was moved, how memories stand and which retentions hold, as text or JSON.
"""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from zeromem.surfaces import cli_text as text
from zeromem.surfaces.cli_call import Call, command
from zeromem.surfaces.cli_chat import proposed_text
from zeromem.surfaces.cli_write import embed

app = typer.Typer()

Pointer = Annotated[str, typer.Argument(metavar="POINTER", help="A pointer (coffee, or [m:coffee]) or an id.")]


@command(app, "maintain")
def maintain(
    call: Call,
    *,
    all_: Annotated[bool, typer.Option("--all", help="Of everybody in the file, not only of the scope.")] = False,
    at: Annotated[str | None, typer.Option("--at", metavar="TIME", help="The moment that counts as now.")] = None,
    storage: Annotated[
        str | None,
        typer.Option(
            "--storage",
            metavar="ROOM",
            help="Characters that search can show of a scope: 200000, or 50% of what was said.",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show, as a diff, how texts would be shortened.")
    ] = False,
) -> None:
    """Keep house: embed what is pending, move memories between the tiers, end what a retention says, sum up sessions, and bring texts
    within their room. Safe at any time; what becomes of texts is taken back by `undo --change`.

    Example: zeromem maintain

    Example: zeromem maintain --storage 50% --dry-run

    Example: zeromem maintain --all --json
    """
    from zeromem.surfaces.cli_progress import bar
    from zeromem.surfaces.cli_refined import draw, sums

    room = _room(storage)
    with call.memory() as memory, bar("keeping house", silent=call.as_json) as report:
        done = memory.maintain(at=at, storage=room, dry_run=dry_run, progress=report, **({} if all_ else call.ids))
    if dry_run and not call.as_json:
        draw(done.refined)
    told = sums(done.refined, dry_run=dry_run) or (["all texts are within their room"] if dry_run else [])
    call.answer(done, "\n".join([*([] if dry_run else [text.upkeep_text(done)]), *told, *proposed_text(done.proposed)]))


def _room(storage: str | None) -> float | None:
    """200000, 0.5 or 50% as `maintain` takes it."""
    if storage is None:
        return None
    try:
        plain = storage.strip().replace(",", "").replace("_", "")
        share = float(plain[:-1]) / 100 if plain.endswith("%") else float(plain)
    except ValueError:
        share = -1.0
    if not 0 <= share < float("inf") or (plain.endswith("%") and share > 1):
        raise typer.BadParameter(
            f"{storage!r} is neither a number of characters nor a share up to 100%", param_hint="--storage"
        )
    return 0.0 if plain.endswith("%") and share == 1 else share


@command(app, "standing")
def standing(
    call: Call,
    pointer: Pointer,
    *,
    at: Annotated[str | None, typer.Option("--at", metavar="TIME", help="The moment that counts as now.")] = None,
) -> None:
    """Show how a memory stands: kind, tier, importance, strength, how often it was said and used, and why.

    Example: zeromem standing locker
    """
    with call.memory() as memory:
        found = memory.standing(pointer, at=at, **call.ids)
    call.answer(found, text.standing_text(found))


@command(app, "pin")
def pin(
    call: Call,
    pointer: Pointer,
    *,
    off: Annotated[bool, typer.Option("--off", help="Take the pin off.")] = False,
) -> None:
    """Pin a memory: it does not fade, stays out of the archive, and comes before its equals.

    Example: zeromem pin locker

    Example: zeromem pin locker --off
    """
    with call.memory() as memory:
        receipt = memory.pin(pointer, not off, **call.ids)
    call.answer(receipt, text.receipt_text(receipt))


@command(app, "retain")
def retain(
    call: Call,
    kind: Annotated[
        str | None, typer.Argument(metavar="[KIND]", help="tool, message, question, …; * is every kind; none: list.")
    ] = None,
    days: Annotated[float | None, typer.Argument(metavar="[DAYS]", help="How long memories of it are kept.")] = None,
    *,
    then: Annotated[
        Literal["archive", "delete", "forget"],
        typer.Option("--then", help="What `maintain` does with older ones; forget erases their words for good."),
    ] = "archive",
    off: Annotated[bool, typer.Option("--off", help="End the rule of this kind.")] = False,
) -> None:
    """Say for how many days memories of a kind are kept in the scope, or list what holds. `maintain` carries it out.

    Example: zeromem retain

    Example: zeromem retain tool 30 --then delete

    Example: zeromem retain tool --off
    """
    if kind is not None and days is None and not off:
        raise typer.BadParameter("say for how many days, or --off", param_hint="DAYS")
    with call.memory(create=kind is not None) as memory:
        kept = None if off else days
        rules = memory.retentions(**call.ids) if kind is None else memory.retain(kind, kept, then=then, **call.ids)
    call.answer({"retentions": rules}, text.retentions_text(rules))
    if not rules:
        call.note("nothing ends by its age: no retention is set")


@command(app, "close-session")
def close_session(
    call: Call,
    *,
    save: Annotated[
        list[str] | None, typer.Option("--save", metavar="TEXT", help="A key point to keep; may be given often.")
    ] = None,
) -> None:
    """End the session named by --session; its key points become notes, which do not fade.

    Example: zeromem close-session --session s1 --save "She took the flat in Bath."
    """
    with call.memory(create=True) as memory:
        receipt = memory.close_session(save or [], **call.ids)
        embed(memory, call, receipt)
    call.answer(receipt, text.receipt_text(receipt))
    if not receipt.items:
        call.note("closed; no key point was saved")
