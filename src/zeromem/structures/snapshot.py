"""A scope in memory: everything that ranking reads, immutable, so that readers never lock.

In: index rows and vectors of the scope, read in one transaction. Out: a `Snapshot`, or the next one made from the last and
what was written since. Positions are row order; a replaced or deleted card's position is dead, not removed. Holds no texts:
they are read for the few cards that are shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from zeromem.facts import FactRow
from zeromem.kinds import SUMMARY
from zeromem.ports import IndexRow, Marker, Store
from zeromem.structures.background import Background
from zeromem.structures.facts import FactBook, grow
from zeromem.structures.postings import Postings, build, merge
from zeromem.structures.vectors import VectorBlock, grown
from zeromem.text.words import stop_hashes
from zeromem.types import Scope

Bools = npt.NDArray[np.bool_]
Longs = npt.NDArray[np.int64]
Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]
NO_SESSION = -1


@dataclass(frozen=True, slots=True)
class Line:
    """The living cards by session and time, so that neighbours stand side by side. Ranking works in this order."""

    order: Ints  # positions
    place: Ints  # the inverse: where a position stands here, -1 if dead
    group: Ints  # number of the session, ascending; a card without a session is a group of its own
    starts: Longs  # where each group begins
    beside: tuple[Floats, Floats]  # 1 where the card and the one 1 (or 2) places before it share a group; [living - d]
    speaker: Ints
    at: Longs
    length: Floats  # terms
    content: Floats  # terms that carry a topic
    answers: Floats  # 1 unless the assistant said it

    def __len__(self) -> int:
        return len(self.order)

    @property
    def groups(self) -> int:
        return len(self.starts)


@dataclass(frozen=True, slots=True)
class Columns:
    """Per position: what ranking knows of a card. Codes index `Snapshot.sessions` and `Snapshot.names`."""

    rows: Longs
    born: Longs
    at: Longs  # microseconds
    session: Ints
    speaker: Ints  # code of the speaker, or of the role where there is none
    role: Ints
    kind: Ints
    length: Ints  # terms
    content: Ints  # terms that carry a topic
    tokens: Ints


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One consistent state of a scope. `names` holds speakers, roles and kinds by code."""

    scope: Scope
    marker: Marker
    embedder: int
    columns: Columns
    alive: Bools
    sessions: dict[str, int]
    names: dict[str, int]
    postings: tuple[Postings, ...]
    vectors: tuple[VectorBlock, ...]
    embedded: Bools
    line: Line
    total_tokens: int
    facts: FactBook = field(default_factory=FactBook)
    outdated: Floats = field(default_factory=lambda: np.empty(0, np.float32))  # see FactBook.outdated
    marked: Mapping[str, frozenset[int]] = field(default_factory=dict)  # birth rows of the "pinned", of the "archive"
    marks: Mapping[str, Bools] = field(default_factory=dict)  # the same by position; empty where nothing is marked
    inside: Mapping[int, int] = field(
        default_factory=dict
    )  # rows whose words another row says too, and which; 0: it rests
    looked_up: dict[int, tuple[Ints, Floats]] = field(
        default_factory=dict, init=False, compare=False
    )  # see `linear.matches`

    def __len__(self) -> int:
        return len(self.alive)

    @property
    def living(self) -> int:
        return len(self.line)

    @property
    def nbytes(self) -> int:
        return (
            sum(block.nbytes for block in self.postings)
            + sum(block.matrix.nbytes + block.cards.nbytes for block in self.vectors)
            + 140 * len(self)
        )

    def code(self, name: str) -> int:
        """The code of a speaker, role or kind; -2 if no card has it."""
        return self.names.get(name, -2)

    def standing_in(self, position: int) -> int:
        """The position of the card that is shown for this one: itself, unless another living card says its words too."""
        seen: set[int] = set()
        while (row := self.inside.get(int(self.columns.rows[position]))) is not None and row not in seen:
            seen.add(row)
            found = self.positions([row])
            if not len(found):
                break
            position = int(found[0])
        return position

    @property
    def resting(self) -> list[int]:
        """Rows that search leaves out while anything else answers."""
        return [row for row, by in self.inside.items() if not by]

    def positions(self, rows: Sequence[int]) -> Longs:
        """Positions of living cards by their rows; unknown ones are left out."""
        wanted = np.asarray(sorted(rows), np.int64)
        at = np.searchsorted(self.columns.rows, wanted)
        known = at < len(self)
        at = at[known]
        return np.asarray(at[(self.columns.rows[at] == wanted[known]) & self.alive[at]], np.int64)


