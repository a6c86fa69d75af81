"""`ask`: recall, then an answer whose citations stand in the context; nothing recalled is told without a call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from zeromem import ChatFailed, InvalidInput, Memory, NoChat, NotFound, Settings
from zeromem.models.scripted import HangsUp, ScriptedChat
from zeromem.replies import Reply

Open = Callable[..., Memory]


def asked(open_memory: Open, reply: Any, question: str = "Where is the red kettle?") -> Any:
    memory = open_memory(chat=ScriptedChat([reply]), embedder="none")
    memory.add("The red kettle is in the cellar.", user="u")
    memory.add("Ana has a blue boat.", user="u")
    return memory.ask(question, user="u"), memory


def test_an_answer_cites_what_the_model_saw(open_memory: Open) -> None:
    """Each citation is one of the context; the context and the cost come with it."""
    found, memory = asked(open_memory, "It is in the cellar [m:cellar].")
    assert (found.text, [one.pointer for one in found.citations], found.unknown, found.warnings) == (
        "It is in the cellar [m:cellar].", ["cellar"], (), (),
    )  # fmt: skip
    assert found.citations[0] in found.context.citations
    assert (found.model, found.spent.calls, memory.chat.calls) == ("scripted", 1, 1)
    assert "[m:cellar]" in memory.chat.asked[0].text and "Where is the red kettle?" in memory.chat.asked[0].text


@pytest.mark.parametrize(
    ("reply", "text", "unknown"),
    [
        ("In the cellar [m:cellar, m:attic].", "In the cellar [m:cellar].", ("attic",)),
        ("In the cellar [m:attic].", "In the cellar.", ("attic",)),
        ("在地下室【m:cellar】。", "在地下室 [m:cellar]。", ()),
        ("In the cellar (m:Cellar).", "In the cellar [m:cellar].", ()),
        ("<think>[m:boat]</think>In the cellar [m:cellar][m:cellar2]", "In the cellar [m:cellar]", ("cellar2",)),
    ],
)
def test_pointers_that_the_model_made_up_are_taken_out_and_told(
    open_memory: Open, reply: str, text: str, unknown: tuple[str, ...]
) -> None:
    """Whatever brackets it writes."""
    found, _ = asked(open_memory, reply)
    assert (found.text, found.unknown) == (text, unknown)
    assert bool(found.warnings) is bool(unknown) and all(name in found.warnings[0] for name in unknown)


def test_an_answer_without_a_memory_or_cut_off_says_so(open_memory: Open) -> None:
    """The caller can tell."""
    found, _ = asked(open_memory, Reply("In the", "m", "length"))
    assert len(found.warnings) == 2 and "cut off" in found.warnings[0] and "names no memory" in found.warnings[1]


def test_nothing_recalled_asks_no_model(open_memory: Open) -> None:
    """The reason is that of the recall; an answer that is none is false."""
    memory = open_memory(chat=ScriptedChat(["made up"]), embedder="none")
    found = memory.ask("Where is the red kettle?", user="u")
    assert (bool(found), found.text, found.citations, memory.chat.calls) == (False, "", (), 0)
    assert found.reason.startswith("nothing that is remembered answers this: ")


def test_a_failure_is_an_error_and_no_answer(open_memory: Open) -> None:
    """An error never looks like "no memories"."""
    with pytest.raises(ChatFailed, match="hung up"):
        asked(open_memory, HangsUp("In the cellar"))
    with pytest.raises(ChatFailed, match="empty answer"):
        asked(open_memory, " <think>hm</think> ")


def test_without_a_model_the_error_names_the_setting(open_memory: Open) -> None:
    """And what is wrong with a setting is named when the memory is opened."""
    memory = open_memory(embedder="none")
    with pytest.raises(NoChat, match="ZEROMEM_CHAT_URL"):
        memory.ask("Where?", user="u")
    with pytest.raises(InvalidInput, match="question"):
        memory.ask(" ", user="u")
    with pytest.raises(InvalidInput, match=r"zeromem\.ports\.Chat"):
        open_memory("b.db", chat="gpt")
    with pytest.raises(NotFound, match=r"review\(\)"):
        memory.accept("q1", user="u")


def test_the_key_stands_in_no_repr() -> None:
    """Of the settings neither, nor in an error about them."""
    pytest.importorskip("openai", reason="the extra llm is not installed")
    settings = Settings(chat_url="http://127.0.0.1:9/v1", chat_model="m", chat_key="sk-very-secret")
    assert "sk-very" not in repr(settings)
    with pytest.raises(InvalidInput) as caught:
        Settings(chat_key=b"sk-very-secret")  # type: ignore[arg-type]
    assert "sk-very" not in str(caught.value)
    with Memory.open(":memory:", settings=settings, embedder="none", background=False) as memory:
        assert "sk-very" not in repr(memory.chat) and memory.chat is not None and memory.chat.model == "m"
        memory.add("The red kettle is in the cellar.", user="u")
        done = memory.maintain(user="u")
        assert "cannot be reached" in done.warnings[0] and "sk-very" not in repr(done)


def test_a_cheaper_model_keeps_house_on_the_same_budget() -> None:
    """As the settings name it."""
    pytest.importorskip("openai", reason="the extra llm is not installed")
    settings = Settings(chat_url="http://127.0.0.1:9/v1", chat_model="m", chat_upkeep_model="small", chat_calls=3)
    with Memory.open(":memory:", settings=settings, embedder="none", background=False) as memory:
        keeper: Any = memory._keeper
        chat: Any = memory.chat
        assert (chat.model, keeper.model, keeper.budget is chat.budget, chat.budget.calls) == ("m", "small", True, 3)


def test_a_memory_without_a_model_loads_no_client() -> None:
    """Neither the client nor the mending of JSON is on the path of add and recall."""
    import subprocess
    import sys

    code = (
        "import sys; from zeromem import Memory\n"
        "m = Memory.open(':memory:', embedder='none'); m.add('a red kettle', user='u'); m.recall('which kettle?', user='u')\n"
        "print([n for n in ('openai', 'json_repair', 'pydantic', 'httpx2', 'zeromem.models.http') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
