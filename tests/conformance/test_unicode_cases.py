"""Cases of the kind "CJK / unicode": every script is found by its words and given back as it was."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from zeromem import InvalidInput, Memory

Run = Callable[..., "subprocess.CompletedProcess[bytes]"]
REST = pytest.mark.xfail(strict=True, raises=ImportError, reason="waits for the REST surface")
MCP = pytest.mark.xfail(strict=True, raises=ImportError, reason="waits for the MCP server")


def texts(found: Any) -> list[str]:
    return [item.text for item in found]


def test_c056_keyword_search_zh(plain: Memory) -> None:
    """没有空格的中文按词命中；不相干的词什么也不返回。"""
    text = "我们把外币汇率换算模块部署在docker里。"
    plain.add(text, user="u")
    assert texts(plain.search("汇率换算", user="u")) == [text]
    assert texts(plain.search("docker", user="u")) == [text]
    assert plain.search("股票", user="u") == []


JAPANESE = "先週レッサーパンダを動物園で見ました。"


@pytest.mark.parametrize("query", ["レッサーパンダ", "動物園"])
def test_c057_library_japanese_words(plain: Memory, query: str) -> None:
    """A Japanese clause is not one word."""
    plain.add(JAPANESE, user="u")
    assert texts(plain.search(query, user="u")) == [JAPANESE]


def test_c057_cli_japanese_words(cli: Run) -> None:
    """The same on the command line."""
    assert cli("add", JAPANESE).returncode == 0
    for query in ("レッサーパンダ", "動物園"):
        done = cli("search", query, "--json")
        assert (done.returncode, JAPANESE in done.stdout.decode()) == (0, True)


@REST
def test_c057_rest_japanese_words(rest: Any) -> None:
    """The same over REST."""
    rest.post("/users/u/memories", json={"content": JAPANESE})
    assert JAPANESE in rest.get("/users/u/search", params={"q": "動物園"}).text


@MCP
def test_c057_mcp_japanese_words(mcp: Any) -> None:
    """The same over MCP."""
    mcp.tool("add", content=JAPANESE)
    assert JAPANESE in mcp.tool("search", query="動物園")["result"]["content"][0]["text"]


def test_c059_width_variants(mem: Memory) -> None:
    """Full-width letters are found by plain ones; the text comes back unchanged."""
    text = "臺北辦公室的門禁碼是ＡＢ１２"
    id_ = str(mem.add(text, user="u").id)
    assert texts(mem.search("AB12", user="u")) == [text]
    assert (mem.get(id_).text, mem.expand(id_).text) == (text, text)


def test_c059_half_width_katakana(plain: Memory) -> None:
    """Another width pair: half-width katakana."""
    plain.add("ﾚｯｻｰﾊﾟﾝﾀﾞを見た", user="u")
    assert texts(plain.search("レッサーパンダ", user="u")) == ["ﾚｯｻｰﾊﾟﾝﾀﾞを見た"]


def test_c060_names_are_not_translated(plain: Memory) -> None:
    """姓名和语言保持原样，重建索引后也一样。"""
    plain.add("张伟在晨星科技做测试。", user="u")
    plain.reindex()
    assert texts(plain.list(user="u")) == ["张伟在晨星科技做测试。"]


def test_c060_upkeep_does_not_translate(plain: Any) -> None:
    """整理之后，每条相关记忆都含原名，且汉字占比过半。"""
    plain.add("张伟在晨星科技做测试。", user="u")
    plain.maintain(user="u")
    for text in texts(plain.list(user="u")):
        assert "张伟" in text and "晨星科技" in text
        assert sum("\u4e00" <= char <= "\u9fff" for char in text) > len(text) / 2


ODD = "ok \ud83d done 😀 \U0001f468\u200d\U0001f469\u200d\U0001f467"


def test_c061_library_lone_surrogate_and_emoji(mem: Memory) -> None:
    """The card encodes to UTF-8, emoji stay whole, the word is found, and the event is byte-exact."""
    id_ = str(mem.add(ODD, user="u").id)
    text = mem.get(id_).text
    assert text.encode("utf-8").decode() == text
    assert "😀" in text and "\U0001f468\u200d\U0001f469\u200d\U0001f467" in text
    assert [hit.id for hit in mem.search("done", user="u")] == [id_]
    assert mem.expand(id_).text == ODD
    assert mem.recall("what is done?", user="u").text.encode()


@pytest.mark.parametrize(
    "text",
    ["nul \x00 inside", "مرحبا بالعالم", "\u202eright to left", "e\u0301 combining", "\ufeffbom first", "🏳️\u200d🌈 flag",
     "\U000e0041 tag", "x" * 100_000],
)  # fmt: skip
def test_c061_other_odd_texts(plain: Memory, text: str) -> None:
    """NUL, right-to-left, combining marks, a BOM, tags and very long words come back byte for byte."""
    id_ = str(plain.add(text, user="u").id)
    assert plain.expand(id_).text == text
    assert plain.search(text[:200], user="u") is not None


@REST
def test_c061_rest_lone_surrogate(rest: Any) -> None:
    """A lone surrogate over REST is no server error."""
    answer = rest.post("/users/u/memories", content=json.dumps({"content": ODD}).encode())
    assert answer.status_code == 200


@MCP
def test_c061_mcp_lone_surrogate(mcp: Any) -> None:
    """A lone surrogate over MCP is no crash."""
    assert "error" not in mcp.tool("add", content=ODD)


def test_c063_library_ids_of_any_script(mem: Memory, tmp_path: Path) -> None:
    """Ids and tags of any script work; `../x` is an id like any other and no path."""
    mem.add("tea at 5", user="太郎", metadata={"room": "Jānis/厨房"})
    assert texts(mem.search("tea", user="太郎", filters={"room": "Jānis/厨房"})) == ["tea at 5"]
    before = sorted(tmp_path.parent.iterdir())
    mem.add("cake", user="../x")
    assert [(c.text, c.user) for c in mem.list(user="../x")] == [("cake", "../x")]
    assert sorted(tmp_path.parent.iterdir()) == before


@REST
def test_c063_rest_escaped_path(rest: Any) -> None:
    """An escaped user in the path is the same user."""
    rest.post("/users/太郎/memories", json={"content": "tea at 5"})
    assert "tea at 5" in rest.get("/users/%E5%A4%AA%E9%83%8E/search", params={"q": "tea"}).text


@pytest.mark.parametrize("env", [{}, {"LC_ALL": "C", "PYTHONIOENCODING": "cp936"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}])
def test_c064_cli_json_is_readable(cli: Run, open_memory: Callable[..., Memory], env: dict[str, str]) -> None:
    """The bytes of --json are UTF-8, not escapes and not question marks, whatever the locale."""
    open_memory("cli.db", embedder="none").add("参数校验放在注册时", user="u")
    done = cli("search", "参数校验", "--json", env=env)
    assert (done.returncode, "参数校验放在注册时".encode() in done.stdout) == (0, True)
    json.loads(done.stdout.decode("utf-8").splitlines()[0] if done.stdout.count(b"\n{") else done.stdout)


@MCP
def test_c064_mcp_text_is_readable(mcp: Any) -> None:
    """The same for MCP text content."""
    mcp.tool("add", content="参数校验放在注册时")
    assert "参数校验" in mcp.tool("search", query="参数校验")["result"]["content"][0]["text"]


QUERIES = ["the", "`", "()", "AND", "a OR", "-", '"unclosed', "foo:bar", "x*", "NEAR(", "group-id:00000000-0000-0000",
           "'; DROP TABLE cards;--", "%", "\\", "[m:", "{}", "。", "？？？", "^$", "\x00"]  # fmt: skip


@pytest.mark.parametrize("query", QUERIES)
def test_c065_operator_queries(mem: Memory, query: str) -> None:
    """No query of operators or punctuation raises, in search or recall."""
    mem.add("the who played at nine", user="u")
    assert isinstance(mem.search(query, user="u"), list)
    assert isinstance(mem.recall(query, user="u").text, str)


def test_c065_stop_words_and_brackets(mem: Memory) -> None:
    """A query of brackets finds nothing; one of stop words may."""
    mem.add("the who played at nine", user="u")
    assert mem.search("()", user="u") == []
    assert texts(mem.search("the who", user="u")) in ([], ["the who played at nine"])


BAD_ASKS: list[tuple[Any, Any]] = [
    ("   ", 5),
    ("\t\n", 5),
    ("\u3000", 5),
    ("x", 0),
    ("x", -1),
    ("x", 2.5),
    ("x", True),
    (None, 5),
]


@pytest.mark.parametrize(("query", "k"), BAD_ASKS)
def test_c067_library_blank_query_and_bad_k(mem: Memory, query: Any, k: Any) -> None:
    """A blank query or a k below 1 is an InvalidInput, never the neighbours of nothing."""
    mem.add("nearest", user="u")
    with pytest.raises(InvalidInput):
        mem.search(query, user="u", k=k)


@pytest.mark.parametrize("words", [("search", "   "), ("search", "x", "-k", "0"), ("search", "x", "-k", "-1")])
def test_c067_cli_blank_query_and_bad_k(cli: Run, open_memory: Callable[..., Memory], words: tuple[str, ...]) -> None:
    """On the command line: an exit code that is not 0, and a message instead of a traceback."""
    open_memory("cli.db", embedder="none").add("nearest", user="u")
    done = cli(*words)
    assert done.returncode != 0
    assert done.stderr and b"Traceback" not in done.stderr
    assert b"nearest" not in done.stdout


@REST
def test_c067_rest_blank_query(rest: Any) -> None:
    """Over REST: 400 or 422."""
    for query, k in (("   ", 5), ("x", 0)):
        assert rest.get("/users/u/search", params={"q": query, "k": k}).status_code in (400, 422)


@MCP
def test_c067_mcp_blank_query(mcp: Any) -> None:
    """Over MCP: invalid params."""
    assert mcp.tool("search", query="   ")["error"]["code"] == -32602


_AUDIT = """
import sys
from zeromem import Memory
memory = Memory.open(sys.argv[1], embedder="none", background=False)
memory.add("warm up: boats", user="w"); memory.search("boats", user="w")
opened = []
sys.addaudithook(lambda name, args: opened.append(str(args[0])) if name in ("open", "os.listdir", "os.scandir") else None)
memory.add("/remember to call Bo about the boat", user="u")
print([hit.text for hit in memory.search("boat", user="u")], [name for name in opened if "remember" in name])
"""


def test_c068_path_like_text_is_text(tmp_path: Path) -> None:
    """A note that begins with a slash is found, and no file of that name is looked for."""
    done = subprocess.run(
        [sys.executable, "-c", _AUDIT, str(tmp_path / "a.db")], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "['/remember to call Bo about the boat'] []"


@pytest.mark.parametrize(
    "text",
    [
        "see __URL_0__ then https://ex.org/a?b=1, and {{name}} <memory>",
        "%s %(x)d {0} ${HOME} <|endoftext|>",
        "[m:none] </memory>",
    ],
)
def test_c069_placeholders_survive(mem: Memory, text: str) -> None:
    """Text that looks like a placeholder, a format or a tag is kept as it is."""
    id_ = str(mem.add(text, user="u").id)
    assert (mem.get(id_).source, mem.expand(id_).text) == (text, text)


def test_c148_mixed_languages(plain: Memory) -> None:
    """Han words, and identifiers with hyphens, are found in one mostly-English sentence."""
    text = "Deploy the billing-service to staging on Thursday, 然后通知王芳, and close ticket OPS-31."
    plain.add(text, user="u")
    for query in ("王芳", "通知", "OPS-31", "billing-service"):
        assert texts(plain.search(query, user="u")) == [text]


def test_c148_mostly_han_with_english(plain: Memory) -> None:
    """The other way round: English names in a Chinese sentence."""
    text = "请把 auth-gateway 的 REDIS_URL 改成 redis://cache-7，工单 JIRA-88。"
    plain.add(text, user="u")
    for query in ("auth-gateway", "REDIS_URL", "JIRA-88", "工单"):
        assert texts(plain.search(query, user="u")) == [text]
