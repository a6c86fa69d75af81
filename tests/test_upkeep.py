"""Memories move between the tiers and come back on use; pins, retentions, closed sessions, requests not to remember, rules of one's own."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from zeromem import Document, InvalidInput, InvalidScope, Memory, NotFound, Settings
from zeromem.encode.cards import Cut, pieces
from zeromem.encode.keeping import kept
from zeromem.encode.messages import parse
from zeromem.kinds import Route
from zeromem.policy import DAY

Open = Callable[..., Memory]


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1_767_225_600_000_000

    def __call__(self) -> int:
        self.now += 1000
        return self.now

    def days(self, count: float) -> None:
        self.now += int(count * DAY)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(open_memory: Open, clock: Clock) -> Memory:
    return open_memory("upkeep.db", embedder="none", clock=clock)


def tiers(memory: Memory, **ids: Any) -> dict[str, str]:
    return {card.text: memory.standing(card.id).tier for card in memory.list(**(ids or {"user": "ana"}))}


RIVER, KEY, ASKED = "We sat by the river for a while.", "My locker code is 4471.", "What shall we cook?"
HAN, SAID = "我们在江边坐了一会儿。", "The river was calm and wide."


def filled(memory: Memory) -> Memory:
    for text in (RIVER, KEY, ASKED, HAN):
        memory.add(text, user="ana")
    memory.add({"role": "assistant", "content": SAID}, user="ana")
    return memory


def test_tiers_move_with_time_and_nothing_is_lost(memory: Memory, clock: Clock) -> None:
    """After a week the weak are in the archive, after months what was never needed; facts stay; every word is still found."""
    filled(memory)
    assert tiers(memory) == {RIVER: "short", KEY: "long", ASKED: "short", HAN: "short", SAID: "short"}
    assert dict(memory.maintain(user="ana").moved) == {}
    clock.days(8)
    assert dict(memory.maintain(user="ana").moved) == {"long": 2, "archive": 2}
    assert tiers(memory) == {RIVER: "long", KEY: "long", ASKED: "archive", HAN: "long", SAID: "archive"}
    assert dict(memory.maintain(user="ana").moved) == {}
    clock.days(90)
    assert dict(memory.maintain().moved) == {"archive": 2}
    assert tiers(memory)[KEY] == "long"
    assert memory.search("river", user="ana")[0].text in (RIVER, SAID)
    assert "江边" in memory.recall("我们在江边做了什么？", user="ana").text
    told = [(change.what, change.who) for change in memory.history(memory.search(RIVER, user="ana")[0].pointer)]
    assert told == [("created", "user"), ("moved", "upkeep"), ("archived", "upkeep")]
    assert memory.verify().ok


def test_what_rests_comes_after_its_equals(memory: Memory, clock: Clock) -> None:
    """Of two memories with the same words the one in the archive comes second."""
    memory.add("The kite shop opens early, Tom said.", user="ana")
    clock.days(60)
    memory.maintain()
    memory.add("The kite shop opens late, Tom said.", user="ana")
    first = memory.search("When does the kite shop open?", user="ana")[0]
    assert first.text.startswith("The kite shop opens late")
    assert len(memory.search("kite shop", user="ana")) == 2


@pytest.mark.parametrize("how", ["used", "said", "pinned"])
def test_what_is_needed_comes_back(memory: Memory, clock: Clock, how: str) -> None:
    """A use by an answer, the same words again, or a pin takes a memory out of the archive at once."""
    pointer = str(memory.add(RIVER, user="ana").pointer)
    clock.days(60)
    memory.maintain()
    assert memory.standing(pointer, user="ana").tier == "archive"
    if how == "used":
        memory.feedback(memory.recall("Where did we sit by the river?", user="ana").id, used=[pointer])
    elif how == "said":
        memory.add(RIVER, user="ana")
    else:
        memory.pin(pointer, user="ana")
    assert memory.standing(pointer, user="ana").tier == "long"
    assert memory.history(pointer, user="ana")[-1].what == "moved"
    memory.maintain()
    assert memory.standing(pointer, user="ana").tier == "long"


def test_the_newest_thousand_are_short(open_memory: Open, clock: Clock) -> None:
    memory = open_memory("few.db", embedder="none", clock=clock, settings=Settings(embedder="none", short_cards=2))
    for word in ("ash", "birch", "cedar", "dogwood"):
        memory.add(f"What is {word}?", user="ana")
    memory.maintain()
    assert list(tiers(memory).values()) == ["long", "long", "short", "short"]
    clock.days(8)
    memory.maintain()
    assert list(tiers(memory).values()) == ["archive"] * 4


def test_a_pin_holds(memory: Memory, clock: Clock) -> None:
    """Pinned: no fading, no archive, no retention; the pin is told in history, and comes off again."""
    pointer = str(memory.add(RIVER, user="ana").pointer)
    assert memory.pin(pointer, user="ana").items[0].status == "stored"
    assert memory.pin(pointer, user="ana").items[0].reason == "pinned already"
    memory.retain("*", 1, then="forget", user="ana")
    clock.days(400)
    memory.maintain()
    assert (memory.standing(pointer).strength, memory.standing(pointer).tier, memory.standing(pointer).pinned) == (
        1.0,
        "long",
        True,
    )
    assert [change.what for change in memory.history(pointer)] == ["created", "pinned", "moved"]
    memory.pin(pointer, on=False, user="ana")
    assert memory.pin(pointer, on=False, user="ana").items[0].reason == "not pinned"
    memory.maintain()
    assert memory.list(user="ana") == []
    with pytest.raises(NotFound):
        memory.pin("nothing", user="ana")


@pytest.mark.parametrize("last", ["pinned", "unpinned", "deleted by hand"])
def test_a_pin_comes_back_with_what_its_source_says_again(memory: Memory, last: str) -> None:
    """A source is replaced and replaced back: the pin holds again, unless it was taken off or the memory deleted by hand."""
    me = memory.scope(user="ana")

    def say(text: str) -> str:
        me.add(text, source_id="notes", mode="replace")
        (card,) = me.list()
        return card.pointer

    me.pin(say(KEY))
    say("My locker code is 1234.")
    back = say(KEY)
    assert (memory.standing(back).pinned, memory.standing(back).tier) == (True, "long")
    if last == "unpinned":
        me.pin(back, on=False)
    if last == "deleted by hand":
        me.delete(back)
    say("My locker code is 1234.")
    assert memory.standing(say(KEY)).pinned == (last == "pinned")


class Interrupted(Memory):
    """Lets somebody in right before its second write of an upkeep: the first moves tiers, the second ends what a retention says."""

    def let_in(self, act: Callable[[], Any]) -> None:
        self.entries, self.act = 0, act

    @contextmanager
    def _in_flight(self) -> Iterator[None]:
        self.entries = getattr(self, "entries", 2) + 1
        if self.entries == 2:
            self.act()
        with super()._in_flight():
            yield


@pytest.mark.parametrize("then", ["archive", "delete", "forget"])
@pytest.mark.parametrize("what", ["pinned", "said", "no rule"])
def test_what_is_decided_while_a_retention_ends_memories_counts(
    open_memory: Open, tmp_path: Path, clock: Clock, then: Any, what: str
) -> None:
    """A pin, a repeat, the end of the rule that another process was told while `maintain` runs: the memory stays."""
    with Interrupted.open(tmp_path / "race.db", embedder="none", clock=clock) as memory:
        other = open_memory("race.db", embedder="none", clock=clock)
        kept, gone = (str(memory.add(text, user="ana").pointer) for text in (KEY, "My gate code is 1188."))
        memory.retain("*", 30, then=then, user="ana")
        clock.days(31)
        acts: dict[str, Callable[[], Any]] = {
            "pinned": lambda: other.pin(kept, user="ana"),
            "said": lambda: other.add(KEY, user="ana"),
            "no rule": lambda: other.retain("*", None, user="ana"),
        }
        memory.let_in(acts[what])
        ended = 0 if what == "no rule" else 1
        assert memory.maintain(user="ana").ended == ({then: ended} if ended else {})
        assert kept in [card.pointer for card in other.list(user="ana")]
        assert memory.standing(kept).tier != "archive"
        if then != "archive":
            assert (gone in [card.pointer for card in other.list(user="ana")]) == (what == "no rule")


def test_what_is_pinned_while_tiers_move_stays_out_of_the_archive(
    open_memory: Open, tmp_path: Path, clock: Clock
) -> None:
    with Interrupted.open(tmp_path / "race.db", embedder="none", clock=clock) as memory:
        other = open_memory("race.db", embedder="none", clock=clock)
        pointer = str(memory.add(ASKED, user="ana").pointer)
        clock.days(400)
        memory._store = Pinning(memory._store, lambda: other.pin(pointer, user="ana"))  # type: ignore[assignment]
        assert memory.maintain(user="ana").moved == {}
        assert (memory.standing(pointer).tier, memory.standing(pointer).pinned) == ("long", True)


class Pinning:
    """A store at which somebody acts right before the first write."""

    def __init__(self, store: Any, act: Callable[[], Any]) -> None:
        self.store, self.act = store, act

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    def write(self) -> Any:
        act, self.act = self.act, lambda: None
        act()
        return self.store.write()


def test_a_pin_is_a_wall_too(memory: Memory) -> None:
    pointer = str(memory.add(RIVER, user="ana").pointer)
    for verb in (memory.pin, memory.standing):
        with pytest.raises(NotFound):
            verb(pointer, user="ben")


@pytest.mark.parametrize("then", ["archive", "delete", "forget"])
def test_retentions_end_what_is_old(memory: Memory, clock: Clock, tmp_path: Path, then: Any) -> None:
    """Of the kind and scope alone; run again it does nothing; forgotten words are not in the file."""
    memory.add({"role": "assistant", "content": "Zinnias bloom in July."}, user="ana")
    memory.add("My dog is called Rex.", user="ana")
    memory.add({"role": "assistant", "content": "Dahlias bloom in August."}, user="ben")
    (rule,) = memory.retain("answer", 30, then=then, user="ana")
    assert (rule.kind, rule.days, rule.action, rule.scope.user) == ("answer", 30.0, then, "ana")
    assert (memory.retentions(user="ben"), memory.retentions(), memory.retentions(user="ana")) == ((), (rule,), (rule,))
    assert dict(memory.maintain(user="ana").ended) == {}
    clock.days(31)
    memory.pin(memory.list(user="ben")[0].pointer, user="ben")
    ended = dict(memory.maintain().ended)
    assert ended == ({} if then == "archive" else {then: 1})  # it had faded into the archive by itself
    assert dict(memory.maintain().ended) == {}
    left = [card.text for card in memory.list(user="ana")]
    assert left == (["Zinnias bloom in July."] if then == "archive" else []) + ["My dog is called Rex."]
    assert len(memory.list(user="ben")) == 1
    assert then != "forget" or b"Zinnias" not in (tmp_path / "upkeep.db").read_bytes()
    assert memory.retain("answer", None, user="ana") == ()


def test_a_retention_archives_what_does_not_fade(memory: Memory, clock: Clock) -> None:
    """A number keeps its strength, so that only the rule moves it; run again it moves nothing; it is still found."""
    pointer = str(memory.add(KEY, user="ana").pointer)
    memory.retain("number", 30, user="ana")
    clock.days(31)
    assert dict(memory.maintain(user="ana").ended) == {"archive": 1}
    assert (memory.standing(pointer, user="ana").tier, dict(memory.maintain(user="ana").ended)) == ("archive", {})
    assert memory.history(pointer, user="ana")[-1].reason == "archived after 30 days"
    assert [hit.text for hit in memory.search("locker code", user="ana")] == [KEY]


def test_a_wide_retention_holds_for_everybody(memory: Memory, clock: Clock) -> None:
    memory.add({"role": "assistant", "content": "Zinnias bloom in July."}, user="ana")
    memory.add({"role": "assistant", "content": "Dahlias bloom in August."}, user="ben")
    memory.retain("answer", 1, then="delete")
    clock.days(2)
    assert dict(memory.maintain().ended) == {"delete": 2}
    assert [rule.kind for rule in memory.retentions(user="ana")] == ["answer"]


@pytest.mark.parametrize(
    ("given", "words"),
    [(("tools", 3), "there is no kind 'tools'"), (("tool", -1), "days must be from 0"), (("tool", True), "days must be"),
     (("tool", float("nan")), "days must be")],
)  # fmt: skip
def test_a_bad_retention_is_told(memory: Memory, given: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        memory.retain(*given, user="ana")
    with pytest.raises(InvalidInput, match="then must be one of"):
        memory.retain("tool", 3, then="burn", user="ana")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="not for a session"):
        memory.retain("tool", 3, user="ana", session="s")


def test_working_memory_is_the_last_turns_of_an_open_session(memory: Memory) -> None:
    me = memory.scope(user="ana", session="s1")
    for word in ("ash", "birch", "cedar", "dogwood", "elm", "fir", "gorse"):
        me.add(f"We walked on past some {word} then.")
    assert list(tiers(memory).values()) == ["short"] * 2 + ["working"] * 5
    receipt = me.close(save=["Ana walks the coast path", "安娜住在三号房"])
    assert [(item.status, item.reason.split(";")[0]) for item in receipt.items] == [("stored", "key point")] * 2
    assert "working" not in [memory.standing(card.id).tier for card in memory.list(user="ana") if card.kind != "note"]
    note = memory.search("coast path", user="ana")[0].card
    assert (note.kind, memory.standing(note.id).kind, note.session) == ("note", "note", "s1")
    assert me.close(save=["Ana walks the coast path"]).items[0].status == "duplicate"
    assert me.close().items == ()


@pytest.mark.parametrize(
    ("save", "words"), [("one point", "list of strings"), ([" "], "blank"), ([3], "string"), (7, "list")]
)
def test_bad_points_are_told(memory: Memory, save: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        memory.close_session(save, user="ana", session="s1")
    with pytest.raises(InvalidInput, match="name the session"):
        memory.close_session(user="ana")
    assert memory.list(user="ana") == []


def test_who_asks_is_not_remembered(memory: Memory) -> None:
    """The words stay as an event, and make no card; a request alone takes back what was said right before it."""
    me = memory.scope(user="ana", session="s1")
    assert me.add("My salary is 4000, don't remember this.").items[0].reason == "asked not to be remembered"
    me.add("我的工资是五千。")
    told = me.add("这个不要记").items
    assert [(item.status, item.text) for item in told] == [
        ("ignored", "这个不要记"),
        ("superseded", "我的工资是五千。"),
    ]
    both = memory.add(
        [{"role": "user", "content": "I owe Tom 300."}, {"role": "user", "content": "Don't save that, please."}],
        user="ben",
    )
    assert [item.reason for item in both.items] == ["asked not to be remembered"] * 2
    assert (memory.list(user="ana"), memory.list(user="ben"), memory.facts(user="ana")) == ([], [], [])
    assert len(me.messages()) == 3
    assert me.add("I don't remember this song.").items[0].status == "stored"


def test_presets_keep_less(open_memory: Open) -> None:
    """notes: answers are events only; workflow: of chat the sentences that state something, which lead back to their bytes."""
    notes = open_memory("notes.db", embedder="none", settings=Settings(embedder="none", preset="notes"))
    told = notes.add(
        [{"role": "user", "content": "We sat by the river."}, {"role": "assistant", "content": "Rivers are calm."}],
        user="ana",
    )
    assert [item.reason for item in told.items] == [
        "new message",
        "by its preset, of the kind 'answer' only the event is kept",
    ]
    flow = open_memory("flow.db", embedder="none", settings=Settings(embedder="none", preset="workflow"))
    text = "What a day it was. My locker code is 4471. 天气真好。我住在杭州。"
    told = flow.add(text, user="ana")
    card = flow.get(str(told.pointer), user="ana")
    assert card.text == "My locker code is 4471. 我住在杭州。"
    spans = flow.expand(card.pointer, user="ana").spans
    assert [span.text.strip() for span in spans] == ["My locker code is 4471.", "我住在杭州。"]
    assert flow.expand(card.pointer, user="ana").text == text
    assert flow.add("What a day it was.", user="ana").items[0].status == "ignored"
    assert flow.verify().ok


LONG = """Great question, I am happy to help you with that today. The service fails because port 5433 is already taken by the staging database. \
There are several things that one could think about here in general. Stop the staging database with systemctl stop pg-staging first, then start \
the service again. As always, take your time and do not worry about it too much. If the service still fails, the log in /var/log/orders.log says \
which port it wanted. I hope that this helps you, and please let me know."""
LANG = (
    "这个问题问得很好，我很高兴为您解答。服务启动失败，是因为5433端口已经被预发布数据库占用了。一般来说，这类情况可能有很多种原因，需要慢慢排查。"
    "请先用 systemctl stop pg-staging 停掉预发布数据库，再重新启动服务。遇到这种事情不用太着急，慢慢来就好。"
    "如果服务还是启动失败，请看 /var/log/orders.log 里写的端口。希望对您有帮助，有问题随时联系我，祝您工作顺利，生活愉快。"
)


@pytest.mark.parametrize(("text", "cause"), [(LONG, "port 5433"), (LANG, "5433端口")])
def test_a_preset_keeps_the_gist_of_answers(open_memory: Open, text: str, cause: str) -> None:
    """code: of a long answer the sentences that say most, word for word; the rest is one pointer away."""
    code = open_memory("code.db", embedder="none", settings=Settings(embedder="none", preset="code"))
    told = code.add({"role": "assistant", "content": text}, user="ana")
    card = code.get(str(told.pointer), user="ana")
    assert cause in card.text
    assert not re.search("happy|hope|高兴|希望", card.text)
    assert len(card.text) < len(text) * 0.6
    whole = code.expand(card.pointer, user="ana")
    assert whole.text == text
    assert all(span.text.strip() in card.text for span in whole.spans)
    short = code.add({"role": "assistant", "content": "Restart it, then look again."}, user="ana")
    assert code.get(str(short.pointer), user="ana").text == "Restart it, then look again."
    assert code.verify().ok


def test_what_is_kept_stands_behind_its_head() -> None:
    """A shortened part keeps its head, the call or the headings, and leads back to both; a template puts them in other words."""
    table = [
        Route("tool", keep="fact", cards=("tool",), template="{kind}: {head}{text}"),
        Route("document", keep="fact", cards=("document",)),
    ]
    call = {"id": "1", "type": "function", "function": {"name": "profile", "arguments": '{"user": "ana"}'}}
    answer = "Loaded at noon. Ana Roth lives in Leeds. All is well."
    said = parse(
        [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "1", "content": answer},
        ]
    )
    [[tool]] = [piece.drafts for piece in kept(pieces(said, Cut()), table)]
    assert tool.text == 'tool: profile(user: "ana") → Ana Roth lives in Leeds.'
    assert [said[item].text[start:end].strip() for item, start, end in tool.spans] == [
        said[0].text,
        "Ana Roth lives in Leeds.",
    ]
    said = parse(Document("# People\n\nNice crowd.\n\nAna Roth lives in Leeds.\n\n# Places\n\nLeeds has a river."))
    drafts = [draft for piece in kept(pieces(said, Cut()), table) for draft in piece.drafts]
    assert drafts[0].text == "People\nAna Roth lives in Leeds."
    assert [said[0].text[start:end].strip() for _, start, end in drafts[0].spans] == [
        "# People",
        "Ana Roth lives in Leeds.",
    ]


def test_marks_travel_and_go(memory: Memory, open_memory: Open, clock: Clock) -> None:
    """An export carries pins and moves; what is forgotten takes its marks along."""
    filled(memory)
    clock.days(8)
    memory.maintain()
    memory.pin(memory.search(RIVER, user="ana")[0].pointer, user="ana")
    records = [dict(record) for record in memory.export()]
    other = open_memory("other.db", embedder="none", clock=clock)
    other.import_(records)
    assert [dict(record) for record in other.export()] == records
    assert tiers(other) == tiers(memory)
    gone = memory.forget(memory.search(RIVER, user="ana")[0].pointer, user="ana")
    assert gone.rows["marks"] == 3
    assert not [r for r in memory.export() if r["type"] == "mark" and r["mark"] == "pinned"]


def test_another_process_sees_the_moves(memory: Memory, clock: Clock, tmp_path: Path) -> None:
    """A snapshot that was read before takes in pins and moves that come after it."""
    filled(memory)
    other = Memory.open(tmp_path / "upkeep.db", embedder="none", clock=clock)
    before = [hit.score for hit in other.search("river", user="ana") if hit.text == RIVER]
    memory.pin(memory.search(RIVER, user="ana")[0].pointer, user="ana")
    after = [hit.score for hit in other.search("river", user="ana") if hit.text == RIVER]
    other.close()
    assert after[0] > before[0]


OWN = re.search(r"```toml\n(.*?)```", (Path(__file__).parents[1] / "docs/reference/rules.md").read_text("utf-8"), re.S)[
    1
]  # type: ignore[index]

PROGRAM = """
import sys
from zeromem import Memory, Settings, InvalidInput
memory = Memory.open(":memory:", embedder="none", settings=Settings(rules=sys.argv[1]))
memory.add("I sail the Albatross.", user="ana")
pointer = memory.add("I sail the Barracuda now.", user="ana").pointer
print([(fact.slot, fact.value) for fact in memory.facts(user="ana")], memory.standing(pointer).kind, memory.get(pointer, user="ana").text)
Memory.open(":memory:", embedder="none", settings=Settings(rules=sys.argv[1])).close()
try:
    Memory.open(":memory:", embedder="none", settings=Settings(rules=sys.argv[2]))
