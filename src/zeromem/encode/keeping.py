"""What of each text becomes a card, by the route table: all of it, the sentences that state something, or nothing but the event.

In: pieces, and the routes of the preset. Out: the pieces with fewer or shorter drafts, and the reason. Spans stay exact, so that a
shortened card still leads back to its bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from zeromem.encode.cards import UNWANTED, Draft, Piece
from zeromem.encode.messages import Item
from zeromem.encode.stated import claims_of
from zeromem.encode.unwanted import meant, retracts
from zeromem.kinds import Route
from zeromem.policy import route_for
from zeromem.text.segment import sentences


def kept(pieces: Sequence[Piece], table: Sequence[Route]) -> Sequence[Piece]:
    """The pieces as the table wants them kept."""
    if all(row.keep == "verbatim" for row in table):
        return pieces
    return [_piece(piece, table) if piece.drafts else piece for piece in pieces]


def taken_back(pieces: Sequence[Piece], items: Sequence[Item]) -> Sequence[Piece]:
    """The pieces without the drafts of what the same speaker, right after it, asks not to be remembered."""
    out = list(pieces)
    for n, piece in enumerate(pieces):
        asking = items[piece.items[0]]
        if piece.ignored == UNWANTED and retracts(asking.text):
            place = meant([items[other.items[0]] for other in pieces[:n]], asking)
            if place is not None:
                out[place] = replace(out[place], drafts=(), ignored=UNWANTED)
    return out


def _piece(piece: Piece, table: Sequence[Route]) -> Piece:
    drafts: list[Draft] = []
    reason = ""
    for draft in piece.drafts:
        claims = claims_of(draft.kind, draft.role, draft.speaker, draft.text)
        row = route_for(draft.kind, draft.role, draft.text, (claim.slot for claim in claims), table)
        if row.keep == "event":
            reason = f"by its preset, of the kind {row.name!r} only the event is kept"
        elif row.keep == "fact" and not claims:
            reason = f"it states nothing; by its preset, of the kind {row.name!r} only facts are kept"
        else:
            drafts.append(_telling(draft, [(c.start, c.end) for c in claims]) if row.keep == "fact" else draft)
    return replace(piece, drafts=tuple(drafts), ignored="" if drafts else reason)


def _telling(draft: Draft, told: Sequence[tuple[int, int]]) -> Draft:
    """The draft with only the sentences that state something; one made of several events stays whole."""
    if len(draft.spans) != 1:
        return draft
    index, first, _ = draft.spans[0]
    some = [
        (start, end)
        for start, end in sentences(draft.text)
        if any(start < stop and begin < end for begin, stop in told)
    ]
    if not some:
        return draft
    text = " ".join(draft.text[start:end].strip() for start, end in some)
    return replace(draft, text=text, spans=tuple((index, first + start, first + end) for start, end in some))
