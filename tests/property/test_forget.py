"""Whatever happens in whatever order: what was forgotten is nowhere, scopes stay apart, histories are in order, events are reachable."""

from __future__ import annotations

import contextlib
import itertools
import json
import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from zeromem import Document, Memory, NotFound

_TOKEN = re.compile(r"zq[a-j]{4}x")
_KINDS = ("add", "add", "again", "document", "call", "source", "replace", "update", "metadata", "delete", "delete_all", "restore",
          "restore_at", "undo", "export", "import", "repair", "forget", "forget", "forget_event", "forget_source", "forget_session")  # fmt: skip
OPS = st.lists(
    st.tuples(st.sampled_from(_KINDS), st.integers(0, 30), st.sampled_from("uuuv")), min_size=12, max_size=40
)

_LETTERS = str.maketrans("0123456789", "abcdefghij")
State = list[tuple[Any, ...]]


def token(number: int) -> str:
    """A word of letters, which a pointer may be made of."""
    return f"zq{number:04d}x".translate(_LETTERS)


def words(text: str) -> int:
    """Tokens of a text, so that each word is short enough for a pointer."""
    return len(text.split())


class Play:
    """A memory of two users under a sequence of operations. Every text bears a token of its own, so that its traces can be told."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.made = 0
        self.ids: dict[str, list[str]] = {"u": [], "v": []}
        self.states: dict[str, list[tuple[str, State]]] = {"u": [], "v": []}
        self.exports: list[list[Any]] = []
        self.names: dict[tuple[str, str], str] = {}  # what each pointer of an owner ever meant

    def text(self) -> str:
        self.made += 1
        return f"note {token(self.made)} about the shelf"

    def state(self, user: str) -> State:
        return [
            (card.id, card.text, dict(card.metadata), card.session, card.at)
            for card in self.memory.list(user=user, limit=1000)
        ]

    def events(self, user: str | None = None) -> list[Any]:
        return [e for e in self.memory._store.all_events(None) if user is None or e.scope.user == user]

    def do(self, kind: str, n: int, user: str) -> None:
        with contextlib.suppress(NotFound):
            if kind in ("add", "again", "document", "call", "source", "replace"):
                receipt = self._add(kind, n, user)
                self.ids[user] += [id_ for id_ in receipt.ids if id_ not in self.ids[user]]
            elif kind.startswith("forget"):
                self._forget(kind, n, user)
            elif kind == "export":
                self.exports.append(list(self.memory.export()))
            elif kind == "import" and self.exports:
                self.memory.import_(self.exports[n % len(self.exports)])
                self.states[user] = []
            elif kind == "repair":
                assert self.memory.verify(repair=True).ok
            else:
                self._change(kind, n, user)
        self.states[user].append((self._newest(user), self.state(user)))
        for card in self.memory.list(user=user, limit=1000):
            assert self.names.setdefault((user, card.pointer), card.id) == card.id

    def _newest(self, user: str) -> str:
        """The moment of now, which the next change is later than."""
        from zeromem.clock import iso

        return iso(self.memory._clock())

    def _add(self, kind: str, n: int, user: str) -> Any:
        about: dict[str, Any] = {"user": user, "session": f"s{n % 3}", "metadata": {"n": n % 2} if n % 4 else None}
        if kind == "again":
            cards = self.memory.list(user=user)
            return self.memory.add(cards[n % len(cards)].text if cards else self.text(), **about)
        if kind == "document":
            return self.memory.add(
                Document(f"# Part {self.text()}\n\n{self.text()}\n\n# More\n\n{self.text()}", "d.md"), **about
            )
        if kind == "call":
            function = {"name": "look", "arguments": json.dumps({"shelf": self.text()})}
            calls = [{"id": "c1", "type": "function", "function": function}]
            said = [{"role": "assistant", "content": None, "tool_calls": calls},
                    {"role": "tool", "tool_call_id": "c1", "content": self.text()}]  # fmt: skip
            return self.memory.add(said, **about)
        if kind in ("source", "replace"):
            old = [event.text for event in self.memory._store.source_events("d", self._scope(user))]
            mode: Any = "replace" if kind == "replace" else "append"
            return self.memory.add([*old[: n % 3], self.text()], source_id="d", mode=mode, user=user)
        return self.memory.add(self.text(), **about)

    def _scope(self, user: str) -> Any:
        from zeromem import Scope

        return Scope(user=user)

    def _change(self, kind: str, n: int, user: str) -> None:
        memory, ids = self.memory, self.ids[user]
        id_ = ids[n % len(ids)] if ids else "c" + "0" * 26
        if kind == "update":
            memory.update(id_, self.text(), user=user)
        elif kind == "metadata":
            memory.update(id_, metadata={"n": n}, user=user)
        elif kind == "delete":
            memory.delete(id_, user=user)
        elif kind == "delete_all":
            memory.delete_all(user=user, **({"session": f"s{n % 3}"} if n % 2 else {}))
        elif kind == "restore":
            with contextlib.suppress(ValueError):  # it is not deleted
                memory.restore(id_, user=user)
        elif kind == "restore_at" and self.states[user]:
            moment, then = self.states[user][n % len(self.states[user])]
            memory.restore(at=moment, user=user)
            assert self.state(user) == then
        elif kind == "undo":
            before = self.state(user)
            memory.undo(user=user)
            undone = self.state(user)
            memory.undo(user=user)
            assert self.state(user) == before
            memory.undo(user=user)
            assert self.state(user) == undone

    def _forget(self, kind: str, n: int, user: str) -> None:
        events = self.events(user)
        if kind == "forget":
            ids = self.ids[user]
            told = self.memory.forget(ids[n % len(ids)] if ids else "c" + "0" * 26, user=user)
        elif kind == "forget_event":
            told = self.memory.forget(events[n % len(events)].id if events else "e" + "0" * 26, user=user)
        elif kind == "forget_source":
            told = self.memory.forget(source_id="d", user=user)
        else:
            told = self.memory.forget(session=f"s{n % 3}", user=user)
        assert told.events and told.proof and told.proof.left == 0
        self.states[user] = []  # a restore to what held a forgotten text gives that state without it
        self.look_for_traces()

    def look_for_traces(self) -> None:
        """A token that no event holds any more stands in no row, index, export or byte."""
        said = {word for event in self.events() for word in _TOKEN.findall(event.text)}
        gone = {token(n) for n in range(1, self.made + 1)} - said
        held = b"".join(self.memory._store.images().values())
        assert {word for word in gone if word.encode() in held} == set()
        told = str(list(self.memory.export()))
        assert {word for word in gone if word in told} == set()
        for word in sorted(gone)[:3]:
            assert not [hit for user in "uv" for hit in self.memory.search(word, user=user) if word in hit.text]

    def check(self) -> None:
        memory = self.memory
        assert memory.verify().problems == ()
        self.look_for_traces()
        for user in "uv":
            events = {event.id: event for event in self.events(user)}
            listed = memory.messages(user=user)
            assert [e.id for e in listed] == [id_ for id_, e in events.items() if e.kind != "edit"]
            for card in memory.list(user=user, limit=1000):
                assert card.user == user
                assert {span.event.id for span in memory.expand(card.id).spans} <= set(events)
                hits = memory.search(_TOKEN.findall(card.text)[0], user=user, k=50)
                assert card.id in [hit.id for hit in hits]
            for id_ in self.ids[user]:
                history = memory.history(id_, user=user)
                if history[0].event == "FORGET":
                    assert len(history) == 1 and history[0].new is None
                    continue
                assert (history[0].event, history[0].old) == ("ADD", None)
                assert [change.version for change in history] == list(range(1, len(history) + 1))
                assert all(a.new == b.old for a, b in itertools.pairwise(history))
                assert [change.at for change in history] == sorted(change.at for change in history)


@settings(max_examples=80)
@given(ops=OPS)
def test_any_sequence(fresh: Any, ops: list[tuple[str, int, str]]) -> None:
    """Adds, repeats, documents, tool calls, sources, updates, deletes, restores, undos and forgets of two users."""
    with fresh(embedder="none", count=words) as memory:
        play = Play(memory)
        for op in ops:
            play.do(*op)
        play.check()


@settings(max_examples=20)
@given(ops=OPS)
def test_any_sequence_moves_whole(fresh: Any, ops: list[tuple[str, int, str]]) -> None:
    """After it export → import is the identity: forgetting leaves nothing half."""
    with fresh(embedder="none", count=words) as memory, fresh(embedder="none", count=words) as copy:
        play = Play(memory)
        for op in ops:
            play.do(*op)
        records = list(memory.export())
        copy.import_(records)
        assert list(copy.export()) == records
        assert copy.verify().problems == ()