except InvalidInput as error:
    print(error)
"""


def test_kinds_slots_and_rules_of_ones_own(tmp_path: Path) -> None:
    """A file of tables adds them to the house's; another meaning of the same name is refused."""
    one, other = tmp_path / "own.toml", tmp_path / "other.toml"
    one.write_text(OWN, encoding="utf-8")
    other.write_text(OWN.replace('holds = "one" ', 'holds = "many"'), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(one), str(other)],
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    )
    facts, refused = done.stdout.splitlines()
    assert facts == "[('boat', 'Barracuda')] sailing I sail the Barracuda now. (sailing)"
    assert refused.endswith("slot 'boat' was added to this process with another meaning")


@pytest.mark.parametrize(
    ("text", "words"),
    [("[", "cannot be read"), ("[colours.x]", "is no table"), ("[slots.x]\nholds = 'two'", "needs holds"),
     ("[slots.home]\nholds = 'one'\nline = 'x'", "there is a slot 'home' already"), ("[kinds.x]\ncards = ['x']\ntier = 'top'", "must be one of"),
     ("[kinds.x]\ncards = ['x']\ntemplate = '{text.real}'", "must hold {text}"), ("[kinds.x]\ncards = ['x']\ntemplate = '{text'", "no text with"),
     ("[kinds.x]\ncards = ['x']\ntemplate = '{text:9}'", "must hold {text}"), ("[kinds.x]\ncards = ['x']\ntemplate = 'y'", "must hold {text}"),
     ("[[rule]]\nid = 'x'\nlanguage = 'fr'", "no rules in 'fr'"), ("[[rule]]\nid = 'x'", "needs id, pattern, triggers"),
     ("[slots.x]\nholds = 'one'\nline = 'x'\nhue = 3", "hue = 3 is none of")],
)  # fmt: skip
def test_a_bad_rules_file_is_told(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput, match=words):
        Memory.open(":memory:", embedder="none", settings=Settings(rules=str(path)))


