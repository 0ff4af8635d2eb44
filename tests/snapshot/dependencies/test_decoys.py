"""Definitions that stand in the way of the one that is meant: the language decides, or nobody."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.snapshot.dependencies.repository import found, missed, repository

LONG = "def check(x):\n    a = 1\n    b = 2\n    c = 3\n    return True\n"
SHORT = "def check(x): return False\n"


def _user(path: str, *lines: str) -> str:
    """A file whose last line was added."""
    return "".join(f" {line}\n" for line in lines[:-1]) + f"+{lines[-1]}\n"


def _told(files: Mapping[str, str]) -> list[str]:
    resolved = repository(files).resolve()
    return [*found(resolved), *missed(resolved)]


def _own(text: str, use: str) -> list[str]:
    """What a use at the end of a file means, where `check` is said to stand."""
    lines = text.removesuffix("\n").split("\n")
    files = {"a.py": _user("a.py", *lines, use), "b.py": LONG, "c.py": LONG}
    return [line for line in _told(files) if "check" in line]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LONG + SHORT, "check a.py:6 < a.py:7"),
        (SHORT + LONG, "check a.py:2 < a.py:7"),
        ("from b import check\n" + SHORT, "check a.py:2 < a.py:3"),
        (LONG + "from b import check\n", "check b.py:1 < a.py:7"),
        ("from b import check\nfrom c import check\n", "check c.py:1 < a.py:3"),
        (LONG + "check = object()\n", "check a.py:6 < a.py:7"),
        ("if x:\n    " + SHORT, "check a.py:2 < a.py:3"),
        ("try:\n    from b import check\nexcept ImportError:\n    pass\n", "check b.py:1 < a.py:5"),
        (
            "try:\n    from b import check\nexcept ImportError:\n    from c import check\n",
            "ambiguous check a.py:5",
        ),
        (
            "try:\n    from b import check\nexcept ImportError:\n    " + SHORT,
            "ambiguous check a.py:5",
        ),
        ("try:\n    from b import check\nexcept ImportError:\n    check = None\n",
         "ambiguous check a.py:5"),
        ("if x:\n    " + SHORT + "else:\n    " + SHORT, "ambiguous check a.py:5"),
        (SHORT + "if x:\n    from b import check\n", "ambiguous check a.py:4"),
        ("if x:\n    from b import check\n" + SHORT, "check a.py:3 < a.py:4"),
        ("def other():\n    from c import check\n" + SHORT, "check a.py:3 < a.py:4"),
        ("class A:\n    from c import check\n" + SHORT, "check a.py:3 < a.py:4"),
        ("def other():\n    " + LONG.replace("\n", "\n    ").rstrip() + "\n" + SHORT,
         "check a.py:7 < a.py:8"),
    ],
)  # fmt: skip
def test_python_takes_what_is_in_force_at_the_use(text: str, expected: str) -> None:
    assert _own(text, "check(1)") == [expected]


def test_python_in_a_function_takes_what_the_module_ends_with() -> None:
    files = {
        "a.py": """
         def check(x): return True
         def f(x):
        +    check(x)
         def check(x): return False
        +check(1)
         def check(x): return None
        """
    }
    assert _told(files) == ["check a.py:4 < a.py:5", "check a.py:6 < a.py:3"]


def test_python_in_a_function_takes_what_is_imported_there() -> None:
    files = {
        "a.py": """
         def check(x): return True
         def f(x):
             from b import check
        +    check(x)
        """,
        "b.py": SHORT,
    }
    assert _told(files) == ["check b.py:1 < a.py:4"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import b as tools\n", "check b.py:1 < a.py:2"),
        ("import b as tools\nimport c as tools\n", "check c.py:1 < a.py:3"),
        (
            "try:\n    import b as tools\nexcept ImportError:\n    import c as tools\n",
            "ambiguous check a.py:5",
        ),
        ("import b as tools\nclass tools:\n    " + SHORT, "check a.py:3 < a.py:4"),
    ],
)
def test_python_qualifiers_are_what_is_in_force_too(text: str, expected: str) -> None:
    assert _own(text, "tools.check(1)") == [expected]


def test_python_fallbacks_that_are_both_outside_stay_outside() -> None:
    text = "try:\n    import ujson as json\nexcept ImportError:\n    import json\n"
    files = {"a.py": _user("a.py", *text.split("\n")[:-1], "json.loads_all(1)")}
    assert _told(files) == ["outside loads_all a.py:5"]


ACCESSORS = """
     @property
     def check(self):
         return 1
     @check.setter
     def check(self, x): ...
"""
TWICE = """
     def check(self):
         return 1
     @decorated
     def check(self):
         return 2
