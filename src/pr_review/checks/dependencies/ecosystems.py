"""Which lock file belongs to which manifest, and how both are read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pr_review.checks.dependencies import declared, recorded
from pr_review.checks.dependencies.tables import Lock, Table


@dataclass(frozen=True, slots=True)
class Ecosystem:
    """One pair of file names.

    `recorded` is None where the lock file holds but a hash of the whole dependency table:
    then every change of the table outdates it. `workspaces`: one lock file serves manifests
    in folders below its own; `member` finds their name in it (None: their folder).
    `steering` names files beside the lock file that change what it records, `steers` reads
    what does so of the manifest beside it.
    """

    manifest: str
    lockfile: str
    update: str
    declared: Callable[[str], Table]
    recorded: Callable[[str], Lock] | None = None
    workspaces: bool = False
    member: Callable[[str], str] | None = None
    steering: tuple[str, ...] = ()
    steers: Callable[[str], object] | None = None


def _npm(lockfile: str) -> Ecosystem:
    return Ecosystem(
        "package.json",
        lockfile,
        "npm install",
        declared.npm,
        recorded.package_lock,
        workspaces=True,
    )


ECOSYSTEMS = (
    _npm("package-lock.json"),
    _npm("npm-shrinkwrap.json"),
    Ecosystem(
        "package.json",
        "pnpm-lock.yaml",
        "pnpm install",
        declared.npm_without_peers,
        recorded.pnpm_lock,
        workspaces=True,
        steering=("pnpm-workspace.yaml", ".pnpmfile.cjs", "pnpmfile.cjs"),
        steers=declared.pnpm_overrides,
    ),
    Ecosystem(
        "package.json",
        "yarn.lock",
        "yarn install",
        declared.yarn,
        recorded.yarn_lock,
        workspaces=True,
    ),
    Ecosystem(
        "package.json",
        "bun.lock",
        "bun install",
        declared.npm,
        recorded.bun_lock,
        workspaces=True,
    ),
    Ecosystem(
        "Cargo.toml",
        "Cargo.lock",
        "cargo update --workspace",
        declared.cargo,
        recorded.cargo_lock,
        workspaces=True,
        member=declared.cargo_name,
    ),
    Ecosystem(
        "pyproject.toml",
        "uv.lock",
        "uv lock",
        declared.pep621,
        recorded.uv_lock,
        workspaces=True,
    ),
    Ecosystem("pyproject.toml", "poetry.lock", "poetry lock", declared.poetry),
    Ecosystem("pyproject.toml", "pdm.lock", "pdm lock", declared.pdm),
    Ecosystem("Pipfile", "Pipfile.lock", "pipenv lock", declared.pipfile),
    Ecosystem("composer.json", "composer.lock", "composer update --lock", declared.composer),
    Ecosystem("Gemfile", "Gemfile.lock", "bundle lock", declared.gemfile, recorded.gemfile_lock),
    Ecosystem("go.mod", "go.sum", "go mod tidy", declared.go_mod, recorded.go_sum),
    Ecosystem("mix.exs", "mix.lock", "mix deps.get", declared.mix, recorded.mix_lock),
)