@dataclass(frozen=True, slots=True)
class Space:
    """The vector space of the embedder in use: its number in the store (0: none), dimension, and background if it has one."""

    embedder: int = 0
    dimension: int = 0
    background: Background | None = None


def load(store: Store, scope: Scope, space: Space, old: Snapshot | None) -> Snapshot:
    """The scope as it is now. With `old`, only what came since is read."""
    embedder = space.embedder
    with store.read():
        marker = store.marker()
        if old is not None and (old.marker[2], old.embedder) != (marker[2], embedder):
            old = None
        if old is not None and marker[0] < old.marker[0]:
            old = None
        if old is not None and old.marker == marker:
            return old
        old = old or _empty(scope, embedder)
        fresh = old
        if marker[0] > old.marker[0]:
            rows = list(store.index_rows(scope, old.marker[0]))
            fresh = _with_facts(_with_rows(old, rows), rows, list(store.facts_after(scope, old.marker[0])))
        if old.marker[0] and marker[4] > old.marker[4]:
            told = [row for row in store.retold_rows(scope, old.marker[4]) if row <= old.marker[0]]
            fresh = _weighed(fresh, store.facts_of_rows(told), told)
        if embedder and marker[1] > old.marker[1]:
            fresh = _with_vectors(fresh, store.vector_rows(scope, embedder, old.marker[1]), space)
        if marker[3] > old.marker[3]:
            fresh = replace(fresh, marked=_marked(fresh.marked, store.marks_after(scope, old.marker[3])), marks={})
        if marker[5] > old.marker[5]:
            fresh = replace(fresh, inside=_inside(fresh.inside, store.refinements_after(scope, old.marker[5])))
        return replace(fresh, marker=marker, marks=_by_position(fresh))


def _inside(old: Mapping[int, int], changed: Iterable[tuple[int, int | None]]) -> dict[int, int]:
    found = dict(old)
    for row, inside in changed:
        if inside is None:
            found.pop(row, None)
        else:
            found[row] = inside
    return found


def _marked(old: Mapping[str, frozenset[int]], marks: Iterable[tuple[int, str]]) -> dict[str, frozenset[int]]:
    pinned, resting = set(old.get("pinned", ())), set(old.get("archive", ()))
    for born, mark in marks:
        some = pinned if mark in ("pinned", "unpinned") else resting
        (some.add if mark in ("pinned", "archive") else some.discard)(born)
    return {"pinned": frozenset(pinned), "archive": frozenset(resting)}


def _by_position(snapshot: Snapshot) -> dict[str, Bools]:
    """Which positions bear a mark: of new ones, or of all where marks came."""
    out = {}
    for name, some in snapshot.marked.items():
        known = snapshot.marks.get(name, np.empty(0, np.bool_))
        new = np.isin(snapshot.columns.born[len(known) :], np.fromiter(some, np.int64, len(some)))
        out[name] = np.append(known, new)
    return out


def _empty(scope: Scope, embedder: int) -> Snapshot:
    longs, ints = np.empty(0, np.int64), np.empty(0, np.int32)
    columns = Columns(longs, longs, longs, ints, ints, ints, ints, ints, ints, ints)
    nothing = np.empty(0, np.bool_)
    return Snapshot(
        scope, (0, 0, 0, 0, 0, 0), embedder, columns, nothing, {}, {}, (), (), nothing, _line(columns, nothing, {}), 0
    )


def _with_rows(old: Snapshot, rows: Sequence[IndexRow]) -> Snapshot:
    if not rows:
        return old
    new = [row for row in rows if row.hashes is not None]
    hashes = [np.frombuffer(row.hashes or b"", np.uint32) for row in new]
    columns, sessions, names = _columns(old, new, hashes)
    alive = np.append(old.alive, np.ones(len(new), np.bool_))
    dead = columns.rows.searchsorted([row.previous for row in rows if row.previous is not None])
    replaced = [row.previous for row in rows if row.previous is not None]
    for position, row in zip(dead, replaced, strict=True):
        if position < len(columns.rows) and columns.rows[position] == row:
            alive[position] = False
    postings = _compacted((*old.postings, build(hashes, len(old)))) if new else old.postings
    embedded = np.append(old.embedded, np.zeros(len(new), np.bool_))
    total = int(columns.tokens[alive & (columns.kind != names.get(SUMMARY, -2))].sum())
    return replace(
        old, columns=columns, alive=alive, sessions=sessions, names=names, postings=postings, embedded=embedded,
        line=_line(columns, alive, names), total_tokens=total,
    )  # fmt: skip


