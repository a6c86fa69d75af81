"""One language's clause table, compiled: what `encode/clauses.py` cuts sentences by, and which sentences state anything.

In: a table `rules/*/clauses.toml`, whose head says what each key means. Out: `grammar(language)`. It cuts nothing itself.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any

from zeromem.rules import expand, table

Span = tuple[int, int]
_ASKING = frozenset(("question", "request"))
_KEPT = 64  # texts whose cues are kept, and sentences of which it is known what they may state


class Words:
    """Finds which of many words stand in a text: by the first two characters of each, so that only those that the text holds are looked
    for, however many words there are."""

    def __init__(self, words: Iterable[str]) -> None:
        self._short: list[str] = []
        self._by_start: dict[str, list[str]] = {}
        for word in dict.fromkeys(words):
            (self._by_start.setdefault(word[:2], []) if len(word) > 1 else self._short).append(word)

    def within(self, low: str) -> list[str]:
        """Those that stand in `low`, which is in lower case."""
        found = [word for word in self._short if word in low]
        for start in self._by_start.keys() & set(map("".join, pairwise(low))):
            found += [word for word in self._by_start[start] if word in low]
        return found


class Grammar:
    """One language's clause table, compiled."""

    def __init__(self, language: str) -> None:
        rules = table(language, "clauses")
        self.macros: dict[str, str] = rules["macros"]
        self.language = language
        joint = rules["joint"]
        self.abbreviations = frozenset(rules["abbreviations"])
        self._cues = {name: frozenset(cues) for name, cues in rules.get("cues", {}).items()}
        every = frozenset[str]().union(*self._cues.values())
        self._named = {cue: {name for name, cues in self._cues.items() if cue in cues} for cue in every}
        self._words = Words(every)
        # One look, however many patterns ask: they ask again and again of the same words, and two readers of the same sentences.
        self._possible = lru_cache(_KEPT)(self._cued)
        self.stating = lru_cache(_KEPT)(self._stating)
        self.drop = {kind: self._compile(pattern) for kind, pattern in rules["drop"].items()}
        self.question = self._any(rules["question"].values())
        self.relative = self._compile(rules.get("relative", "(?!)"))
        self.asked = self._compile(rules.get("asked", "(?!)"))
        self.resumed = self._compile(rules.get("resumed", "(?!)"))
        self.presupposed = self._compile(rules.get("presupposed", "(?!)"))
        self.pasted = {side: self._compile(pattern) for side, pattern in rules.get("pasted", {}).items()}
        self.carried = self._compile(rules.get("carried", "(?!)"))
        self.verb = self._compile(rules.get("verb", "(?!)"))
        self.asks = self._any(rules["asks"].values()) if "asks" in rules else re.compile("(?!)")
        self.polite = self._compile(rules.get("polite", "(?!)"))
        self.request = self._compile(rules.get("request", "(?!)"))
        self.breaks = self._compile(rules["breaks"])
        self.restart = self._compile(rules["restart"])
        self.lead = self._marked(rules["lead"], joint)
        self.subject = self._compile(rules["subject"])
        self.group = self._marked(rules["group"], joint)
        self.marks = {mark: self._compile(pattern) for mark, pattern in rules["marks"].items()}
        self.spread: dict[str, list[str]] = rules["spread"]
        self.opening = self._compile(rules["opening"])
        self.unbroken = self._compile(rules["unbroken"])
        self.implies: dict[str, list[str]] = rules.get("implies", {})
        self.about = {mark: self._compile(pattern) for mark, pattern in rules.get("about", {}).items()}
        self.stranger = self._compile(rules.get("stranger", "(?P<who>)(?!)"))
        self.introduced = [self._compile(pattern) for pattern in rules.get("introduced", {}).values()]
        self.mentioned = {word: self._compile(pattern) for word, pattern in rules.get("mentioned", {}).items()}
        self.possessor = self._compile(rules.get("possessor", "(?P<who>)(?!)"))
        self.disagrees = self._compile(rules.get("disagrees", "(?!)"))
        self.answered = self._compile(rules["answered"])
        self.when = self._compile(rules["when"])
        self.final = self._compile(rules.get("final", "(?!)"))
        self.said_before = self._compile(rules["quotes"]["before"])
        self.said_after = self._compile(rules["quotes"]["after"])
        self.attributed = self._compile(rules["quotes"].get("attributed", "(?P<who>)(?!)"))
        self.transcript = self._compile(rules["quotes"]["transcript"])
        self.named = self._compile(rules["quotes"]["name"])

    def cued(self, name: str, low: str) -> bool:
        """Whether `low`, in lower case, holds one of the words without which the pattern `name` cannot match."""
        return name in self._possible(low) or name not in self._cues

    def marked(self, low: str) -> Iterator[tuple[str, re.Pattern[str]]]:
        """The marks whose patterns may match in `low`."""
        possible = self._possible(low)
        return ((mark, self.marks[mark]) for mark in self.marks if mark in possible or mark not in self._cues)

    def _cued(self, low: str) -> frozenset[str]:
        """The patterns of which a cue stands in `low`."""
        return frozenset().union(*(self._named[cue] for cue in self._words.within(low)))

    def _stating(self, text: str, start: int, end: int) -> Span | None:
        """The part of a sentence that may state something: before the question it ends in, behind the request it begins with."""
        dropped = self._dropped(text, start, end)
        if not dropped <= {"question", "request", "hypothetical"}:
            return None
        if not dropped:
            return start, end
        for match in self.asked.finditer(text, start + 1, end):
            if not self._dropped(text, start, match.start()):
                return start, match.start()
        if "hypothetical" in dropped or (resumed := self.resumed.search(text, start, end)) is None:
            return None  # "I'd ask …, but if …" is one thought
        first = resumed.end()
        last = first + len(text[first:end].rstrip("?!. "))
        return None if self._dropped(text, first, last) else (first, last)

    def presupposing(self, text: str, start: int, end: int) -> bool:
        """Whether a sentence that only asks or requests names something of the speaker's own ("what can my dog Rex eat?")."""
        return self.presupposed.search(text, start, end) is not None and self._dropped(text, start, end) <= _ASKING

    def _dropped(self, text: str, start: int, end: int) -> set[str]:
        """The kinds of sentence that state nothing which this one is."""
        said = text[start:end]  # cut out, so that "^" is where it begins
        low = said.casefold()
        asks = {"question"} if self.question.search(said) is not None else set()
        return asks | {kind for kind, pattern in self.drop.items() if self.cued(kind, low) and pattern.search(said)}

    def _compile(self, pattern: str) -> re.Pattern[str]:
        return re.compile(expand(pattern, self.macros), re.IGNORECASE)

    def _any(self, patterns: Any) -> re.Pattern[str]:
        return self._compile("|".join(f"(?:{pattern})" for pattern in patterns))

    def _marked(self, marks: dict[str, str], joint: str) -> re.Pattern[str]:
        return self._compile("|".join(f"(?P<{mark}>(?:{pattern}){joint})" for mark, pattern in marks.items()))


@cache
def grammar(language: str) -> Grammar:
    """The compiled clause table of a language."""
    return Grammar(language)
