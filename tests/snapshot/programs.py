"""Generated programs in several languages, and edits of them: what properties are tried on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from tests.snapshot.repository import Blob, Files


@dataclass(frozen=True)
class Style:
    """How a language opens and ends a definition; a body is indented by two blanks."""

    suffix: str
    function: str
    type: str
    end: str


# Without shrinking: it runs git a thousand times. The trees that fail are printed whole.
few = settings(
    max_examples=12,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

STYLES = (
    Style("py", "def name_{n}(left, right):", "class Name{n}:", ""),
    Style("ts", "function name_{n}(left, right) {{", "class Name{n} {{", "}"),
    Style("go", "func name_{n}(left int, right int) {{", "type Name{n} struct {{", "}"),
    Style("rb", "def name_{n}(left, right)", "class Name{n}", "end"),
    Style("java", "void name_{n}(int left, int right) {{", "class Name{n} {{", "}"),
    Style("sql", "BEGIN name_{n}", "CREATE Name{n}", ""),
    Style("md", "# Name {n}", "## Name {n}", ""),
)
_STATEMENTS = (
    "value_{n} = name_{n}(left, right)", "if value_{n} {{", "return value_{n}", "", "}}",
    "other = Name{n}()", "// remark number {n}", "# remark", "'text {n}'", "x", "...",
    "caf\u00e9_{n} = '\u8def'", "cr\rinside", "form\x0cfeed", "bidi \u202e here",
    "bad \udcff byte", "tail\r", "wide " + "z" * 2_100, "## src/a.py (added, source, +1, -0)",
    "import name_{n} from './b'", "from b import name_{n}", "@decorated({n})", "end",
    "\\ no newline",
)  # fmt: skip

Program = list[tuple[str, int]]

parts = st.tuples(
    st.sampled_from(["function", "function", "type", "end", *["say"] * 6]),
    st.integers(0, len(_STATEMENTS) * 6 - 1),
)
programs: st.SearchStrategy[Program] = st.lists(parts, min_size=1, max_size=60)


def written(program: Program, style: Style) -> list[str]:
    """The lines of a program: definitions nest until a part ends them."""
    lines: list[str] = []
    depth = 0
    for kind, number in program:
        name, indent = number % 6, "  " * depth
        if kind == "end" and depth:
            depth -= 1
            lines += ["  " * depth + style.end] * bool(style.end)
        elif kind in ("function", "type"):
            lines.append(indent + getattr(style, kind).format(n=name))
            depth += 1
        else:
            lines.append(indent + _STATEMENTS[number // 6].format(n=name))
    return lines + ["  " * at + style.end for at in reversed(range(depth)) if style.end]


_places = (st.integers(0, 10_000), st.integers(0, len(_STATEMENTS) * 6 - 1))
edits = st.lists(
    st.tuples(st.sampled_from(["replace", "insert", "delete", "block"]), *_places), max_size=6
)
# Additions of 20 lines each.
blocks = st.lists(st.tuples(st.just("block"), *_places), min_size=4, max_size=8)


def edited(lines: Sequence[str], changes: Sequence[tuple[str, int, int]]) -> list[str]:
    """The same lines after some edits, each at a place of its own."""
    after = list(lines)
    for kind, where, number in changes:
        at = where % (len(after) + 1)
        text = "  " + _STATEMENTS[number // 6].format(n=number % 6)
        match kind:
            case "replace":
                after[at : at + 1] = [text]
            case "insert":
                after[at:at] = [text]
            case "block":
                after[at:at] = [f"{text} {count}" for count in range(20)]
            case _:
                del after[at : at + 1 + number % 9]
    return after


def blob(lines: Sequence[str], ending: str, *, whole: bool) -> Blob:
    """Lines as a file; `whole`: the last one ends, too."""
    text = ending.join(lines) + ending * (whole and bool(lines))
    return Blob(text.encode("utf-8", "surrogateescape"))


@st.composite
def earlier(draw: st.DrawFn, change: tuple[Files, Files]) -> Files:
    """What stood at the head of a change when it was reviewed before: of every file nothing yet,
    all that is there now, or something else."""
    found: dict[bytes, Blob | None] = {}
    for path, blob in change[1].items():
        match draw(st.sampled_from(["same", "same", "edit", "edit", "before"])):
            case "same":
                found[path] = blob
            case "edit" if blob is not None and blob.mode != "120000":
                lines = blob.content.decode("utf-8", "surrogateescape").split("\n")
                text = "\n".join(edited(lines, draw(edits)))
                found[path] = Blob(text.encode("utf-8", "surrogateescape"), blob.mode)
            case _:
                continue
    return found


History = tuple[Files, Files, Files]


@st.composite
def _grown(draw: st.DrawFn) -> tuple[list[str], list[str], list[str]]:
    """A file, its head, and its head before: of the same places some were edited then as they are
    now, some another way, some not at all."""
    body = written(draw(programs), draw(st.sampled_from(STYLES[:4])))
    base = [line for n in range(9) for line in (*body[n * 7 : n * 7 + 7], *_filler(n))]
    places = draw(st.lists(st.integers(0, len(base)), min_size=1, max_size=6, unique=True))
    head, then = list(base), list(base)
    for place in sorted(places, reverse=True):
        now = draw(st.sampled_from([["now one", "now two"], ["now three"], []]))
        was = draw(st.sampled_from([now, now, base[place : place + 1], ["was"]]))
        head[place : place + 1] = now
        then[place : place + 1] = was
    return base, head, then


def _filler(number: int) -> list[str]:
    return [f"filler_{number}_{line} = {line}" for line in range(7)]


@st.composite
def histories(draw: st.DrawFn) -> History:
    """Two trees, and what stood at the head of that change before."""
    base, head = draw(changes())
    then = draw(earlier((base, head)))
    files = [{**files} for files in (base, head, then)]
    for number in range(draw(st.integers(1, 2))):
        path = draw(st.sampled_from([f"src/grown_{number}.py", f"tests/test_grown_{number}.go"]))
        for tree, lines in zip(files, draw(_grown()), strict=True):
            tree[path.encode()] = blob(lines, "\n", whole=draw(st.booleans()))
    return files[0], files[1], files[2]


@st.composite
def changes(draw: st.DrawFn) -> tuple[Files, Files]:
    """Two trees of programs that use one another's names."""
    base: dict[bytes, Blob | None] = {b"keep.md": Blob(b"kept\n")}
    head: dict[bytes, Blob | None] = {}
    for number in range(draw(st.integers(1, 4))):
        style = draw(st.sampled_from(STYLES))
        path = f"{draw(st.sampled_from(['', 'src/', 'tests/']))}{'abcd'[number]}.{style.suffix}"
        lines = written(draw(programs), style)
        ending = draw(st.sampled_from(["\n", "\n", "\n", "\r\n"]))
        old = blob(lines, ending, whole=draw(st.booleans()))
        new = blob(edited(lines, draw(edits)), ending, whole=draw(st.booleans()))
        match draw(st.sampled_from(["edit"] * 6 + ["add", "delete", "move", "link"])):
            case "add":
                head[path.encode()] = new
            case "delete":
                base[path.encode()], head[path.encode()] = old, None
            case "move":
                base[path.encode()], head[path.encode()] = old, None
                head[b"moved/" + path.encode()] = new
            case "link":
                base[path.encode()], head[path.encode()] = old, Blob(b"keep.md", "120000")
            case _:
                base[path.encode()], head[path.encode()] = old, new
    for number in range(3):
        name = f"lib/name_{number}.py".encode()
        base[name] = blob(written(draw(programs), STYLES[0]), "\n", whole=True)
    return base, head
