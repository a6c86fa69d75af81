"""Reads what a model answered, whatever it wrapped, broke or left out.

In: the text of an answer. Out: `Read` with the candidates that are whole, and warnings for what is not; or an `error`, where nothing in
it can be read, that tells the model what was wrong. Prose, fences, thinking, single quotes, bad escapes and cut-off ends are mended by
`json_repair`, which is loaded at the first answer that wants it. Decides nothing about what a candidate says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from zeromem.replies import Reply, Schema

_THINKING = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)
_TEXTS = ("text", "memory", "fact", "content", "statement", "name")  # under which models put what they found
_IDS = ("id", "memory_id")
_TYPES: Mapping[str, Any] = {
    "object": Mapping, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool,
}  # fmt: skip
_LONGEST = 100_000  # characters of an answer that are looked at
_MOST = 200  # candidates of one answer


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that a model proposes, and the number of the message that it says it is from."""

    text: str
    source: int | None = None


@dataclass(frozen=True, slots=True)
class Read:
    """What an answer holds; `cut`: it ended too early, and what was not whole is left out."""

    candidates: tuple[Candidate, ...] = ()
    warnings: tuple[str, ...] = ()
    error: str = ""
    cut: bool = False


def read(reply: Reply, schema: Schema) -> Read:
    """The candidates of an answer."""
    text = _THINKING.sub("", reply.text[:_LONGEST]).strip()
    value = loaded(text)
    lists = list(_lists(value, ""))
    if not lists:
        wrong = "; ".join(unfit(value, schema)) if isinstance(value, Mapping) else "it holds no JSON object"
        return Read(error=wrong or "it holds no list of memories")
    broken = _broken(text)
    found: list[Candidate] = []
    warnings: list[str] = []
    for name, items in lists:
        for number, item in enumerate(items[:_MOST]):
            if broken and item is lists[-1][1][-1]:
                break
            candidate, warning = _candidate(item, f"{name}[{number}]")
            found += [candidate] if candidate else []
            warnings += [warning] if warning else []
    cut = broken or reply.finish == "length"
    if cut:
        warnings.append("the answer of the model was cut off; what of it is whole was taken")
    return Read(tuple(found), tuple(warnings), cut=cut)


def loaded(text: str) -> Any:
    """The JSON value that a text holds, mended; None where there is none."""
    if "{" not in text and "[" not in text:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass  # prose around it, or broken
    try:
        return import_module("json_repair").loads(text) if find_spec("json_repair") else None
    except (ValueError, RecursionError):  # nested deeper than any answer
        return None


def unfit(value: Any, schema: Schema, where: str = "the answer") -> Iterator[str]:
    """What of a value does not fit a JSON schema, in words. Knows type, properties, required, items and enum, which is what we ask for."""
    kind = str(schema.get("type"))
    if kind in _TYPES and (not isinstance(value, _TYPES[kind]) or (isinstance(value, bool) and kind != "boolean")):
        yield f"{where} is no {kind}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where} is none of {', '.join(map(str, schema['enum']))}"
    if isinstance(value, Mapping):
        yield from (f"{where} has no {name!r}" for name in schema.get("required", ()) if name not in value)
        for name, part in schema.get("properties", {}).items():
            if name in value:
                yield from unfit(value[name], part, name if where == "the answer" else f"{where}.{name}")
    if isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            yield from unfit(item, schema["items"], f"{where}[{number}]")


def _lists(value: Any, name: str) -> Iterator[tuple[str, list[Any]]]:
    """The lists of an answer that may hold memories, with their names; several answers in one are all looked at."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            if isinstance(part, list):
                yield str(key), part
    elif isinstance(value, list):
        inner = [found for part in value if isinstance(part, Mapping) for found in _lists(part, name)]
        yield from inner or (
            [(name or "memory", value)] if any(isinstance(one, Mapping | str) for one in value) else []
        )


def _candidate(item: Any, where: str) -> tuple[Candidate | None, str]:
    """A candidate, or what is wrong with an item; or both."""
    if isinstance(item, str):
        return (Candidate(item.strip()), "") if item.strip() else (None, f"{where} is blank")
    if not isinstance(item, Mapping):
        return None, f"{where} is no object"
    said = next((item[key] for key in _TEXTS if isinstance(item.get(key), str) and item[key].strip()), None)
    id_ = next((str(item[key]) for key in _IDS if key in item), None)
    named = f" ({id_[:40]!r})" if id_ else ""
    if said is None:
        return None, f"{where}{named} has no text or name; nothing is changed by it"
    source = item.get("source")
    told = source if isinstance(source, int) and not isinstance(source, bool) else None
    warning = (
        f"{where} names the memory {id_[:40]!r}, which models do not change; it is taken as new"
        if id_ and "event" in item
        else ""
    )
    return Candidate(said.strip(), told), warning


def _broken(text: str) -> bool:
    """Whether the JSON ends inside a string or value: then its last item is not whole."""
    begins = min((place for sign in "{[" if (place := text.find(sign)) >= 0), default=0)
    depth, inside, escaped = 0, False, False
    for sign in text[begins:]:
        if inside:
            escaped, inside = (not escaped and sign == "\\"), (escaped or sign != '"')
        elif sign == '"':
            inside = True
        elif sign in "{[":
            depth += 1
        elif sign in "}]":
            depth -= 1
            if depth == 0:
                return False
    # Bad quotes upset the count; an answer after whose last quote something is closed is whole all the same.
    return not re.search(r"[}\]]", text[text.rfind('"') + 1 :])
