"""Memory: the flow verbs, read top to bottom. add → (embed) → recall → feedback.

In: whatever a conversation holds, with a scope. Out: receipts, hits, contexts. Everything is wired here: the store, the
embedder and the stages of recall. The other verbs stand in `answer.py`, `edit.py`, `undo.py`, `forget.py`, `inspect.py` and `transfer/`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, Unpack

from zeromem.answer import AnswerVerbs
from zeromem.asking import ask_options, question_of, time_of
from zeromem.brief import BriefVerbs
from zeromem.checks import (
    checked_embedder,
    checked_metadata,
    checked_outcome,
    checked_path,
    checked_source,
    shown,
)
from zeromem.clock import iso, system_clock
from zeromem.edit import EditVerbs
from zeromem.encode.cards import clean, pieces
from zeromem.encode.extending import extend
from zeromem.encode.keeping import kept, taken_back
from zeromem.encode.messages import parse
from zeromem.encode.stated import read_ahead
from zeromem.errors import InvalidInput, NotFound
from zeromem.forget import ForgetVerbs
from zeromem.inspect import InspectVerbs
from zeromem.intake import Intake, add_source, ended, replace_source
from zeromem.learn import Feedback, used_cards
from zeromem.ledger import Origin
from zeromem.models.chosen import chats
from zeromem.models.local import embedder as embedder_of
from zeromem.ports import Chat, Clock, Embedder, Progress, Use
from zeromem.recall.pipeline import RECALL, SEARCH, begin, context_of, hits_of
from zeromem.recall.refined import answered
from zeromem.recall.state import Stage, run
from zeromem.scoped import ScopedMemory
from zeromem.scoping import masked_scope, optional_scope, scope_of, unmasked
from zeromem.settings import Settings
from zeromem.store.sqlite import SQLiteStore
from zeromem.text import tokens
from zeromem.transfer.verbs import TransferVerbs
from zeromem.types import Context, Hits, RecallOptions, Receipt, Scope, ScopeIds, SearchOptions
from zeromem.undo import UndoVerbs
from zeromem.upkeep import UpkeepVerbs

When = str | datetime | date | int | float | None


class Memory(EditVerbs, UndoVerbs, UpkeepVerbs, ForgetVerbs, AnswerVerbs, InspectVerbs, BriefVerbs, TransferVerbs):
    """A long-term memory in one file. Open it with `Memory.open`, use it from any thread, close it when done."""

    search_stages: Sequence[Stage] = SEARCH
    recall_stages: Sequence[Stage] = RECALL

    @classmethod
    def open(
        cls,
        path: str | Path = "zeromem.db",
        *,
        embedder: str | Embedder | None = "auto",
        settings: Settings | None = None,
        clock: Clock = system_clock,
        count: tokens.Counter = tokens.count,
        background: bool = True,
        chat: Chat | None = None,
    ) -> Self:
        """Open (or make) the memory in the file `path`; ":memory:" keeps it in RAM.

        `embedder` is "auto" (the one that made the stored vectors, else e5 where it runs, else fast), "e5", "fast", "none" or an
        object with the `Embedder` port; `background` lets a daemon thread embed what adds leave pending; `count` counts the tokens
        of budgets (o200k). `chat` is an object with the `Chat` port, for `maintain` and `ask`; None is what the settings name, which is
        none unless `chat_url` is set. Raises InvalidInput, ForeignFile, NewerSchema, StoreError, StoreBusy.
        """
        name = checked_path(path)
        if not isinstance(settings, Settings | None):
            raise InvalidInput(f"settings must be Settings, not {type(settings).__name__}")
        if not callable(count):
            raise InvalidInput(f"count must be a function from text to its number of tokens, not {count!r:.80}")
        settings = settings or Settings.from_environment()
        if settings.rules:
            extend(settings.rules)
        store = SQLiteStore(name, settings)
        try:
            named = settings.embedder if isinstance(embedder, str) and embedder == "auto" else embedder
            chosen = checked_embedder(embedder_of(named, store.embedder()))
            behind = background and settings.background
            memory = cls(store, chosen, settings, clock, count, background=behind, chats=chats(chat, settings))
        except BaseException:
            store.close()
            raise
        if not isinstance(embedder, str):
            memory._embedding.check()
        return memory

    def close(self) -> None:
        """Stop the background thread, write what is noted, release the file. Pending embeddings stay pending."""
        if self._behind is not None:
            self._behind.close()
        self._uses.flush()
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def scope(self, **ids: Unpack[ScopeIds]) -> ScopedMemory:
        """The same verbs with these ids bound: `me = memory.scope(user="ana")`."""
        scope_of(ids)
        return ScopedMemory(self, ids)

    # -- add

    def add(
        self,
        content: object,
        *,
        at: When = None,
        source_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        mode: Literal["append", "replace"] = "append",
        **ids: Unpack[ScopeIds],
    ) -> Receipt:
        """Remember `content`: a string, a message, a list of messages, or a Document.

        `at` is when it was said (default now; a message's own time wins). With `source_id` (its own in each session that you name),
        adding the same again adds nothing but what was deleted by hand since; mode="replace" makes the source say what `content`
        says. The receipt tells item by item what happened and why. Raises
        InvalidInput, InvalidScope, StoreError, StoreFull, StoreBusy; then nothing was stored.
        """
        return self._add(content, unmasked(scope_of(ids), self._redact), at, source_id, metadata, mode)

    def _add(
        self,
        content: object,
        scope: Scope,
        at: When,
        source_id: str | None,
        metadata: Mapping[str, Any] | None,
        mode: str,
        *,
        revive: bool = True,
    ) -> Receipt:
        """`add`, and with `revive=False` an import: there a replaced source does not bring back what was deleted by hand."""
        checked_source(source_id, mode)
        now = self._clock()
        items = clean(parse(content, self._redact))
        said = iso(now) if at is None else time_of(at, "at").isoformat()
        times = [said if item.at is None else time_of(item.at, "a message's time").isoformat() for item in items]
        plan = kept(taken_back(pieces(items, self._cut()), items), self._routes())
        source_id = self._source(source_id)
        origin = Origin(scope, now, source_id, self._masked(checked_metadata(metadata)))
        intake = Intake(self._ledger, origin, items, times)
        with self._in_flight():
            read_ahead(draft for piece in plan for draft in piece.drafts)
            with self._store.write():
                existing = self._store.source_events(source_id, scope) if source_id is not None else []
                if mode == "replace":
                    items_told = replace_source(intake, existing, plan, revive=revive)
                else:
                    items_told = add_source(intake, existing, plan) if existing else intake.write(plan)
                receipt = Receipt((*items_told, *ended(self._ledger, intake.new)), self._embedding.degraded())
        self._uses.flush()  # keeps its notes if it cannot write: nothing that can fail stands behind the commit
        self._wake()
        return receipt

    # -- embed

    def embed_pending(self, limit: int | None = None, progress: Progress | None = None, **ids: Unpack[ScopeIds]) -> int:
        """Embed cards that have no vector yet, newest first, and return how many were embedded.

        `progress(done, total)` is called after each batch. Raises EmbedderFailed where the embedder fails (what was done is kept),
        EmbedderMismatch where another embedder made the stored vectors: `reindex` embeds all anew.
        """
        return self._embedding.run(optional_scope(ids), limit, progress)

    # -- search and recall

    def search(self, query: str, *, k: int = 10, **options: Unpack[SearchOptions]) -> Hits:
        """The `k` best cards for `query`, best first, without gate or budget.

        Options: `filters`, `within="session"`, `exclude_session`, `after` and `before` (when it was said), `at` (the time of the
        question), `arms=("keyword", "dense")`, and the scope. `current=True` leaves out what no longer holds (`Hit.superseded_by`),
        `include_superseded=True` is its opposite; `as_of` and `known_at` look back, `subject` keeps to what states a fact of somebody.
        What failed is named in `.degraded`. Raises InvalidInput for a blank query or k < 1.
        """
        if not isinstance(query, str) or not query.strip():
            raise InvalidInput("the query is blank; to see everything use list()")
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            raise InvalidInput(f"k must be a whole number above 0, not {shown(k)}")
        asked = ask_options(options, self._clock)
        with self._in_flight():
            state = run(self.search_stages, begin(self._sources(), query, asked, most=k))
            if state.snapshot.resting and not answered(state):
                state = run(self.search_stages, begin(self._sources(), query, asked, most=k, deep=True))
            return hits_of(state)

    def recall(self, query: object, *, budget: int | None = None, **options: Unpack[RecallOptions]) -> Context:
        """What is worth knowing for `query` (a question, or the messages so far), within `budget` tokens.

        Without a budget: as few cards as the question needs, in at most 800 tokens. With one: as many as it holds, best first.

        The context is empty, and says why, when nothing clears the gate. With `session` named, the caller's window (the
        messages passed in, else the last `window` turns of the session) is left out. Options as in `search`, and `window`, `most`.
        Raises InvalidInput for a negative budget. A question without words recalls nothing, and says so: no turn of an agent fails here.
        """
        lean, budget = budget is None, self._settings.budget if budget is None else budget
        if isinstance(budget, bool) or not isinstance(budget, int) or budget < 0:
            raise InvalidInput(f"budget must be a whole number of tokens, 0 or more, not {shown(budget)}")
        asked = ask_options(options, self._clock, window=self._settings.window)
        text, said = question_of(query, self._cut(), self._redact)
        with self._in_flight():
            state = run(self.recall_stages, begin(self._sources(), text, asked, budget=budget, lean=lean, said=said))
            if state.snapshot.resting and state.question is not None and not answered(state):
                start = begin(self._sources(), text, asked, budget=budget, lean=lean, said=said, deep=True)
                state = run(self.recall_stages, start)
            context = context_of(state, self._clock())
        self._uses.note(context, masked_scope(asked.scope, self._redact), text)
        return context

    # -- learn

    def feedback(
        self,
        context_id: str,
        *,
        used: Iterable[str] | None = None,
        answer: str | None = None,
        outcome: bool | float | None = None,
        **ids: Unpack[ScopeIds],
    ) -> Feedback:
        """Tell what became of a context: the cards `used` (pointers or ids), or the `answer` to detect them from, and the
        `outcome` (True/False, or -1 … 1). Raises NotFound for an unknown context or a card that it did not show,
        StoreError, StoreFull or StoreBusy where the file cannot be written."""
        scope = optional_scope(ids)
        value = checked_outcome(outcome)
        if answer is not None and not isinstance(answer, str):
            raise InvalidInput(f"answer must be a string, not {type(answer).__name__}")
        if not isinstance(used, str | Iterable | None):
            raise InvalidInput(f"used must be pointers or ids, not {type(used).__name__}")
        told = [used] if isinstance(used, str) else list(used or ())
        if bad := [name for name in told if not isinstance(name, str)]:
            raise InvalidInput(f"used must be pointers or ids, not {shown(bad[0])}")
        self._uses.flush(must=True)  # what was not written would look unknown
        with self._store.write():  # from the look to the writing: a reset between them would take the context away
            return self._judge(context_id, scope, told, answer, value)

    def _judge(
        self, context_id: str, scope: Scope | None, told: Sequence[str], answer: str | None, value: float | None
    ) -> Feedback:
        log = self._store.recall(context_id, scope) if isinstance(context_id, str) else None
        if log is None:
            told_as = (
                shown(context_id) if isinstance(context_id, str) else f"{type(context_id).__name__} (give its .id)"
            )
            raise NotFound(f"no context {told_as} in this scope")
        versions = {use.card_id: use.version for use in log if use.event == "shown" and use.card_id}
        cards = {id_: pair[0] for id_ in versions if (pair := self._store.card(id_))}
        names = {
            name: card
            for card in cards.values()
            for name in (card.id, card.pointer, f"m:{card.pointer}", f"[m:{card.pointer}]")
        }
        if missing := [name for name in told if name not in names]:
            raise NotFound(f"the context did not show {shown(missing[0])}")
        found = {names[name].id: (names[name], "told") for name in told}
        if answer is not None:
            for card, why in used_cards(answer, list(cards.values()), self._uses.question(context_id)):
                found.setdefault(card.id, (card, why))
        uses = [Use(context_id, card.id, versions[card.id], "used", 1.0, why) for card, why in found.values()]
        # A judged recall without a used card still counts for the use rate.
        uses = uses or [Use(context_id, None, None, "used", 0.0, "none")]
        if value is not None:
            uses.append(Use(context_id, None, None, "outcome", value, "told"))
        self._store.add_recalls([], uses, self._clock())
        self._ledger.bring_back([card for card, _ in found.values()], self._clock(), "used by an answer")
        return Feedback(
            context_id, tuple(c.pointer for c, _ in found.values()), tuple(w for _, w in found.values()), value
        )