def test_facts_bear_their_importance_and_span(memory: Memory) -> None:
    """An allergy weighs more than a liking, what was asked to be kept more than what was not; the span is the clause in its card."""
    memory.add("I like tea.", user="ana")
    memory.add("Well, I'm allergic to peanuts.", user="ana")
    memory.add("记住我喜欢绿茶。", user="ana")
    by_value = {fact.value: fact for fact in memory.facts(user="ana")}
    assert by_value["tea"].importance == 0.7
    assert by_value["tea"].importance < by_value["peanuts"].importance
    assert by_value["tea"].importance < by_value["绿茶"].importance < 1
    nuts = by_value["peanuts"]
    assert memory.get(nuts.pointer, user="ana").text[slice(*nuts.span)] == nuts.text


def test_a_request_takes_back_only_what_the_same_speaker_said_right_before(memory: Memory) -> None:
    """Not another speaker's or owner's words, nothing where it answers the assistant's question, nothing older; a long text goes whole."""
    group = memory.scope(user="team", session="s")
    group.add({"role": "user", "name": "ana", "content": "My salary is 4000."})
    group.add({"role": "user", "name": "ben", "content": "I'm allergic to nuts."})
    assert [
        item.status for item in group.add({"role": "user", "name": "ana", "content": "Don't remember that."}).items
    ] == ["ignored"]
    memory.add("My dog is called Rex.", user="ben", agent="bot", session="t")
    memory.add("Don't remember that.", agent="bot", session="t")
    assert [card.text for card in memory.list(agent="bot")] == ["My dog is called Rex."]
    me = memory.scope(user="ana", session="u")
    me.add("以后报告都用欧元。")
    me.add({"role": "assistant", "content": "要保存文件吗？"})
    assert [item.status for item in me.add("这个不要记。").items] == ["ignored"]
    me.add("My salary is 4000. " + "The harbour of Genoa has old boats. " * 300)
    me.add({"role": "assistant", "content": "Noted."})
    told = me.add("Oh, don't remember that.").items
    assert [item.status for item in told[:2]] == ["ignored", "superseded"]
    assert [card.text for card in me.list() if card.role == "user"] == ["以后报告都用欧元。"]


