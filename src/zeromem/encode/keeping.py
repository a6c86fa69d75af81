"""What of each text becomes a card, by the route table: all of it, the sentences that state something, its gist, or nothing but the event.

In: pieces, and the routes of the preset. Out: the pieces with fewer or shorter drafts, and the reason. Spans stay exact, so that a
shortened card still leads back to its bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from zeromem.encode.cards import UNWANTED, Draft, Piece
from zeromem.encode.messages import Item
from zeromem.encode.stated import claims_of
from zeromem.encode.unwanted import TAKEN_BACK, disowned, meant, retracts
from zeromem.kinds import AS_IT_IS, Route
from zeromem.policy import route_for
from zeromem.text.segment import Span, sentences


def kept(pieces: Sequence[Piece], table: Sequence[Route]) -> Sequence[Piece]:
    """The pieces as the table wants them kept."""
    if all(row.keep == "verbatim" and row.template == AS_IT_IS for row in table):
        return pieces
    return [_piece(piece, table) if piece.drafts else piece for piece in pieces]


def taken_back(pieces: Sequence[Piece], items: Sequence[Item]) -> Sequence[Piece]:
    """The pieces without the drafts of what the same speaker, right after it, asks not to be remembered or takes back."""
    out, before = list(pieces), list[Item]()
    for piece in pieces:
        asking = items[piece.items[0]]
        if (place := disowned(before, asking)) is not None:
            out[place] = replace(out[place], drafts=(), ignored=TAKEN_BACK)
        if piece.ignored == UNWANTED and retracts(asking.text):
            place = meant(before, asking)
            if place is not None:
                out[place] = replace(out[place], drafts=(), ignored=UNWANTED)
        before.append(asking)
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
            drafts.append(_shortened(draft, row, [(claim.start, claim.end) for claim in claims]))
    return replace(piece, drafts=tuple(drafts), ignored="" if drafts else reason)


def _shortened(draft: Draft, row: Route, told: Sequence[Span]) -> Draft:
    """The draft with what its row keeps of the text behind the head, in the row's words."""
    body = draft.text[len(draft.head) :]
    begin = [(max(0, start - len(draft.head)), stop - len(draft.head)) for start, stop in told]
    some = [(0, len(body))]
    if row.keep == "fact":
        some = [(start, end) for start, end in sentences(body) if any(start < stop and at < end for at, stop in begin)]
    elif row.keep == "gist":
        from zeromem.encode.gist import gist  # reads atoms, whose patterns are long to compile

        some = gist(body, begin)
    text, spans = body, draft.spans
    if some and some != [(0, len(body))]:
        *before, (index, start, end) = draft.spans
        first = end - len(body)
        if start < first:  # the heading of a section
            before.append((index, start, first))
        text = " ".join(body[start:end].strip() for start, end in some)
        spans = (*before, *((index, first + start, first + end) for start, end in some))
    text = row.template.format(head=draft.head, text=text, kind=row.name)
    return replace(draft, text=text, spans=spans)
