"""Manifests and lock files that parted, and the many ways in which they only seem to."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from pr_review.checks import lockfile_without_manifest, manifest_without_lockfile
from pr_review.checks.check import CheckInput
from pr_review.checks.dependencies.ecosystems import ECOSYSTEMS
from pr_review.domain.diff import Side
from pr_review.domain.finding import Finding, Severity
from tests.checks.changes import Files, Memory, given
from tests.checks.samples import SAMPLES, Sample

every = pytest.mark.parametrize("sample", SAMPLES, ids=[s.lockfile for s in SAMPLES])
NPM = SAMPLES[0]


def found(before: Files, after: Files) -> tuple[Finding, ...]:
    """Findings of both checks."""
    change = given(before, after)
    return (*manifest_without_lockfile.run(change), *lockfile_without_manifest.run(change))


def project(sample: Sample, *, manifest: int, lock: int, folder: str = "") -> dict[str, str]:
    """The sample's two files: 0 is the old side, 1 the new one."""
    sides = (sample.old, sample.new)
    return {
        f"{folder}{sample.manifest}": sides[manifest][0],
        f"{folder}{sample.lockfile}": sides[lock][1],
    }


def package(**tables: object) -> str:
    return json.dumps({"name": "app", **tables}, indent=2) + "\n"


def test_every_pair_has_a_sample() -> None:
    assert {(e.manifest, e.lockfile) for e in ECOSYSTEMS} == {
        (s.manifest, s.lockfile) for s in SAMPLES
    }


@every
@pytest.mark.parametrize("folder", ["", "services/api/"])
def test_a_manifest_ahead_is_found_at_its_dependency(sample: Sample, folder: str) -> None:
    before = project(sample, manifest=0, lock=0, folder=folder)
    after = project(sample, manifest=1, lock=0, folder=folder)
    (one,) = found(before, after)
    assert one.path == f"{folder}{sample.manifest}"
    assert one.sources == ("check:manifest-without-lockfile",)
    assert (one.severity, one.side) == (Severity.MEDIUM, Side.RIGHT)
    assert one.start == one.end
    assert one.start is not None
    assert sample.name in after[one.path].split("\n")[one.start - 1]
    assert f"`{sample.name}`" in one.body
    assert f"`{folder}{sample.lockfile}`" in one.body


@every
def test_a_lockfile_ahead_is_found_where_it_tells(sample: Sample) -> None:
    after = project(sample, manifest=0, lock=1)
    findings = found(project(sample, manifest=0, lock=0), after)
    assert len(findings) == sample.tells
    for one in findings:
        assert one.path == sample.lockfile
        assert one.sources == ("check:lockfile-without-manifest",)
        assert f"`{sample.name}`" in one.body
        assert f"`{sample.manifest}`" in one.body
        assert one.start is not None
        assert sample.name in after[sample.lockfile].split("\n")[one.start - 1]


@every
def test_both_together_are_silent(sample: Sample) -> None:
    old, new = project(sample, manifest=0, lock=0), project(sample, manifest=1, lock=1)
    assert found(old, new) == ()
    assert found(new, old) == ()
    assert found({}, new) == ()
    assert found(old, {}) == ()


@every
def test_lock_maintenance_is_silent(sample: Sample) -> None:
    old = project(sample, manifest=0, lock=0)
    fresher = {**old, sample.lockfile: sample.fresher}
    assert fresher != old
    assert found(old, fresher) == ()
    assert found(fresher, old) == ()


@every
def test_catching_up_is_silent(sample: Sample) -> None:
    """The lock file was behind before; this change brings it along, or leaves it as it was."""
    behind = project(sample, manifest=1, lock=0)
    assert found(behind, project(sample, manifest=1, lock=1)) == ()
    touched = {**behind, "src/main": "x\n"}
    assert found(behind, touched) == ()


@every
def test_without_a_lockfile_there_is_nothing_to_say(sample: Sample) -> None:
    old, new = sample.old[0], sample.new[0]
    assert found({sample.manifest: old}, {sample.manifest: new}) == ()
    both = {sample.manifest: old, sample.lockfile: sample.old[1]}
    assert found(both, {sample.manifest: new}) == ()
    assert found({sample.manifest: old}, {**both, sample.manifest: new}) == ()


