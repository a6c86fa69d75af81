"""The commands that say much in little: brief and compress.

In: arguments, a text. Out: the opening of a prompt, a shorter text with what it lost, or JSON.
"""

from __future__ import annotations

from typing import Annotated

import typer

from zeromem.plural import counted
from zeromem.surfaces import cli_text as text
from zeromem.surfaces.cli_call import Call, command, standard_input

app = typer.Typer()


@command(app, "brief")
def brief(
    call: Call,
    *,
    budget: Annotated[int, typer.Option("--budget", "-b", help="Tokens at most.")] = 300,
) -> None:
    """Show what is known of the user, as the opening of a prompt: safety, rules, the person, tastes, plans; one line a slot.

    Example: zeromem brief --user ana
    """
    with call.memory() as memory:
        found = memory.brief(budget=budget, **call.ids)
        call.answer(found, text.safe(found.text.rstrip()))
        if found:
            left = f"; {counted(found.left, 'line')} did not fit" if found.left else ""
            call.note(f"{found.tokens} of {found.budget} tokens{left}")
        else:
            call.note("nothing is known that fits" if found.left else "no fact is known of the user yet")
            call.note_empty(memory)


@command(app, "compress")
def compress(
    call: Call,
    words: Annotated[str, typer.Argument(metavar="TEXT", help="The text; - reads standard input.")],
    *,
    ratio: Annotated[float, typer.Option("--ratio", help="Share of its characters to aim at.")] = 0.5,
) -> None:
    """Say a text in fewer of its own words, checked; the source is kept, and its pointer expands to all of it.

    Example: zeromem compress "Well, to be honest, the rent is 1,450 euros a month."

    Example: zeromem compress - --ratio 0.3 < notes.txt
    """
    source = standard_input() if words == "-" else words
    with call.memory(create=True) as memory:
        found = memory.compress(source, target_ratio=ratio, **call.ids)
    call.answer(found, text.safe(found.text))
    lost = f"; in the source alone: {', '.join(map(text.one_line, found.lost))}" if found.lost else ""
    why = f"; {text.one_line(found.why)}" if found.why else ""
    call.note(f"{found.before:,} tokens in {found.after:,}; the source is [m:{found.ref}]{lost}{why}")
