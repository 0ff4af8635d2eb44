"""Debuggers, focused tests and skipped tests that are added, and all that only looks like them."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from pr_review.checks import debugger_added, focused_tests, skipped_tests
from pr_review.domain.finding import Severity
from tests.checks.changes import given

DEBUGGERS = {
    "a.py": "    breakpoint()",
    "b.py": "import pdb; pdb.set_trace()",
    "c.py": "from ipdb import set_trace",
    "d.py": "    import IPython; IPython.embed()",
    "a.js": "  debugger;",
    "b.tsx": "\tdebugger",
    "a.vue": "    debugger; // why",
    "a.rb": "    binding.pry",
    "b.rb": "byebug # here",
    "a.php": "dd($request);",
    "a.rs": "    let n = dbg!(x);",
    "a.go": "\truntime.Breakpoint()",
    "a.ex": "    require IEx; IEx.pry",
    "a.cs": "        Debugger.Break();",
}
FOCUSED = {
    "a.test.ts": "  it.only('works', () => {",
    "b.test.js": "test.describe.only(`group`, () => {",
    "c.spec.js": "fdescribe('group', () => {",
    "d.spec.js": '    fit("works", async () => {',
    "e.test.js": "describe.only.each([1])('x', () => {})",
    "spec/a_spec.rb": "  fit 'works' do",
    "spec/b_spec.rb": "  it 'works', focus: true do",
    "spec/c_spec.rb": "  describe Thing, :focus do",
    "a_test.go": 'var _ = FDescribe("group", func() {',
    "b_test.go": "\tFIt(`works`, func() {",
    "tests/ATest.php": "})->only();",
    "test/a_test.dart": "  }, solo: true);",
}
SKIPPED = {
    "a.test.ts": "  it.skip('works', () => {",
    "b.test.js": "xdescribe('group', () => {",
    "c.spec.js": "test.skip(",
    "test_a.py": "@pytest.mark.skip(reason='later')",
    "test_b.py": "    @unittest.skip('later')",
    "test_c.py": "pytestmark = [pytest.mark.skip]",
    "spec/a_spec.rb": "  xit 'works' do",
    "src/test/java/ATest.java": '    @Disabled("later")',
    "src/test/kotlin/ATest.kt": "    @Ignore",
    "ATests.cs": '    [Fact(Skip = "later")]',
    "src/lib.rs": "    #[ignore]",
    "a_test.go": "func TestA(t *testing.T) {\n\tt.Skip()",
    "b_test.go": '\tt.Run("a", func(t *testing.T) {\n\t\tt.Skip("later")',
    "test/a_test.exs": "  @tag :skip",
}
CASES = [
    *((debugger_added, path, text, Severity.MEDIUM) for path, text in DEBUGGERS.items()),
    *((focused_tests, path, text, Severity.HIGH) for path, text in FOCUSED.items()),
    *((skipped_tests, path, text, Severity.LOW) for path, text in SKIPPED.items()),
]


@pytest.mark.parametrize(("check", "path", "text", "severity"), CASES)
def test_an_added_statement_is_told_at_its_line(
    check: object, path: str, text: str, severity: Severity
) -> None:
    run = check.run  # type: ignore[attr-defined]
    (found,) = run(given({path: "one\n"}, {path: f"one\n{text}\n"}))
    line = 2 + text.count("\n")
    assert (found.path, found.start, found.end, found.severity) == (path, line, line, severity)
    statement = text.rpartition("\n")[2].strip().replace("`", "'")
    assert f"`{statement}`" in found.body
    # what was there before, and what goes away, is no news
    assert run(given({path: f"{text}\n"}, {path: f"{text}\nmore\n"})) == ()
    assert run(given({path: f"one\n{text}\n"}, {path: "one\n"})) == ()
    # in a patch without commits only the lines are known
    assert run(replace(given({path: "one\n"}, {path: f"one\n{text}\n"}), tree=None)) == (found,)


SILENT = {
    "a.py": "# breakpoint()\ndef breakpoint_hit(): ...\nfield = breakpoint\nx = 'breakpoint()'\n",
    "b.py": "\"\"\"\nbreakpoint()\n\"\"\"\nsample = '''\nbreakpoint()\n'''\n",
    "c.py": "import pdb\n\npdb.Pdb().run()\nset_trace = 1\n",
    "a.js": "/*\ndebugger;\n*/\nconst s = `\ndebugger;\n`\n// debugger\n",
    "b.js": "debuggerEnabled = true\nif (debug) start(debugger_)\n",
    "c.js": "const quote = /[`'\"]/;\nconst more = `\ndebugger;\n`;\n",
    "a.rb": "=begin\nbinding.pry\n=end\nbinding.local_variables\n",
    "a.rs": "let s = r#\"\n dbg!(x);\n\"#;\n// dbg!(y)\nfn f<'a>(x: &'a str) {}\n",
    "docs/a.md": "    breakpoint()\n    debugger;\n",
    "vendor/a.js": "debugger;\n",
    "src/model.py": "fit('x')\n",
    "src/model.js": "fit('x')\nit.only('x')\nxit('x')\n",
    "a.test.js": "fit(model)\nfit(\nitems.only('x')\ntest.skip(slow, 'why')\nit.skipIf(x)('a')\n",
    "b.test.js": "test.skip(() => browserName)\nxit = 3\nexpect(x).only('y')\n",
    "test_a.py": "@pytest.mark.skipif(x, reason='y')\npytest.skip('no server')\n@skip_on_ci\n",
    "src/test/java/ATest.java": "@DisabledOnOs(WINDOWS)\n@IgnoreCase\n// @Disabled\n",
    "a_test.go": 'func TestA(t *testing.T) {\n\tif testing.Short() {\n\t\tt.Skip("slow")\n\t}\n}\n',
    "spec/a_spec.rb": "fitness 'x'\nit 'has focus: true' do\nend\n",
    "test/fixtures/rule.test.js": "it.only('x')\ndebugger;\n",
}


@pytest.mark.parametrize("path", SILENT)
@pytest.mark.parametrize("check", [debugger_added, focused_tests, skipped_tests])
def test_what_only_looks_like_one_is_silent(check: object, path: str) -> None:
    assert check.run(given({}, {path: SILENT[path]})) == ()  # type: ignore[attr-defined]


def test_code_after_a_string_counts_again() -> None:
    (found,) = debugger_added.run(given({}, {"a.py": 'x = """\nbreakpoint()\n"""\nbreakpoint()\n'}))
    assert found.start == 4
    (found,) = debugger_added.run(given({}, {"a.js": "s = 'it\\'s';\nr = /[/'\"]/g\ndebugger\n"}))
    assert found.start == 3


def test_a_statement_that_was_moved_is_no_news() -> None:
    skip = "  it.skip('a', () => {\n"
    moved = given({"a.test.js": f"one\n{skip}"}, {"a.test.js": "one\n", "b.test.js": skip})
    assert skipped_tests.run(moved) == ()
    copied = given({"a.test.js": skip}, {"a.test.js": "", "b.test.js": skip, "c.test.js": skip})
    assert [f.path for f in skipped_tests.run(copied)] == ["c.test.js"]


def test_what_the_base_marks_as_generated_is_silent() -> None:
    change = given({}, {"lib/bundle.js": "debugger;\n"})
    marked = replace(change.change, generated=frozenset({"lib/bundle.js"}))
    assert len(debugger_added.run(change)) == 1
    assert debugger_added.run(replace(change, change=marked)) == ()


def test_text_of_the_change_stays_in_its_code_span() -> None:
    (found,) = focused_tests.run(given({}, {"a.test.js": "it.only(`@x`, \u202e() => {\n"}))
    assert "`it.only('@x', \\u{202e}() => {`" in found.body


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.test.js", "/*"),
        ("b.test.js", "x=/[" * 500),
        ("c.test.js", "`" * 501),
        ("test_d.py", '"""' * 3),
        ("e_spec.rb", "=begin"),
        ("f_spec.rb", "it '" + "focus" * 900),
        ("g.test.js", " " * 4000),
        ("h.rs", 'r#"'),
    ],
)
def test_hostile_text_is_read_but_once(path: str, line: str) -> None:
    ends = "debugger\nit.only('x')\nxit('x')\nbreakpoint()\n@pytest.mark.skip\nbyebug\ndbg!(x)\n"
    change = given({}, {path: f"{line}\n" * (60_000 // len(line)) + ends})
    started = time.process_time()
    for check in (debugger_added, focused_tests, skipped_tests):
        check.run(change)
    assert time.process_time() - started < 1