@every
def test_what_cannot_be_parsed_is_silent(sample: Sample) -> None:
    junk = "{[<" * 5000 + "\n"
    old = project(sample, manifest=0, lock=0)
    assert found(old, {**old, sample.lockfile: junk}) == ()
    assert found({**old, sample.lockfile: junk}, old) == ()
    if sample.manifest.endswith((".json", ".toml")) or sample.manifest == "Pipfile":
        assert found(old, {**old, sample.manifest: junk}) == ()
        assert found({**old, sample.manifest: junk}, old) == ()


@every
def test_windows_line_ends_change_nothing(sample: Sample) -> None:
    def windows(files: dict[str, str]) -> dict[str, str]:
        return {path: text.replace("\n", "\r\n") for path, text in files.items()}

    old, new = project(sample, manifest=0, lock=0), project(sample, manifest=1, lock=0)
    assert len(found(windows(old), windows(new))) == 1
    assert found(old, {**old, sample.manifest: windows(old)[sample.manifest]}) == ()


def test_another_part_of_the_manifest_is_silent() -> None:
    old = project(NPM, manifest=0, lock=0)
    manifest = json.loads(old["package.json"])
    for more in ({"version": "1.1.0"}, {"scripts": {"left-pad": "x"}}, {"name": "b"}):
        assert found(old, {**old, "package.json": package(**{**manifest, **more})}) == ()
    flat = json.dumps(manifest) + "\n"
    assert found(old, {**old, "package.json": flat}) == ()


def test_a_removed_dependency_is_found_on_its_removed_line() -> None:
    old = project(NPM, manifest=0, lock=0)
    manifest = json.loads(old["package.json"])
    del manifest["dependencies"]["left-pad"]
    (one,) = found(old, {**old, "package.json": package(**manifest)})
    assert one.side is Side.LEFT
    assert one.start is not None
    assert "left-pad" in old["package.json"].split("\n")[one.start - 1]


def test_many_names_are_cut_short() -> None:
    old = project(NPM, manifest=0, lock=0)
    manifest = json.loads(old["package.json"])
    manifest["dependencies"] |= {f"new-{n}": "1" for n in range(8)}
    (one,) = found(old, {**old, "package.json": package(**manifest)})
    assert "`new-4` and 3 more" in one.body


@pytest.mark.parametrize("folder", ["vendor/a/b/", "node_modules/x/", "test/fixtures/app/"])
@every
def test_vendored_code_and_samples_are_silent(sample: Sample, folder: str) -> None:
    old = project(sample, manifest=0, lock=0, folder=folder)
    assert found(old, project(sample, manifest=1, lock=0, folder=folder)) == ()
    assert found(old, project(sample, manifest=0, lock=1, folder=folder)) == ()


@every
def test_a_lockfile_without_its_manifest_in_the_tree_is_silent(sample: Sample) -> None:
    old, new = {sample.lockfile: sample.old[1]}, {sample.lockfile: sample.new[1]}
    assert found(old, new) == ()


def test_what_had_parted_before_is_not_this_change() -> None:
    old = project(NPM, manifest=1, lock=0)
    further = NPM.new[0].replace("^1.3.0", "^1.4.0")
    assert found(old, {**old, "package.json": further}) == ()
    lock = NPM.old[1].replace("^1.2.0", "^1.1.0")
    assert found(old, {**old, "package-lock.json": lock}) == ()


def test_odd_requirements_are_passed_over() -> None:
    uv = next(s for s in SAMPLES if s.lockfile == "uv.lock")
    old = project(uv, manifest=0, lock=0)
    odd = old["pyproject.toml"].replace('["pytest>=8"', '["-e .", "@", "pytest>=8"')
    assert found(old, {**old, "pyproject.toml": odd}) == ()
    array = old["pyproject.toml"].replace("[dependency-groups]", "[dependency-groups]\nx = 3")
    assert found(old, {**old, "pyproject.toml": array}) == ()


@pytest.mark.parametrize("manifest", ["[]\n", "3\n", '{"dependencies": [1]}\n', '"x"\n'])
def test_json_of_another_shape_is_silent(manifest: str) -> None:
    old = {**project(NPM, manifest=0, lock=0)}
    before = {**old, "package.json": manifest}
    assert found(before, {**before, "package.json": "null\n"}) == ()
    assert found({**old, "package-lock.json": manifest}, {**old, "src": "x\n"}) == ()


