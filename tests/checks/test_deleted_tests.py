"""Tests that go away while the code they test stays."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pr_review.checks.declared_tests import declared, subjects
from pr_review.checks.deleted_tests import run
from pr_review.domain.diff import Side
from pr_review.domain.finding import Severity
from tests.checks.changes import given

CODE = "code\n" * 9
DECLARED = {
    "test_a.py": ("def test_one():\n    pass\n", "async def test_two(x):\n    pass\n"),
    "a.test.ts": ("it('test_one', () => {})\n", "  test.each([1])\n  test(`test_two`, () => {})\n"),
    "a_test.go": ("func test_no() {}\nfunc Test_one(t *testing.T) {}\n", "func TestTwo(t) {}\n"),
    "spec/a_spec.rb": ('  it "test_one" do\n', "  scenario('test_two') do\n"),
    "ATest.java": (
        "  @Test\n  public void one() {}\n",
        "  @ParameterizedTest\n  @Csv\n  void two() {}\n",
    ),
    "ATest.kt": ("  @Test fun `one`() {}\n", "  @Test\n  fun two() {}\n"),
    "ATests.cs": (
        "  [Fact]\n  public void One() {}\n",
        "  [Theory]\n  public async Task Two() {}\n",
    ),
    "tests/a.rs": ("#[test]\nfn one() {}\n", "#[tokio::test]\nasync fn two() {}\n"),
    "tests/ATest.php": ("public function testOne() {}\n", "function testTwo() {}\n"),
    "test/a_test.exs": ('  test "one" do\n', "  test 'two' do\n"),
}


@pytest.mark.parametrize("path", DECLARED)
def test_tests_are_known_by_their_declaration(path: str) -> None:
    one, two = DECLARED[path]
    (file,) = given({path: f"{one}helper\n"}, {path: f"helper\n{two}"}).change.files
    names = [[name for name, _ in declared(file, side)] for side in (Side.LEFT, Side.RIGHT)]
    assert [len(side) for side in names] == [1, 1]
    assert "one" in names[0][0].lower()
    assert "two" in names[1][0].lower()


@pytest.mark.parametrize(
    ("test", "subject"),
    [
        ("pkg/a_test.go", "pkg/a.go"),
        ("tests/pkg/test_a.py", "pkg/a.py"),
        ("tests/pkg/test_a.py", "src/pkg/a.py"),
        ("pkg/tests/test_a.py", "pkg/a.py"),
        ("src/__tests__/a.test.tsx", "src/a.ts"),
        ("packages/x/test/a.test.ts", "packages/x/src/a.ts"),
        ("src/test/java/p/ATest.java", "src/main/java/p/A.java"),
        ("spec/models/a_spec.rb", "app/models/a.rb"),
        ("tests/flow.py", "src/flow.py"),
    ],
)
def test_what_a_file_of_tests_is_named_for(test: str, subject: str) -> None:
    found = list(subjects(test))
    assert subject in found
    assert test not in found
    assert len(found) < 150


ONE, TWO, THREE = (f"def test_{n}():\n    assert {n}\n" for n in ("one", "two", "three"))
BEFORE = {"tests/test_a.py": f"{ONE}{TWO}", "src/a.py": CODE, "test_b.py": ""}


def test_a_deleted_file_of_tests_is_told_on_its_first_test() -> None:
    (found,) = run(given(BEFORE, {"src/a.py": CODE, "test_b.py": ""}))
    assert (found.path, found.start, found.side) == ("tests/test_a.py", 1, Side.LEFT)
    assert found.severity is Severity.MEDIUM
    assert "`test_one`, `test_two`" in found.body
    assert "`src/a.py`" in found.body


def test_a_test_that_goes_while_the_code_hardly_changes_is_told() -> None:
    (found,) = run(given(BEFORE, {**BEFORE, "tests/test_a.py": ONE}))
    assert (found.start, found.side, found.severity) == (3, Side.LEFT, Severity.LOW)
    touched = CODE.replace("code", "edoc", 1)
    assert len(run(given(BEFORE, {**BEFORE, "tests/test_a.py": ONE, "src/a.py": touched}))) == 1


SILENT = {
    "the code goes too": {"test_b.py": ""},
    "the code shrinks": {**BEFORE, "tests/test_a.py": ONE, "src/a.py": "code\n"},
    "as much of the code went": {**BEFORE, "tests/test_a.py": ONE, "src/a.py": "other\n" * 9},
    "another test came": {**BEFORE, "tests/test_a.py": f"{ONE}{THREE}"},
    "it was moved": {**BEFORE, "tests/test_a.py": ONE, "test_b.py": TWO},
    "as many came elsewhere": {**BEFORE, "tests/test_a.py": ONE, "test_b.py": THREE},
    "all moved": {"src/a.py": CODE, "test_b.py": f"{ONE}{TWO}"},
}


@pytest.mark.parametrize("why", SILENT)
def test_silent_where(why: str) -> None:
    assert run(given(BEFORE, SILENT[why])) == ()


def test_without_a_subject_or_commits_nothing_is_said() -> None:
    alone = {
        "tests/test_flow.py": ONE,
        "tests/data.csv": "x\n",
        "x/fixtures/test_a.py": ONE,
        "x/a.py": CODE,
    }
    assert run(given(alone, {"x/a.py": CODE})) == ()
    assert run(replace(given(BEFORE, {"src/a.py": CODE}), tree=None)) == ()


def test_a_path_as_deep_as_git_allows_is_looked_up_in_few_places() -> None:
    assert len(list(subjects("test/" * 200 + "a.test.js"))) < 2_000


def test_many_tests_are_counted() -> None:
    many = "".join(f"def test_{n}(): ...\n" for n in range(9))
    (found,) = run(given({"test_a.py": many, "a.py": CODE}, {"a.py": CODE}))
    assert "`test_4` and 4 more" in found.body
