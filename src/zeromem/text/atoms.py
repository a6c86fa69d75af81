"""Atoms: what a text must not lose when it is shortened or retold.

In: any text. Out: `Atom`s in order of place: numbers with their units, dates, names, identifiers, URLs, e-mail addresses, quoted
strings, code, negations, modal words and words of safety, with the characters they came from. They tell which memory an answer used, and
whether a compression kept what matters; a hard one may never be lost. Rules only, tens to hundreds of microseconds; a missed name is
possible, an invented atom is not: each is a literal piece of the text. It resolves nothing: what a date means is `times.find`'s answer,
and what an atom binds that of `refine/reading.py`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from zeromem.text import times
from zeromem.text.hard import dangers, idle_phrase

AtomKind = Literal[
    "number", "date", "name", "identifier", "url", "email", "quote", "code", "negation", "modal", "safety",
]  # fmt: skip
_SOFT = frozenset(("name", "quote", "code"))


@dataclass(frozen=True, slots=True)
class Atom:
    """A piece of text to keep: its kind, its words (of a quote, what stands inside), its character span, and whether it is hard: without
    it, or bound to something else, the text would say another thing. Names, quotes and code are soft; so is a negation or modal word
    in a phrase that denies and limits nothing ("can't wait", "no worries", 不好意思)."""

    kind: AtomKind
    text: str
    span: tuple[int, int]
    hard: bool = False


_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_CODE = re.compile(r"```[^\n`]*\n(.*?)```|`([^`\n]+)`", re.DOTALL)
_URL = re.compile(
    rf"\b(?:https?|ftp|file|wss?|postgres(?:ql)?|sqlite|s3|git)://[^\s<>\"'`“”‘’「」，。；！？（）{_HAN}]+|\bwww\.[^\s<>\"'，。{_HAN}]+"
)
_EMAIL = re.compile(r"(?<![\w.+-])[A-Za-z0-9][\w.+-]{0,63}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+", re.ASCII)
_QUOTE = re.compile(
    r"\"([^\"\n]{1,300})\"|“([^“”\n]{1,300})”|「([^「」\n]{1,300})」|『([^『』\n]{1,300})』|《([^《》\n]{1,100})》"
    r"|(?<![\w'’])['‘]([^'‘’\n]{2,200})['’](?!\w)"
)
# Letters with digits, inner capitals, underscores, paths, file names, versions, uuids, phone numbers, addresses of hosts.
_IDENTIFIER = re.compile(
    r"(?<![\w@])(?:"
    r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
    r"|(?:~|\.{1,2}|[\w-]{1,64})?(?:/[\w.-]{1,128}){2,32}/?"
    r"|\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?(?!\w)"
    r"|v\d+(?:\.\d+){1,3}(?:-?[a-z]+\d*)?"
    r"|\+?\d{1,3}[ -]?\(?\d{2,4}\)?[ -]\d{3,4}[ -]\d{3,4}(?!\d)|(?<!\d)1[3-9]\d{9}(?!\d)|\b\d{3}-\d{4}\b(?!-)"
    r"|[#@][A-Za-z_][\w-]*\w|#\d+"
    r"|[A-Za-z]\w{0,63}(?:\.\w{1,63}){0,4}\.(?:py|js|ts|tsx|json|toml|ya?ml|md|txt|csv|sql|sh|go|rs|java|c|cpp|h|html|css|pdf|docx?|xlsx?|png|jpe?g|db|log|ini|cfg)\b"
    r"|[A-Za-z]\w{0,63}_\w{0,127}\w|_\w{0,63}[A-Za-z]\w{0,63}"
    r"|(?=[A-Za-z+-]{0,48}\d)(?=[\d+-]{0,48}[A-Za-z])[A-Za-z0-9]{1,64}(?:[-+][A-Za-z0-9]{1,32}){0,8}"
    r"|[A-Z]{2,32}(?:-[A-Z0-9]{1,32}){1,8}"
    r"|[a-z]+[A-Z][A-Za-z0-9]*|(?:[A-Z][a-z0-9]+){2,}|[A-Z]{2,}[a-z]+(?:[A-Z][a-z]+)+"
    r")(?![\w@])",
    re.ASCII,
)
_UNITS = (
    r"%|‰|°[CF]?|℃|percent|dollars?|usd|euros?|eur|pounds?|yuan|rmb|cny|cents?|bucks?|kg|kilos?|grams?|g|mg|lbs?|oz|km|cm|mm|miles?|met(?:er|re)s?|m"
    r"|feet|ft|inch(?:es)?|hours?|hrs?|h|minutes?|mins?|seconds?|secs?|s|ms|days?|weeks?|months?|years?|gb|mb|kb|tb|gib|mib|px|kwh|kw|w|v|hz|ghz|mhz"
    r"|mph|km/h|kcal|calories|litres?|liters?|l|ml|tokens?|people|persons?|times|pieces?|points?|k|million|billion|thousand"
)
_UNITS_ZH = (
    "万元|亿元|百万|千万|块钱?|元|角|美元|欧元|日元|港币|万|亿|千克|公斤|克|斤|吨|公里|千米|厘米|毫米|米|小时|分钟|秒|天|周|个月|年|岁|个|人|位|次|件|台|张|只|条|"
    "本|份|杯|瓶|箱|度|楼|层|号|室|栋|路|倍|折|分|平米|平方米|升|毫升|页|行|字|名|家|辆|套|斤半"
)
_HAN_DIGITS = "零〇一二两三四五六七八九十百千万亿"
_NUMBER = re.compile(
    rf"(?<![\w.])(?:[$€£¥₹￥]\s?)?[-−]?\d+(?:,\d{{3}})*(?:\.\d+)?(?:\s?(?:{_UNITS})(?![A-Za-z])|\s?(?:{_UNITS_ZH}))?(?![\d])"
    rf"|(?<=[{_HAN}])\d+(?:\.\d+)?(?:\s?(?:{_UNITS}|{_UNITS_ZH}))?"
    rf"|(?<![{_HAN_DIGITS}])[{_HAN_DIGITS}]{{1,12}}(?:点[零一二三四五六七八九]{{1,8}})?(?:{_UNITS_ZH})"
    r"|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
    r"|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|dozen|twice|half)"
    r"(?:[ -](?:one|two|three|four|five|six|seven|eight|nine|hundred|thousand|million|billion|dozen))*\b",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|nowhere|neither|nor|without|cannot|(?:do|does|did|is|are|was|were|has|have|had|ca|wo|could|would"
    r"|should|must|need|might|ai)n['’]?t|no longer|unable)\b"
    r"|不再|不要|不得|不能|不可以?|不会|不是|不想|不用|不必|不准|不许|不应该?|不喜欢|不吃|没有|没能|没|未曾|从未|从不|并非|并不|无法|无需|禁止|严禁|切勿|请勿|勿|(?<![特分个区级性类辨识告鉴差离道送临派])别(?![人的墅名针])|非(?!常|洲)|不(?!错|过|仅|但|少|同|断|久|管|论|如)",
    re.IGNORECASE,
)
_MODAL = re.compile(
    r"\b(?:must|should|shall|may|might|can|could|would|ought to|ha(?:ve|s|d) to|need(?:s|ed)? to|only|always|at least|at most|unless|except|required"
    r"|optional|maybe|perhaps|probably|possibly|if|whether|instead of|supposed to)\b"
    r"|必须|务必|一定|应该|应当|需要|可以|可能|也许|大概|或许|只能|仅限?|总是|至少|最多|除非|除了|如果|要是|假如|万一|而不是",
    re.IGNORECASE,
)
_CAPITAL = r"[A-Z\u00c0-\u00de](?:[\w'’]*\w)?(?:-[A-Z]\w+)*\.?(?<![a-z]{2}\.)"
_NAME = re.compile(
    rf"(?<![\w@.]){_CAPITAL}(?:(?:[ \t](?:of(?: the)?|de|da|van|von|der|den|la|y)){{0,2}}[ \t]{_CAPITAL})*"
)
_SENTENCE_START = re.compile(r"(?:^|[.!?。！？:;\n][\s\"'”’)*]*|\n\s*[-*•>#]\s*|[\"“‘(\[]\s*)$")
_NO_NAMES = frozenset((
    "I", "I'm", "I'll", "I've", "I'd", "The", "A", "An", "This", "That", "These", "Those", "It", "It's", "He", "She",
    "We", "They", "You", "My", "Your", "His", "Her", "Our", "Their", "Its", "What", "When", "Where", "Who", "Why",
    "How", "Which", "If", "And", "But", "Or", "So", "As", "At", "In", "On", "Of", "For", "From", "To", "By", "With",
    "Is", "Are", "Was", "Were", "Be", "Do", "Does", "Did", "Has", "Have", "Had", "Can", "Could", "Will", "Would",
    "Should", "May", "Might", "Must", "Not", "No", "Yes", "Ok", "OK", "Okay", "Please", "Thanks", "Thank", "Hello",
    "Hi", "Hey", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "January", "February",
    "March", "April", "June", "July", "August", "September", "October", "November", "December", "Today", "Tomorrow",
    "Yesterday", "There", "Here", "Then", "Now", "Let", "Let's", "Just", "Also", "After", "Before", "Since", "While",
    "Because", "Don't", "Doesn't", "Didn't", "Isn't", "Can't", "Won't", "User", "Assistant", "System", "Note", "AM",
    "PM",
))  # fmt: skip
_TITLED = (
    rf"(?:小|老|阿)[{_HAN}](?![{_HAN}]?[时的家子人是])|[{_HAN}]{{1,2}}(?:老师|先生|女士|经理|医生|教授|同学|师傅|阿姨|叔叔|主任|律师)"
    rf"|(?<=我叫)[{_HAN}]{{2,3}}|(?<=名叫)[{_HAN}]{{2,3}}|(?<=名字是)[{_HAN}]{{2,3}}|(?<=名字叫)[{_HAN}]{{2,3}}"
    rf"|[{_HAN}]{{2,4}}(?:省|市|县|大学|公司|医院|银行|机场|公园|酒店|餐厅|火车站|小区)"
)
_HAN_NAME = re.compile(_TITLED)
_HAN_LEAD = re.compile(
    rf"^(?:[我你他她它们的在去到从和跟给找问是了住把被让请与及、这那有来往对]|今天|昨天|明天|[{_HAN}](?=在))+"
)
_WORDS: tuple[tuple[AtomKind, re.Pattern[str]], ...] = (("negation", _NEGATION), ("modal", _MODAL))
_ANY_TIME = datetime(2000, 1, 1, tzinfo=UTC)


def atoms(text: str, *, known: frozenset[str] = frozenset()) -> list[Atom]:
    """Every atom of `text`; a capitalised word that opens a sentence is a name only if `known`, repeated, or followed by another.

    Quotes keep the atoms inside them; code does not. Otherwise atoms do not overlap.
    """
    found: list[Atom] = []
    taken = bytearray(len(text))
    for kind, start, end, words in _solid(text, known):
        if end > start and not any(taken[start:end]):
            found.append(Atom(kind, words, (start, end), kind not in _SOFT))
            if kind != "quote":
                taken[start:end] = b"\1" * (end - start)
    # A negation wins over a modal word within it ("can't"); neither is looked for in code, dates and names ("May 8").
    for kind, pattern in _WORDS:
        for match in pattern.finditer(text):
            start, end = match.span()
            if not any(taken[start:end]):
                found.append(Atom(kind, match[0], (start, end), idle_phrase(text, start) is None))
                taken[start:end] = b"\1" * (end - start)
    for start, end in dangers(text):
        if not any(taken[start:end]):
            found.append(Atom("safety", text[start:end], (start, end), True))
            taken[start:end] = b"\1" * (end - start)
    return sorted(found, key=lambda atom: (atom.span[0], -atom.span[1]))


def _solid(text: str, known: frozenset[str]) -> Iterator[tuple[AtomKind, int, int, str]]:
    """Candidates in order of precedence: kind, span, words."""
    if "`" in text:
        for match in _CODE.finditer(text):
            yield "code", match.start(), match.end(), match[1] or match[2] or ""
    if "://" in text or "www." in text:
        for match in _URL.finditer(text):
            words = match[0].rstrip(".,;:!?)]}'*")
            yield "url", match.start(), match.start() + len(words), words
    if "@" in text:
        for match in _EMAIL.finditer(text):
            yield "email", *match.span(), match[0]
    for match in _QUOTE.finditer(text):
        yield "quote", *match.span(), next(group for group in match.groups() if group is not None)
    for span in times.find(text, _ANY_TIME):
        yield "date", *span.span, span.text
    for match in _IDENTIFIER.finditer(text):
        if not re.fullmatch(rf"\d+(?:{_UNITS})", match[0], re.IGNORECASE):  # 5km is a number
            yield "identifier", *match.span(), match[0]
    for match in _NUMBER.finditer(text):
        yield "number", *match.span(), match[0]
    yield from _names(text, known)


def _names(text: str, known: frozenset[str]) -> Iterator[tuple[AtomKind, int, int, str]]:
    runs = list(_NAME.finditer(text))
    sure = {match[0] for match in runs if not _SENTENCE_START.search(text, max(0, match.start() - 8), match.start())}
    counts: dict[str, int] = {}
    for match in runs:
        counts[match[0]] = counts.get(match[0], 0) + 1
    for match in runs:
        words = match[0].split()
        first = next((i for i, word in enumerate(words) if word.rstrip(".") not in _NO_NAMES), len(words))
        start = match.start() + sum(len(word) + 1 for word in words[:first])
        opens = match[0] not in sure and first == 0
        while len(words) > first and words[-1] in _NO_NAMES:
            words.pop()
        words = words[first:]
        if not words or not words[0][0].isupper():
            continue
        name = text[start : text.find(words[-1], start + len(" ".join(words[:-1]))) + len(words[-1])]
        if opens and len(words) == 1 and name not in known and counts.get(name, 0) < 2:
            continue
        yield "name", start, start + len(name), name
    for match in _HAN_NAME.finditer(text):
        lead = _HAN_LEAD.match(match[0])
        begin = match.start() + (lead.end() if lead else 0)
        if match.end() - begin >= 2:
            yield "name", begin, match.end(), text[begin : match.end()]