def test_a_second_lockfile_that_nobody_tends_is_silent() -> None:
    yarn = next(s for s in SAMPLES if s.lockfile == "yarn.lock")
    old = project(NPM, manifest=0, lock=0) | project(yarn, manifest=0, lock=0)
    new = project(NPM, manifest=1, lock=1) | project(yarn, manifest=1, lock=0)
    assert found(old, new) == ()


WORKSPACE_LOCKS = {
    "package-lock.json": json.dumps(
        {
            "lockfileVersion": 3,
            "packages": {
                "": {"workspaces": ["packages/*"]},
                "node_modules/a": {"resolved": "packages/a", "link": True},
                "packages/a": {"name": "a", "dependencies": {"left-pad": "^1.2.0"}},
            },
        }
    ),
    "pnpm-lock.yaml": "importers:\n\n  .: {}\n\n  packages/a:\n    dependencies:\n"
    "      left-pad:\n        specifier: ^1.2.0\n        version: 1.2.0\n",
    "yarn.lock": '__metadata:\n  version: 8\n\n"left-pad@npm:^1.2.0":\n  version: 1.2.0\n',
    "bun.lock": '{"workspaces": {"": {}, "packages/a": {"dependencies": {"left-pad": "^1.2.0",}}}}',
}


@pytest.mark.parametrize("lockfile", WORKSPACE_LOCKS)
def test_a_workspace_is_locked_at_its_root(lockfile: str) -> None:
    root = {lockfile: WORKSPACE_LOCKS[lockfile], "package.json": package(workspaces=["packages/*"])}
    old = {**root, "packages/a/package.json": package(dependencies={"left-pad": "^1.2.0"})}
    new = {**root, "packages/a/package.json": package(dependencies={"left-pad": "^1.3.0"})}
    (one,) = found(old, new)
    assert one.path == "packages/a/package.json"
    assert f"`{lockfile}`" in one.body


@pytest.mark.parametrize("lockfile", WORKSPACE_LOCKS)
def test_a_project_that_the_root_does_not_lock_is_silent(lockfile: str) -> None:
    root = {lockfile: WORKSPACE_LOCKS[lockfile], "package.json": package()}
    tables = {"left-pad": "^1.2.0", "own-thing": "^1"}
    if lockfile == "yarn.lock":
        old = {**root, "examples/b/package.json": package(dependencies={"own-thing": "^1"})}
    else:
        old = {**root, "examples/b/package.json": package(dependencies={"left-pad": "^1.2.0"})}
    new = {**root, "examples/b/package.json": package(dependencies={**tables, "more": "1"})}
    assert found(old, new) == ()


def test_a_member_left_behind_by_its_lockfile_is_found() -> None:
    files = {
        "package.json": package(),
        "packages/a/package.json": package(dependencies={"left-pad": "^1.2.0"}),
        "pnpm-lock.yaml": WORKSPACE_LOCKS["pnpm-lock.yaml"],
    }
    moved = files["pnpm-lock.yaml"].replace("^1.2.0", "^1.3.0")
    (one,) = found(files, {**files, "pnpm-lock.yaml": moved})
    assert "`packages/a/package.json`" in one.body


@pytest.mark.parametrize("where", ["pnpm-workspace.yaml", "package.json"])
def test_an_override_that_moves_what_pnpm_records_is_silent(where: str) -> None:
    sample = next(s for s in SAMPLES if s.lockfile == "pnpm-lock.yaml")
    old = {**project(sample, manifest=0, lock=0), "pnpm-workspace.yaml": "packages: []\n"}
    manifest = json.loads(old["package.json"])
    new = {
        "pnpm-workspace.yaml": "overrides:\n  left-pad: ^1.3.0\n",
        "package.json": package(**manifest, pnpm={"overrides": {"left-pad": "^1.3.0"}}),
    }
    after = {**old, where: new[where], "pnpm-lock.yaml": sample.new[1]}
    assert found(old, after) == ()