def test_what_was_taken_back_stays_away(memory: Memory) -> None:
    """The same source again, appended or replaced, does not bring back what was not to be remembered."""
    said = [{"role": "user", "content": "My salary is 4000."}, {"role": "user", "content": "Don't remember that."}]
    for mode in ("append", "append", "replace"):
        memory.add(said, source_id="x", user="ana", session="s", mode=mode)  # type: ignore[arg-type]
        assert memory.list(user="ana") == []
    long = "The harbour of Genoa has old boats. " * 300
    memory.add(long, source_id="y", user="ana")
    memory.add(long, source_id="y", user="ana", mode="replace", metadata={"a": 1})
    assert {card.metadata.get("a") for card in memory.list(user="ana")} == {1}


def test_retentions_spare_what_is_pinned_or_said_lately(memory: Memory, clock: Clock) -> None:
    """Also where a pinned memory stands in the same event; and safety facts are no messages."""
    text = "# Tea\n\nGreen tea is at the lake house.\n\n# Boats\n\nThe boats are in the old harbour."
    told = memory.add(Document(text, title="notes.md"), user="ana")
    memory.pin(told.ids[0], user="ana")
    memory.add("I am allergic to almonds.", user="ben")
    memory.add("We sat by the river for a while.", user="cam")
    clock.days(100)
    memory.add("We sat by the river for a while.", user="cam")
    memory.retain("document", 10, then="forget", user="ana")
    memory.retain("message", 30, then="forget")
    assert dict(memory.maintain().ended) == {}
    assert [len(memory.list(user=name)) for name in ("ana", "ben", "cam")] == [2, 1, 1]