def _with_facts(snapshot: Snapshot, rows: Sequence[IndexRow], facts: Sequence[FactRow]) -> Snapshot:
    """Weigh the facts of living cards; `rows` are the versions that came."""
    living = {row.row for row in rows if row.hashes is not None}
    gone = [row.previous for row in rows if row.previous is not None]
    return _weighed(snapshot, [fact for fact in facts if fact.row in living], gone)


def _weighed(snapshot: Snapshot, new: Sequence[FactRow], gone: Sequence[int]) -> Snapshot:
    """With these facts in place of those of the rows that went or were said again."""
    outdated = np.append(snapshot.outdated, np.zeros(len(snapshot) - len(snapshot.outdated), np.float32))
    book, weighed = grow(snapshot.facts, new, gone)
    known = sorted(weighed)
    for row, position in zip(known, np.searchsorted(snapshot.columns.rows, known), strict=True):
        outdated[position] = book.outdated(row)
    return replace(snapshot, facts=book, outdated=outdated)


def _columns(
    old: Snapshot, new: Sequence[IndexRow], hashes: Sequence[npt.NDArray[np.uint32]]
) -> tuple[Columns, dict[str, int], dict[str, int]]:
    sessions, names = dict(old.sessions), dict(old.names)

    def code(table: dict[str, int], name: str) -> int:
        return table.setdefault(name, len(table))

    was = old.columns
    columns = Columns(
        rows=_longs(was.rows, (row.row for row in new)),
        born=_longs(was.born, (row.born for row in new)),
        at=_longs(was.at, (row.at for row in new)),
        session=_ints(
            was.session,
            (NO_SESSION if r.session is None or r.kind == SUMMARY else code(sessions, r.session) for r in new),
        ),
        speaker=_ints(was.speaker, (code(names, row.speaker or row.role) for row in new)),
        role=_ints(was.role, (code(names, row.role) for row in new)),
        kind=_ints(was.kind, (code(names, row.kind) for row in new)),
        length=_ints(was.length, (len(h) for h in hashes)),
        content=_ints(was.content, _content(hashes)),
        tokens=_ints(was.tokens, (row.tokens for row in new)),
    )
    return columns, sessions, names


def _longs(old: Longs, new: Iterable[int]) -> Longs:
    return np.concatenate([old, np.fromiter(new, np.int64)])


def _ints(old: Ints, new: Iterable[int]) -> Ints:
    return np.concatenate([old, np.fromiter(new, np.int32)])


def _content(hashes: Sequence[npt.NDArray[np.uint32]]) -> Iterable[int]:
    """How many terms of each card are no stop words."""
    if not hashes:
        return ()
    lengths = np.fromiter((len(h) for h in hashes), np.int64, len(hashes))
    telling = ~np.isin(np.concatenate(hashes), stop_hashes())
    owners = np.repeat(np.arange(len(hashes)), lengths)
    return [int(count) for count in np.bincount(owners, telling, len(hashes))]


def _line(columns: Columns, alive: Bools, names: dict[str, int]) -> Line:
    living = np.flatnonzero(alive)
    by = np.lexsort((columns.born[living], columns.at[living], columns.session[living]))
    order = living[by].astype(np.int32)
    place = np.full(len(alive), -1, np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    session = columns.session[order]
    opens = np.ones(len(order), np.bool_)
    opens[1:] = (session[1:] != session[:-1]) | (session[1:] == NO_SESSION)
    group = (np.cumsum(opens) - 1).astype(np.int32)
    beside = [(group[d:] == group[:-d]).astype(np.float32) for d in (1, 2)]
    return Line(
        order, place, group, np.flatnonzero(opens), (beside[0], beside[1]), columns.speaker[order],
        columns.at[order], columns.length[order].astype(np.float32), columns.content[order].astype(np.float32),
        (columns.role[order] != names.get("assistant", -2)).astype(np.float32),
    )  # fmt: skip


def _compacted(blocks: tuple[Postings, ...]) -> tuple[Postings, ...]:
    """Merge from the end while a block is at least a quarter of the one before it: few blocks, little copying."""
    out = list(blocks)
    while len(out) > 1 and 4 * len(out[-1]) >= len(out[-2]):
        last = out.pop()
        out[-1] = merge(out[-1], last)
    return tuple(out)


def _with_vectors(old: Snapshot, rows: Iterable[tuple[int, int, bytes]], space: Space) -> Snapshot:
    blocks = grown(old.vectors, old.columns.rows, rows, space.dimension, space.background)
    embedded = old.embedded.copy()
    for block in blocks:
        embedded[block.cards] = True
    return replace(old, vectors=blocks, embedded=embedded)