def test_older_pnpm_lockfiles_are_read() -> None:
    lock = (
        "lockfileVersion: 5.4\n\nspecifiers:\n  left-pad: {}\n\ndependencies:\n  left-pad: 1.2.0\n"
    )
    old = {
        "package.json": package(dependencies={"left-pad": "^1.2.0"}),
        "pnpm-lock.yaml": lock.format("^1.2.0"),
    }
    new = {**old, "package.json": package(dependencies={"left-pad": "^1.3.0"})}
    assert len(found(old, new)) == 1
    assert found(old, {**new, "pnpm-lock.yaml": lock.format("^1.3.0")}) == ()


def test_the_first_format_of_npm_says_too_little() -> None:
    old = {**project(NPM, manifest=0, lock=0)}
    old["package-lock.json"] = json.dumps({"lockfileVersion": 1, "dependencies": {}})
    assert found(old, {**old, "package.json": NPM.new[0]}) == ()


@pytest.mark.parametrize("spec", ["workspace:^", "link:../b", "catalog:", "file:../b"])
def test_what_yarn_writes_in_its_own_form_is_silent(spec: str) -> None:
    old = {
        "package.json": package(dependencies={"a": "^1"}),
        "yarn.lock": '"a@npm:^1":\n  version: 1.0.0\n',
    }
    new = {**old, "package.json": package(dependencies={"a": "^1", "b": spec})}
    assert found(old, new) == ()


CARGO = next(s for s in SAMPLES if s.lockfile == "Cargo.lock")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('version = "1", features = ["derive"]', 'version = "1.0.100"'),
        ("[dependencies]\nserde", "[dev-dependencies]\nserde"),
        ('libc = "0.2"', 'c = { package = "libc", version = "0.2" }'),
        ('version = "0.1.0"', 'version = "0.2.0"'),
    ],
)
def test_what_cargo_does_not_record_is_silent(old: str, new: str) -> None:
    files = project(CARGO, manifest=0, lock=0)
    assert old in files["Cargo.toml"]
    assert found(files, {**files, "Cargo.toml": files["Cargo.toml"].replace(old, new, 1)}) == ()


def test_a_crate_of_a_workspace_is_locked_at_its_root() -> None:
    root = {"Cargo.toml": '[workspace]\nmembers = ["crates/*"]\n', "Cargo.lock": CARGO.old[1]}
    old = {**root, "crates/app/Cargo.toml": CARGO.old[0]}
    (one,) = found(old, {**root, "crates/app/Cargo.toml": CARGO.new[0]})
    assert one.path == "crates/app/Cargo.toml"
    stranger = CARGO.old[0].replace('name = "app"', 'name = "fuzz"')
    other = {**root, "fuzz/Cargo.toml": stranger}
    assert found(other, {**other, "fuzz/Cargo.toml": stranger + '\nrand = "0.8"\n'}) == ()


def test_spelling_of_python_requirements_is_silent() -> None:
    uv = next(s for s in SAMPLES if s.lockfile == "uv.lock")
    files = project(uv, manifest=0, lock=0)
    for old, new in (
        ("Typing_Extensions >= 4, <5", "typing-extensions<5,>=4"),
        ("httpx[http2]>=0.27", "HTTPX (>= 0.27)"),
    ):
        assert old in files["pyproject.toml"]
        spelt = files["pyproject.toml"].replace(old, new)
        assert found(files, {**files, "pyproject.toml": spelt}) == ()


def test_a_python_dependency_from_elsewhere_is_only_looked_for() -> None:
    uv = next(s for s in SAMPLES if s.lockfile == "uv.lock")
    old = project(uv, manifest=0, lock=0)
    source = '\n[tool.uv.sources]\nhttpx = { git = "https://git.example/httpx" }\n'
    sourced = {**old, "pyproject.toml": old["pyproject.toml"] + source}
    sourced["uv.lock"] = sourced["uv.lock"].replace(
        'name = "httpx", specifier = ">=0.27"', 'name = "httpx", git = "https://git.example/httpx"'
    )
    assert sourced["uv.lock"] != old["uv.lock"]
    moved = sourced["pyproject.toml"].replace("httpx[http2]>=0.27", "httpx")
    assert found(sourced, {**sourced, "pyproject.toml": moved}) == ()
    gone = sourced["pyproject.toml"].replace('    "httpx[http2]>=0.27",\n', "")
    assert len(found(sourced, {**sourced, "pyproject.toml": gone})) == 1