def test_one_undo_takes_back_what_a_retention_deleted(memory: Memory, clock: Clock) -> None:
    words = ["".join(letters) for letters in product("bdfgklmn", "aeiou", "prstvwxyz", "ao")][:600]
    memory.add([f"We sat by the {word} a while." for word in words], user="ana")
    memory.retain("message", 30, then="delete", user="ana")
    clock.days(40)
    assert dict(memory.maintain(user="ana").ended) == {"delete": 600}
    memory.undo(user="ana")
    page = memory.list(user="ana", limit=1000)
    assert len(page) == 600


def test_pins_keep_their_order(open_memory: Open) -> None:
    """Also where the clock stands still, and where an import brings an older one."""
    still = lambda: 1_767_225_600_000_000  # noqa: E731
    memory = open_memory("still.db", embedder="none", clock=still)
    pointer = str(memory.add(RIVER, user="ana").pointer)
    older = [dict(record) for record in memory.export()]
    memory.pin(pointer, user="ana")
    pinned = [dict(record) for record in memory.export()]
    memory.pin(pointer, on=False, user="ana")
    memory.pin(pointer, user="ana")
    other = open_memory("copy.db", embedder="none", clock=still)
    other.import_(memory.export())
    assert other.standing(pointer, user="ana").pinned
    memory.pin(pointer, on=False, user="ana")
    memory.import_(pinned)
    assert (memory.standing(pointer, user="ana").pinned, len(older)) == (False, 4)


