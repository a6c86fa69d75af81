"""The verbs that stand on a chat model: ask, and review of what one proposed (review, accept, reject).

In: a question; an entry of the quarantine. Out: an `Answer` with citations, entries, receipts. A model never writes here: `ask` stores
nothing, and an entry becomes a memory only by hand.
"""

from __future__ import annotations

import re
from typing import Any, Protocol, Unpack, cast

from zeromem.checks import checked_limit, checked_text, shown
from zeromem.core import Core
from zeromem.encode.cards import Draft
from zeromem.encode.digests import digest
from zeromem.errors import ChatFailed, NoChat, NotFound
from zeromem.ledger import HAND, Origin
from zeromem.ports import Chat
from zeromem.prompts import prompt
from zeromem.proposals import Answer, Proposed, Quarantined, Verdict
from zeromem.propose.run import Run
from zeromem.scoping import optional_scope
from zeromem.text.render import escape
from zeromem.types import Card, Context, Event, Hits, RecallOptions, Receipt, ReceiptItem, Scope, ScopeIds

_CITED = re.compile(r"\s*[\[［【(（]((?:\s*m:[^\[\]［］【】()（）,，;；、\s]+[\s,，;；、]*)+)[\]］】)）]")
_NAME = re.compile(r"m:([^\s,，;；、]+)")
_THINKING = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)
_NEAR = 20  # cards that a proposal is compared with
_NO_CHAT = "ask needs a chat model: set ZEROMEM_CHAT_URL and ZEROMEM_CHAT_MODEL, or open with Memory.open(…, chat=…)"


class _Recalls(Protocol):
    def recall(self, query: object, *, budget: int | None, **options: Any) -> Context: ...
    def search(self, query: str, *, k: int, **options: Any) -> Hits: ...


class AnswerVerbs(Core):
    """Asking a model, and judging what it proposed."""

    def ask(
        self, question: str, *, budget: int | None = None, tokens: int = 512, **options: Unpack[RecallOptions]
    ) -> Answer:
        """Recall what is known for a question and let the chat model answer from it, in at most so many `tokens`, with citations.

        `budget` and the options are those of `recall`. Every pointer in the text stands in the context that the model saw; others are
        taken out and told in `unknown`. Where nothing is recalled no model is asked, and `reason` says so. Raises NoChat, ChatFailed,
        BudgetSpent, InvalidInput.
        """
        checked_text(question, "question")
        checked_limit(tokens, "tokens")
        if self.chat is None:
            raise NoChat(_NO_CHAT)
        context = cast(_Recalls, self).recall(question, budget=budget, **options)
        if not context:
            return Answer("", (), (), context, reason=f"nothing that is remembered answers this: {context.reason}")
        return _answered(self.chat, question, context, tokens)

    def review(self, *, verdict: Verdict | None = "waiting", **ids: Unpack[ScopeIds]) -> list[Quarantined]:
        """What models proposed and the words of the source do not support, oldest first: what waits for a judgement, what was "accepted"
        or "rejected", or (None) all of it. Nothing of it is ever recalled."""
        return self._store.quarantined(optional_scope(ids), verdict)

    def accept(self, id: str, **ids: Unpack[ScopeIds]) -> Receipt:
        """Make a memory of an entry of the quarantine, by hand. It goes when the message is forgotten that it is from. Raises NotFound."""
        with self._in_flight(), self._store.write():
            entry, now = self._entry(id, ids), self._moment()
            texts = {event.id: event for event in self._store.events(entry.events)}
            events = [texts[entry.source]] if entry.source in texts else list(texts.values())
            spans = tuple((i, 0, len(event.text)) for i, event in enumerate(events))
            draft = Draft("fact", entry.role, entry.speaker, entry.text, spans)
            key = digest(draft.kind, draft.role, draft.speaker, draft.text)
            card = self._store.same([key], entry.scope).get(key)
            reason = "accepted" if card is None else f"accepted; known as [m:{card.pointer}]"
            status: Any = "stored" if card is None else "duplicate"
            first: Event = events[0]
            if card is None:
                origin = Origin(entry.scope, now, first.source_id, {}, HAND)
                card = self._ledger.add(draft, key, origin, first.at, dict(enumerate(events)))
            self._store.decide(entry.id, "accepted", now)
        self._wake()
        return Receipt((ReceiptItem(status, reason, first.id, card.id, card.pointer, card.text[:80]),))

    def reject(self, id: str, **ids: Unpack[ScopeIds]) -> Receipt:
        """Say of an entry of the quarantine that it is not so; the same proposal is not listed again. Raises NotFound."""
        with self._in_flight(), self._store.write():
            entry = self._entry(id, ids)
            self._store.decide(entry.id, "rejected", self._moment())
        return Receipt((ReceiptItem("ignored", "rejected", entry.source, text=entry.text[:80]),))

    def _entry(self, id_: str, ids: ScopeIds) -> Quarantined:
        found = {entry.id: entry for entry in self.review(**ids)}
        if id_ not in found:
            raise NotFound(f"no entry {shown(id_)} waits in the quarantine of this scope; review() lists them")
        return found[id_]

    def _proposed(self, scopes: list[Scope]) -> Proposed:
        """What the chat model for upkeep makes of what it has not read; nothing where none is set."""
        if self._keeper is None:
            return Proposed()
        return Run(self._ledger, self._keeper, self._redact, self._moment, self._in_flight, self._near).over(scopes)

    def _near(self, text: str, scope: Scope) -> list[Card]:
        """Current cards of a scope that have words of a text."""
        ids = {name: getattr(scope, name) for name in ("user", "agent", "tenant")}
        hits = cast(_Recalls, self).search(text, k=_NEAR, arms=("keyword",), **ids)
        return [hit.card for hit in hits]


def _answered(chat: Chat, question: str, context: Context, tokens: int) -> Answer:
    """The answer of a model, its citations held against the context. Raises ChatFailed where it says nothing."""
    messages = prompt("answer").render(memories=context.text.strip(), question=escape(question))
    reply = chat.chat(messages, most=tokens)
    text = _THINKING.sub("", reply.text).strip()
    if not text:
        raise ChatFailed(f"{chat.model} gave an empty answer ({reply.finish}); ask again, or allow it more (tokens=)")
    known = {citation.pointer: citation for citation in context.citations}
    text, cited, unknown = _checked(text, known.keys())
    warnings = ["the answer was cut off; allow it more (tokens=)"] if reply.finish == "length" else []
    warnings += [f"the answer named {', '.join(unknown)}, of which it was shown nothing; taken out"] if unknown else []
    warnings += [] if cited else ["the answer names no memory; check it against the context"]
    citations = tuple(known[name] for name in cited)
    return Answer(text, citations, unknown, context, reply.spent, chat.model, warnings=tuple(warnings))


def _checked(text: str, known: Any) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """The text with the pointers that are known, those, and the others."""
    cited: dict[str, None] = {}
    unknown: dict[str, None] = {}

    def keep(match: re.Match[str]) -> str:
        told = [name.casefold() for name in _NAME.findall(match[1])]
        cited.update(dict.fromkeys(name for name in told if name in known))
        unknown.update(dict.fromkeys(name for name in told if name not in known))
        return "".join(f" [m:{name}]" for name in told if name in known)

    return _CITED.sub(keep, text).strip(), tuple(cited), tuple(unknown)
