"""For each check one change that it speaks of."""

from __future__ import annotations

from collections.abc import Mapping

from pr_review.checks.check import CheckInput
from pr_review.domain.diff import Side
from pr_review.domain.ledger import Redaction
from tests.checks.changes import given
from tests.checks.samples import SAMPLES

CONFLICT = "<<<<<<< HEAD\nmine\n=======\ntheirs\n>>>>>>> topic\n"
_NPM = SAMPLES[0]
_PNPM = next(sample for sample in SAMPLES if sample.lockfile == "pnpm-lock.yaml")
_SCRIPT = {"run.sh": "#!/bin/sh\n"}
_WORKFLOW = ".github/workflows/ci.yml"

ALARMS: Mapping[str, CheckInput] = {
    "credential-added": given({}, {}, Redaction("a.py", 9, Side.RIGHT, "jwt", added=True)),
    "conflict-markers": given({}, {"a.py": CONFLICT}),
    "manifest-without-lockfile": given(
        {_NPM.manifest: _NPM.old[0], _NPM.lockfile: _NPM.old[1]},
        {_NPM.manifest: _NPM.new[0], _NPM.lockfile: _NPM.old[1]},
    ),
    "lockfile-without-manifest": given(
        {_PNPM.manifest: _PNPM.old[0], _PNPM.lockfile: _PNPM.old[1]},
        {_PNPM.manifest: _PNPM.old[0], _PNPM.lockfile: _PNPM.new[1]},
    ),
    "debugger-added": given({}, {"a.js": "debugger;\n"}),
    "focused-test": given({}, {"a.test.js": "it.only('a', () => {})\n"}),
    "skipped-test": given({}, {"a.test.js": "it.skip('a', () => {})\n"}),
    "executable-changed": given(_SCRIPT, _SCRIPT, modes={"run.sh": ("100755", "100644")}),
    "symlink-changed": given({}, {"a": "/etc/passwd\n"}, modes={"a": ("120000", "120000")}),
    "large-binary": given({}, {"a.bin": "\0" * 1_000_000}),
    "workflow-permissions": given({}, {_WORKFLOW: "permissions: write-all\n"}),
    "unpinned-action": given({}, {_WORKFLOW: "jobs: {a: {uses: a/b/c.yml@main}}\n"}),
}