def test_ids_that_hold_a_secret_are_refused(memory: Memory) -> None:
    secret = "sk-proj-" + "a1B2c3D4" * 6
    with pytest.raises(InvalidScope):
        memory.close_session(["x"], user=secret, session="s")
    with pytest.raises(InvalidScope):
        memory.retain("tool", 3, user=secret)


def test_dates_that_are_moved_and_dates_in_two_languages(memory: Memory) -> None:
    """The newer date holds, whichever lies earlier in the year; November 3 and 11月3日 are one day; kin of others is kin."""
    me = memory.scope(user="ana")
    me.add("The exam is on June 10.", at="2026-06-01")
    me.add("The exam was moved to June 20.", at="2026-06-02")
    assert [fact.value for fact in me.facts("exam", "date", as_of="2026-07")] == ["June 20"]
    me.add("考试在6月10号。", at="2026-06-01")
    me.add("考试改到6月20号了。", at="2026-06-02")
    assert [fact.value for fact in me.facts("考试", "date", as_of="2026-07")] == ["6月20号"]
    me.add("My birthday is November 3.", at="2026-06-01")
    me.add("我的生日是11月3日。", at="2026-06-02")
    assert {fact.standing for fact in me.facts("user", "birthday", as_of="2026-07")} == {"current"}
    me.add("Ana's brother is Ben.", at="2026-06-03")
    me.add("Ana's brother is Tim.", at="2026-06-03")
    me.add("Ben ordered the lasagne.", at="2026-06-03")
    assert sorted(fact.value for fact in me.facts("Ana", "sibling", as_of="2026-07")) == ["Ben", "Tim"]
    assert "lasagne" in me.recall("What did Ana's brother order?", at="2026-06-04").text