"""


@pytest.mark.parametrize(("body", "line"), [(ACCESSORS, 3), (TWICE, 5)])
def test_python_members_are_what_the_class_ends_with_but_for_accessors(
    body: str, line: int
) -> None:
    listing = f" class A:{body}     def f(self):\n+        self.check()"
    assert _told({"a.py": listing})[0].startswith(f"check a.py:{line} ")


def test_the_same_names_in_an_imported_module_rebind_there_too() -> None:
    files = {"a.py": " from b import check\n+check(1)", "b.py": LONG + SHORT}
    assert _told(files) == ["check b.py:6 < a.py:2"]
    both = {"a.py": " from b import check\n+check(1)", "b.py": "if x:\n    def check(): ...\n"
            "else:\n    def check(): ...\n"}  # fmt: skip
    assert _told(both) == ["ambiguous check a.py:2"]


TYPED = """\
function check(a: string): void
function check(a: number): void
function check(a: any) {
  return
}
"""


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.js", "function check() { return 1 }\nfunction check() { return 2 }\n", ""),
        ("a.ts", TYPED, "check a.ts:3"),
        ("a.rs", "#[cfg(unix)]\nfn check() {}\n#[cfg(windows)]\nfn check() {\n}\n", ""),
        ("a.php", "<?php\nif ($x) { function check() {} }\nelse { function check() {} }\n", ""),
        ("a.rb", "def check\n  a\n  b\nend\ndef check\nend\n", "check a.rb:5"),
    ],
)  # fmt: skip
def test_a_second_definition_means_what_the_language_says(
    path: str, text: str, expected: str
) -> None:
    lines = text.removesuffix("\n").split("\n")
    told = _told({path: _user(path, *lines, "check(1);")})
    at = f"{path}:{len(lines) + 1}"
    assert told == [f"{expected} < {at}" if expected else f"ambiguous check {at}"]


BASE = "class Base:\n    def hold(self): ...\n"
DECOY = "class Decoy:\n    def hold(self):\n        return 1\n"


@pytest.mark.parametrize(
    ("header", "imported"),
    [
        ("class C(Base):", "from b import Base"),
        ("class C(other.Base, metaclass=M):", "import b as other"),
        ("class C(Generic[T], B2):", "from b import Base as B2"),
    ],
)
def test_a_member_of_a_base_class_comes_before_one_of_any_class(header: str, imported: str) -> None:
    listing = f" {imported}\n {header}\n     def f(self):\n+        self.hold()\n"
    listing += "".join(f" {line}\n" for line in DECOY.rstrip().split("\n"))
    told = _told({"a.py": listing, "b.py": BASE})
    assert "hold b.py:2 < a.py:4" in told
    assert not any(line.startswith("hold a.py") for line in told)


def test_base_classes_of_other_languages() -> None:
    listing = """
     import { Base } from './b'
     class C extends Base<string> {
       f() {
    +    this.hold()
       }
     }
     class Decoy { hold() {} }
    """
    files = {"a.ts": listing, "b.ts": "export class Base<T> {\n  hold() {}\n}\n"}
    assert "hold b.ts:2 < a.ts:4" in _told(files)


CONFIG = '{{"compilerOptions": {{"paths": {{"#lib/*": ["./{}/*"]}}}}}}'

REAL, DECOYED = CONFIG.format("real"), CONFIG.format("decoy")


@pytest.mark.parametrize(
    ("configs", "file"),
    [
        ({"web/tsconfig.json": REAL, "web/tsconfig.a.json": DECOYED}, "real"),
        ({"web/tsconfig.json": "{}", "web/tsconfig.a.json": DECOYED,
          "tsconfig.json": CONFIG.format("web/decoy")}, ""),
        ({"web/tsconfig.json": '{"extends": "./tsconfig.a"}',
          "web/tsconfig.a.json": '{"extends": ["../tsconfig.b.json", "./tsconfig.c.json"]}',
          "web/tsconfig.c.json": REAL, "tsconfig.b.json": CONFIG.format("web/decoy")},
         "real"),
        ({"web/tsconfig.json": '{"extends": "./tsconfig.json"}'}, ""),
    ],
)  # fmt: skip
def test_the_nearest_tsconfig_decides_and_what_it_extends(
    configs: Mapping[str, str], file: str
) -> None:
    texts = {f"web/{name}/x.ts": "export const check = () => 1\n" for name in ("real", "decoy")}
    told = _told({"web/a.ts": " import { check } from '#lib/x'\n+check()\n", **texts, **configs})
    assert told == (
        [f"check web/{file}/x.ts:1 < web/a.ts:2"] if file else ["outside check web/a.ts:2"]
    )


def test_two_packages_or_crates_of_one_name_are_not_chosen_from() -> None:
    manifest = '{"name": "@org/core"}'
    files = {
        "app/a.ts": " import { check } from '@org/core'\n+check()\n",
        "a/core/package.json": manifest,
        "a/core/index.ts": "export const check = () => 1\n",
        "b/core/package.json": manifest,
        "b/core/index.ts": "export const check = () => 2\n",
    }
    assert _told(files) == ["unresolved check app/a.ts:2"]
    crates = {
        "app/src/a.rs": " use tool_core::check;\n fn f() {\n+    check();\n }\n",
        "a/tool_core/src/lib.rs": "pub fn check() {}\n",
        "b/tool_core/src/lib.rs": "pub fn check() {}\n",
    }
    assert _told(crates) == ["unresolved check app/src/a.rs:3"]