GO = next(s for s in SAMPLES if s.lockfile == "go.sum")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("go 1.22", "go 1.23\n\ntoolchain go1.23.1"),
        ("v1.0.0 // indirect", "v1.0.0"),
        ("github.com/fork/ed v0.1.0", "github.com/fork/ed v0.9.0"),
        ("require github.com/e/f v0.2.0\n", ""),
        ("=> ../ed", "=> ../ed\n\nexclude github.com/x/y v9.9.9"),
        ("=> ../ed", "=> ../ed\n\nexclude (\n\tgithub.com/x/y v9.9.9\n)"),
        ("v0.2.0", "v0.2.0\n\nrequire github.com/x/y v1.0.0\n\nreplace github.com/x/y => ../y"),
        ("v0.2.0", "v0.2.0\n\nrequire x.y/z v1.0.0\n\nreplace (\n\tx.y/z v1.0.0 => ../z\n)"),
        ("=> ../ed", "=> ../ed\n\nretract (\n\tv0.1.0 // broken\n)"),
    ],
)
def test_what_go_sum_does_not_hold_is_silent(old: str, new: str) -> None:
    files = project(GO, manifest=0, lock=0)
    assert old in files["go.mod"]
    assert found(files, {**files, "go.mod": files["go.mod"].replace(old, new)}) == ()


def test_a_mix_dependency_that_is_locked_already_is_silent() -> None:
    mix = next(s for s in SAMPLES if s.lockfile == "mix.lock")
    files = {**project(mix, manifest=0, lock=0), "mix.lock": mix.new[1]}
    assert found(files, {**files, "mix.exs": mix.new[0]}) == ()
    shared = mix.old[0].replace('path: "../shared"', 'path: "../moved", only: :test')
    assert found(files, {**files, "mix.exs": shared}) == ()


def test_without_commits_there_is_no_tree_and_no_finding() -> None:
    change = given(project(NPM, manifest=0, lock=0), project(NPM, manifest=1, lock=0))
    bare: CheckInput = replace(change, tree=None)
    assert manifest_without_lockfile.run(bare) == ()
    assert lockfile_without_manifest.run(bare) == ()


def test_a_change_without_manifests_asks_the_tree_for_nothing() -> None:
    change = given({"src/package.json.ts": "a\n"}, {"src/package.json.ts": "b\n"})
    assert manifest_without_lockfile.run(change) == ()
    assert isinstance(change.tree, Memory)
    assert change.tree.asked == []


def test_a_large_workspace_reads_each_file_once() -> None:
    member = "      left-pad:\n        specifier: ^1.2.0\n        version: 1.2.0\n"
    names = [f"packages/{n}" for n in range(50)]
    lock = "importers:\n" + "".join(f"  {n}:\n    dependencies:\n{member}" for n in names)
    root = {"pnpm-lock.yaml": lock, "package.json": package()}

    def packages(spec: str) -> dict[str, str]:
        return {f"{n}/package.json": package(dependencies={"left-pad": spec}) for n in names}

    change = given({**root, **packages("^1.2.0")}, {**root, **packages("^1.3.0")})
    assert len(manifest_without_lockfile.run(change)) == len(names)
    assert isinstance(change.tree, Memory)
    assert len(change.tree.asked) == len(set(change.tree.asked))
    assert change.tree.opened == ["pnpm-lock.yaml"]


def test_maintenance_of_a_large_workspace_opens_no_manifest() -> None:
    member = "    dependencies:\n      left-pad:\n        specifier: ^1.2.0\n        version: "
    lock = "importers:\n" + "".join(f"  packages/{n}:\n{member}{{}}\n" for n in range(50))
    change = given({"pnpm-lock.yaml": lock.replace("{}", "1.2.0")}, {"pnpm-lock.yaml": lock})
    assert lockfile_without_manifest.run(change) == ()
    assert isinstance(change.tree, Memory)
    assert change.tree.opened == []


def test_a_lockfile_cannot_name_a_manifest_outside_the_repository() -> None:
    def lock(spec: str) -> str:
        keys = ("../..", "/etc")
        tables = {key: {"dependencies": {"a": spec}} for key in keys}
        return json.dumps({"packages": tables})

    change = given({"package-lock.json": lock("1")}, {"package-lock.json": lock("2")})
    assert lockfile_without_manifest.run(change) == ()
    assert isinstance(change.tree, Memory)
    assert change.tree.opened == []
