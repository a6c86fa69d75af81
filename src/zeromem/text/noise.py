"""Messages that carry nothing to remember and ask nothing of memory: thanks, greetings, heartbeats, upkeep orders, tool chatter.

In: one message. Out: `classify` says why it makes no card (or None), `silent` why a recall query needs no memory (or None). Words
come from the tables `rules/*/noise.toml`; the grammar is here: a message is noise when its words can be split wholly into known
phrases, at least one of them a core ("thanks"), the rest links ("so much", "老师"), or when each of its clauses is. One unknown
word makes it content, so "yes, the blue one" stays. What frameworks and tools say is told by its form: blocks that hold all of a message, and
lines of progress of which every line is one. Tens of microseconds.
It does not judge importance, and deletes nothing: noise is still an event.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from zeromem.rules import LANGUAGES, spoken, table

Kind = Literal["empty", "acknowledgement", "greeting", "heartbeat", "upkeep", "framework", "chatter"]


@dataclass(frozen=True, slots=True)
class Noise:
    """Why a message is noise: its kind, and a reason to show."""

    kind: Kind
    reason: str


_LONGEST = 160  # characters; longer ones say something, if only by their length
_LONGEST_UPKEEP = 2000
# A glue word costs one, a name three: a message of mostly glue is a sentence, not an acknowledgement.
_COSTS = {"glue": 1, "name": 3}
_DEAREST = 6
_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_TOKEN = re.compile(rf"[{_HAN}]|[a-z0-9]+|[^\W_]")
# Faces that begin with a letter or digit end in a bracket ("8)", "xD"): "x3" and "8D" may be a name or a seat.
_EMOTICON = re.compile(
    r"[:;=][-'^]?[)(DPpOo3*|/\\]+(?!\w)|[8xX][-'^]?[)(]+(?!\w)|\b[xX]D+(?!\w)|<3+|\^[_.-]?\^|[tT][_.][tT]|-_+-|\bo[_.]o\b"
)
# Signs of code, paths and amounts: "ok = 5" and "/run" are not small talk. Nor is what was damaged on the way (lone surrogates, NUL).
_CONTENT_SIGN = re.compile(r"[={}<>$|`@#/\\%€£¥~^*\ud800-\udfff\x00]")
_CLAUSE = re.compile(r"(?<=[.!?。！？])|[,;，；、\n]")  # a question keeps its mark
_REPEATED = re.compile(r"([a-z])\1{2,}")
_DOUBLED = re.compile(r"([a-z])\1+")
_LAUGH = re.compile(r"(?:[ha]*(?:ha|ah){2}[ha]*|(?:he){2,}h?|(?:hi){2,}|(?:lo){2,}l|(?:ja){2,}|h{2,}|l+(?:ol)+)")
_TITLES = ("老师", "先生", "女士", "同学", "师傅", "医生", "经理", "教授", "老板", "主任", "总", "哥", "姐", "叔", "姨")
_POLITE = ("thanks", "greeting", "farewell")
_BEFORE_DEED = ("thanks", "glue")
_LINKS = ("intensifier", "filler", "glue", "address", "deed", "name")


@dataclass(slots=True)
class _Vocabulary:
    phrases: dict[tuple[str, ...], str]
    alone: frozenset[str]  # words that count only as the whole message
    words: frozenset[str]
    longest: int


def classify(text: str) -> Noise | None:
    """Why `text` deserves no card, or None if it may carry content."""
    return _judge(text, core_needed=True)


def silent(text: str) -> Noise | None:
    """Why memory must inject nothing for this query, or None if it may have an answer: as `classify`, and fillers ("well…")."""
    return _judge(text, core_needed=False)


def _judge(text: str, *, core_needed: bool) -> Noise | None:
    if not _visible(text):
        return Noise("empty", "no visible character")
    return _upkeep(text) or _framework(text) or _chatter(text) or _small_talk(text, core_needed=core_needed)


def _visible(text: str) -> bool:
    # Lone surrogates and NUL are "visible": whatever they are, they are not nothing.
    return any(not c.isspace() and unicodedata.category(c) not in ("Cf", "Zs", "Mn") for c in text)


def _small_talk(text: str, *, core_needed: bool) -> Noise | None:
    """The message as a whole, else each of its clauses: "OK. Thanks for your help!" has more glue than one clause may have."""
    if len(text) > 4 * _LONGEST:
        return None
    plain = _normalise(text)
    if _CONTENT_SIGN.search(plain):
        return None
    whole = _clause(text, plain, core_needed=core_needed) if len(plain) <= _LONGEST else None
    split = [] if whole else [clause for clause in _CLAUSE.split(text) if clause.strip()]
    if len(split) < 2:
        return whole
    clauses = [(clause, plain) for clause in split if _TOKEN.search(plain := _normalise(clause))]
    if len(clauses) < 2 or any(clause.strip().casefold() in _vocabulary().alone for clause, _ in clauses):
        return None
    found: list[Noise] = []
    for clause, plain in clauses:
        noise = _clause(clause, plain, core_needed=core_needed) if len(clause) <= _LONGEST else None
        if noise is None:
            return None
        found.append(noise)
    # Anything but greetings throughout is an acknowledgement.
    first = next((noise for noise in found if noise.kind != "greeting"), found[0])
    return Noise(first.kind, "; ".join(dict.fromkeys(noise.reason for noise in found)))


def _clause(text: str, plain: str, *, core_needed: bool) -> Noise | None:
    vocabulary = _vocabulary()
    tokens = _TOKEN.findall(plain)
    if not tokens:
        return Noise("acknowledgement", "no word, only signs")
    words: list[str] = []
    unknown = 0
    for token in tokens:
        words.append(_fold(token, vocabulary.words))
        unknown += words[-1] not in vocabulary.words
        # At most one name may be unknown (three characters of Han), so most questions end here.
        if unknown > 3:
            return None
    classes = _cover(words, vocabulary, asks="?" in plain, original=text)
    if classes is None:
        return None
    cores = [name for name in classes if name not in _LINKS]
    if not cores:
        # Fillers alone ("um, well...") ask nothing; glue or a deed alone ("summary", "is it") may.
        if core_needed or not set(classes) <= {"filler", "intensifier", "address"}:
            return None
        return Noise("acknowledgement", "only filler words")
    kind: Kind = "acknowledgement"
    if "heartbeat" in cores:
        kind = "heartbeat"
    elif set(cores) <= {"greeting", "farewell"}:
        kind = "greeting"
    return Noise(kind, "only words of " + ", ".join(dict.fromkeys(cores)))


def _normalise(text: str) -> str:
    """Lower case, half-width, without emoticons and apostrophes; runs of a letter cut to two."""
    plain = unicodedata.normalize("NFKC", _EMOTICON.sub(" ", text)).casefold()
    plain = plain.replace("'", "").replace("’", "").replace("+1", " plusone ").replace("～", " ").replace("~", " ")
    return _REPEATED.sub(r"\1\1", plain)


def _cover(words: list[str], vocabulary: _Vocabulary, *, asks: bool, original: str) -> list[str] | None:
    """The classes of the phrases that together are all the words, with the fewest glue words; None if none do.

    In a question glue, deeds and names are not allowed: "summary, thanks?" may be meant.
    """
    if len(set(words)) == 1 and words[0] in vocabulary.alone:
        return ["acknowledgement"]
    best: list[tuple[int, list[str]] | None] = [(0, [])] + [None] * len(words)
    furthest = 0
    for start in range(len(words)):
        here = best[start]
        if here is None:
            if start > furthest:
                return None
            continue
        for end, name in _phrases_at(words, start, vocabulary, here[1], original):
            if asks and name in ("glue", "deed", "name"):
                continue
            if name == "deed" and words[start] in vocabulary.alone and not (here[1] and here[1][-1] in _BEFORE_DEED):
                continue
            cost = here[0] + _COSTS.get(name, 0)
            there = best[end]
            if there is None or cost < there[0]:
                best[end] = (cost, [*here[1], name])
                furthest = max(furthest, end)
    last = best[-1]
    return last[1] if last is not None and last[0] <= _DEAREST else None


def _phrases_at(
    words: list[str], start: int, vocabulary: _Vocabulary, before: list[str], original: str
) -> Iterator[tuple[int, str]]:
    for end in range(min(len(words), start + vocabulary.longest), start, -1):
        name = vocabulary.phrases.get(tuple(words[start:end]))
        if name is not None:
            yield end, name
    # "thanks Ana", 谢谢王老师, 早上好小李: one name may follow a word of thanks or greeting.
    word = words[start]
    if before and before[-1] in _POLITE:
        if word.isascii():
            if word not in vocabulary.words and word.isalpha() and word.capitalize() in original:
                yield start + 1, "name"
        elif word in "小老阿" and start + 1 < len(words):
            yield start + 2, "name"
        else:
            for length in (1, 2):
                title = "".join(words[start + length : start + length + 2])
                found = next((t for t in _TITLES if title.startswith(t)), None)
                if found is not None:
                    yield start + length + len(found), "name"


def _fold(token: str, words: frozenset[str]) -> str:
    """A known spelling of an elongated or misshapen word: "yess" is "yes", "ahahah" is "haha"."""
    if token in words or not token.isascii():
        return token
    if _LAUGH.fullmatch(token):
        return "haha"
    single = _DOUBLED.sub(r"\1", token)
    return single if single in words else token


@cache
def _vocabulary() -> _Vocabulary:
    phrases: dict[tuple[str, ...], str] = {}
    alone: set[str] = set()
    for language in LANGUAGES:
        rules = table(language, "noise")
        # Links first, cores over them: "good" may be both and must count as a core.
        for group in ("links", "cores"):
            for name, entries in rules[group].items():
                if name == "alone":
                    alone.update(entries)
                    continue
                for entry in entries:
                    for form in _expand(entry):
                        key = tuple(_TOKEN.findall(form))
                        if group == "links" or phrases.get(key) in (None, *_LINKS):
                            phrases[key] = name
    phrases.pop((), None)
    alone = {word for word in alone if phrases.get((word,)) in (None, *_LINKS)}
    # Beside other words such a word is a piece of them (成都), unless one gives thanks for it ("your help").
    phrases = {key: name for key, name in phrases.items() if name == "deed" or alone.isdisjoint(key) or len(key) > 1}
    words = frozenset(word for key in phrases for word in key)
    return _Vocabulary(phrases, frozenset(alone), words | alone, max(map(len, phrases)))


_PLAIN = re.compile(r"[^()\[\]|]+")


def _expand(entry: str) -> list[str]:
    """Every form of a table entry: "(a|b)" is one of, "[x]" is optional, nested at will."""
    forms, rest = _alternatives(entry)
    assert not rest, f"unbalanced brackets in the noise table: {entry}"
    return forms


def _alternatives(entry: str) -> tuple[list[str], str]:
    """The forms up to the bracket that closes this level, and what follows it."""
    done: list[str] = []
    forms = [""]
    while entry and entry[0] not in ")]":
        plain = _PLAIN.match(entry)
        if plain is not None:
            forms = [form + plain[0] for form in forms]
            entry = entry[plain.end() :]
            continue
        sign, entry = entry[0], entry[1:]
        if sign == "|":
            done, forms = done + forms, [""]
        else:
            inner, entry = _alternatives(entry)
            entry = entry[1:]
            forms = [form + tail for form in forms for tail in (inner if sign == "(" else ["", *inner])]
    return done + forms, entry


@cache
def _upkeep_patterns(language: str) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    rules = table(language, "noise")["patterns"]
    order = re.compile(rules["upkeep_lead"] + "(?:" + "|".join(rules["upkeep"]) + ")", re.IGNORECASE)
    heartbeat = re.compile("|".join(rules["heartbeat"]), re.IGNORECASE)
    return order, re.compile(rules["upkeep_not"], re.IGNORECASE), heartbeat


def _upkeep(text: str) -> Noise | None:
    if len(text) > _LONGEST_UPKEEP:
        return None
    stripped = text.strip()
    named = "HEARTBEAT" in stripped or "心跳" in stripped
    for order, own, heartbeat in map(_upkeep_patterns, spoken(stripped)):
        if named and heartbeat.search(stripped) and own.search(stripped) is None:
            return Noise("heartbeat", "a heartbeat of the agent's framework")
        if order.match(stripped) and own.search(stripped) is None:
            return Noise("upkeep", "an order about the conversation or the agent's own notes")
    return None


_COLOUR = re.compile(r"\x1b\[[0-9;]{0,12}[A-Za-z]")
_LINE_BREAK = re.compile(r"[\r\n]+")
_LONGEST_LINE = 400
_MOST_LINES = 400
# A number that somebody says; an item of a list.
_BARE = re.compile(
    r"(?!.*(?:progress|download|install|下载|安装|进度))[^%#=█\[\]]{0,40}?\d{1,3}(?:\.\d+)?\s?%\W{0,2}|[-|/–] ?\w.*",
    re.IGNORECASE,
)
# A line that stands alone shows that something is at work: "Collecting stamps" may be said.
_HINT = re.compile(
    r"[%█▏░▒▓━…\[⠁-⣿✓✔√]|\.{2,}|请稍|^\W{0,9}(?:npm|added|removed|changed|up to|audited|run|found|collecting|using|requirement|downloading"
    r"|prepar|building|install|getting"
    r"|get:|hit:|ign:|fetched|reading|remote:|enumer|counting|compress|receiv|resolv|writing|unpack|docker|[0-9a-f]{6})",
    re.IGNORECASE,
)
_AT_WORK = re.compile(r"[%█▏░▒▓━…\[⠁-⣿✓✔√]|\.{2,}|^npm |^请稍")


@cache
def _forms(name: str) -> re.Pattern[str]:
    """What a framework says ("status"), or a line of a tool at work ("chatter")."""
    rules = (table(language, "noise")["patterns"] for language in LANGUAGES)
    return re.compile("|".join(pattern for rule in rules for pattern in rule[name]), re.IGNORECASE)


@cache
def _block() -> re.Pattern[str]:
    """The blocks that a framework puts around its own texts."""
    rules = [table(language, "noise")["patterns"] for language in LANGUAGES]
    names = "|".join(name for rule in rules for name in rule["frames"])
    leads = "|".join(rule["frame_lead"] for rule in rules)
    block = rf"<(?P<name>{names})(?:\s[^<>\n]{{0,200}})?>(?:(?!</(?P=name)>)[\s\S])*+</(?P=name)>"
    return re.compile(rf"(?:(?:{leads})\s*)?{block}\s*", re.IGNORECASE)


def _framework(text: str) -> Noise | None:
    """Something a framework says of itself, or blocks of its own that leave nothing of the message."""
    plain = text.strip()
    if len(plain) <= _LONGEST_LINE and _forms("status").fullmatch(plain):
        return Noise("framework", "the agent's framework speaks of itself")
    place = 0
    while "</" in plain and (match := _block().match(plain, place)):
        place = match.end()
    return Noise("framework", "only blocks of the agent's framework") if place and place == len(plain) else None


def _chatter(text: str) -> Noise | None:
    """Only lines that tools write while they work: bars, spinners, package managers. An error among them is content."""
    first = text.lstrip().partition("\n")[0]
    if len(first) > _LONGEST_LINE or len(text) > _LONGEST_LINE * _MOST_LINES or not _HINT.search(first):
        return None
    lines = [line.strip() for line in _LINE_BREAK.split(_COLOUR.sub("", text)) if line.strip()]
    if not lines or len(lines) > _MOST_LINES or (len(lines) == 1 and not _AT_WORK.search(lines[0])):
        return None
    line_of = _forms("chatter")
    if all(len(line) <= _LONGEST_LINE and not _BARE.fullmatch(line) and line_of.fullmatch(line) for line in lines):
        return Noise("chatter", "only progress of a tool")
    return None
