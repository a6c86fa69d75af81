"""Prompts as data: a Markdown file, the JSON schema of its answer beside it, and a hash of both that derived cards record.

In: the name of a prompt and its values. Out: messages. A value that the prompt has no place for, or a place without a value, is an
InvalidInput. What stands between `<example>` and `</example>` shows the model how to answer; its words never come back as memories,
for `Prompt.examples` tells them.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from zeromem.errors import InvalidInput
from zeromem.replies import Messages, Schema

_PLACE = re.compile(r"\{\{(\w+)\}\}")
_EXAMPLE = re.compile(r"<example>(.*?)</example>", re.DOTALL)
_TURN = "\n---\n"  # between what the system says and what the user says


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt file: `text` with places `{{name}}`, the schema of the answer (None: free text), and a hash of both."""

    name: str
    text: str
    schema: Schema | None
    hash: str

    @property
    def examples(self) -> tuple[str, ...]:
        """The examples that the model is shown."""
        return tuple(_EXAMPLE.findall(self.text))

    def made_by(self, model: str) -> str:
        """Who proposes with it: `facts@1a2b3c4d:model`."""
        return f"{self.name}@{self.hash}:{model}"

    def render(self, **values: str) -> Messages:
        """The messages, every place filled. Raises InvalidInput for a missing or unused value."""
        places = set(_PLACE.findall(self.text))
        if missing := sorted(places - values.keys()):
            raise InvalidInput(f"prompt {self.name!r} needs a value for {', '.join(missing)}")
        if unused := sorted(values.keys() - places):
            raise InvalidInput(f"prompt {self.name!r} has no place for {', '.join(unused)}")
        # The turns are told apart before anything is filled in: a value may hold what looks like a border or a place.
        turns = self.text.split(_TURN)
        filled = [_PLACE.sub(lambda place: values[place[1]], turn).strip() for turn in turns]
        roles = ("system", "user") if len(filled) > 1 else ("user",)
        return [{"role": role, "content": text} for role, text in zip(roles, filled, strict=True)]


@cache
def prompt(name: str) -> Prompt:
    """The prompt `prompts/<name>.md`, with `prompts/<name>.schema.json` where there is one."""
    folder = files(__name__)
    text = (folder / f"{name}.md").read_text(encoding="utf-8")
    beside = folder / f"{name}.schema.json"
    told = beside.read_text(encoding="utf-8") if beside.is_file() else ""
    schema: dict[str, Any] | None = json.loads(told) if told else None
    return Prompt(name, text, schema, hashlib.sha256(f"{text}\0{told}".encode()).hexdigest()[:8])
