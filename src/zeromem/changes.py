"""The values that tell what became of memories: a card's history, and the receipt and the proof of what was forgotten.

Frozen, slotted, without behaviour beyond reading, as in `types.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

_WHAT = {"ADD": "created", "UPDATE": "updated", "DELETE": "deleted", "RESTORE": "restored", "FORGET": "forgotten",
         "PIN": "pinned", "UNPIN": "unpinned", "ARCHIVE": "archived", "MOVE": "moved", "REFINE": "refined", "UNREFINE": "taken back"}  # fmt: skip
# A deletion by what came in its place, or by where the card went, as its reason tells.
_GONE = (("was replaced", "superseded"), ("superseded", "superseded"), ("archived", "archived"))


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of a card's history; `old` and `new` chain, None before the first and after a deletion. A pin or a move between the tiers
    leaves the words and the version as they are; a refinement shows others (`new`; None where another memory says them, or none) in their place.

    `what` is the event in words, `who` made it (the speaker or role whose words it is, or "hand" for a caller of `update`, `delete`,
    `restore`), `at` is when, `reason` why.
    """

    event: Literal[
        "ADD", "UPDATE", "DELETE", "RESTORE", "FORGET", "PIN", "UNPIN", "ARCHIVE", "MOVE", "REFINE", "UNREFINE"
    ]
    version: int
    at: str
    old: str | None
    new: str | None
    reason: str
    who: str = ""

    @property
    def what(self) -> str:
        """created, updated, superseded, restored, archived, moved, pinned, unpinned, refined, taken back, deleted or forgotten."""
        if self.event == "DELETE":
            return next((word for sign, word in _GONE if sign in self.reason), "deleted")
        return _WHAT[self.event]


@dataclass(frozen=True, slots=True)
class Proof:
    """What a search of the file's bytes for a forgotten text found, after it was erased.

    `searched` pieces and words were looked for in `files` (`size` bytes); `left` of them were found where no kept memory holds
    them, `shared` stand in kept memories too, so that their absence cannot be shown; `reasons` says what stands against a proof.
    """

    searched: int
    files: tuple[str, ...]
    size: int
    left: int
    shared: int
    reasons: tuple[str, ...] = ()

    @property
    def proved(self) -> bool:
        """Nothing of it is left in the file, and that could be looked for."""
        return self.searched > self.shared and not self.left and not self.reasons


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What `forget` erased: counts, rows by table, and the proof; after `dry_run` what it would erase, with the texts, and no proof.

    `cards` went with all their versions; `kept` are pointers of cards that other events say too, which stay without the forgotten one.
    """

    events: int
    cards: int
    kept: tuple[str, ...] = ()
    rows: Mapping[str, int] = field(default_factory=dict)
    proof: Proof | None = None
    texts: tuple[str, ...] = ()

    @property
    def done(self) -> bool:
        """Erased, and proved."""
        return self.proof is not None and self.proof.proved
