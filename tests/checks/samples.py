"""One small project for each pair of manifest and lock file, before and after a dependency moved.

The lock files are cut down to what the checks read, in the tools' own form.
"""

from __future__ import annotations

import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Sample:
    """`old` and `new` are (manifest, lock file) in step; `name` is the dependency that moved.

    `fresher` is the old lock file after maintenance: other versions, same requirements.
    `tells` is false where the lock file does not repeat what the manifest asks for.
    """

    manifest: str
    lockfile: str
    name: str
    old: tuple[str, str]
    new: tuple[str, str]
    fresher: str
    tells: bool = True


def _json(value: object) -> str:
    return json.dumps(value, indent=2) + "\n"


def _package(left_pad: str, version: str = "1.0.0") -> str:
    return _json(
        {
            "name": "app",
            "version": version,
            "dependencies": {"left-pad": left_pad, "@scope/kit": "~2.1.0"},
            "peerDependencies": {"react": ">=17"},
        }
    )


def _package_lock(left_pad: str, resolved: str) -> str:
    root = {
        "name": "app",
        "version": "1.0.0",
        "dependencies": {"@scope/kit": "~2.1.0", "left-pad": left_pad},
        "peerDependencies": {"react": ">=17"},
    }
    packages = {"": root, "node_modules/left-pad": {"version": resolved}}
    return _json({"name": "app", "lockfileVersion": 3, "packages": packages})


def _pnpm_lock(left_pad: str, resolved: str) -> str:
    return f"""lockfileVersion: '9.0'

settings:
  autoInstallPeers: true

importers:

  .:
    dependencies:
      '@scope/kit':
        specifier: ~2.1.0
        version: 2.1.3
      left-pad:
        specifier: {left_pad}
        version: {resolved}

packages:

  left-pad@{resolved}:
    resolution: {{integrity: sha512-x}}
"""


def _yarn_lock(left_pad: str, resolved: str) -> str:
    return f"""# yarn lockfile v1


"@scope/kit@~2.1.0", "@scope/kit@~2.1.1":
  version "2.1.3"

left-pad@{left_pad}:
  version "{resolved}"
"""


def _bun_lock(left_pad: str, resolved: str) -> str:
    return f"""{{
  "lockfileVersion": 1,
  "workspaces": {{
    "": {{
      "name": "app",
      "dependencies": {{
        "@scope/kit": "~2.1.0",
        "left-pad": "{left_pad}",
      }},
      "peerDependencies": {{
        "react": ">=17",
      }},
    }},
  }},
  "packages": {{
    "left-pad": ["left-pad@{resolved}", "", {{}}, "sha512-x=="],
  }},
}}
"""


_CARGO = """[package]
name = "app"
version = "0.1.0"

[dependencies]
serde = {{ version = "1", features = ["derive"] }}
{more}
[target.'cfg(unix)'.dependencies]
libc = "0.2"
"""


def _cargo_lock(names: str, serde: str) -> str:
    return f"""version = 4

[[package]]
name = "app"
version = "0.1.0"
dependencies = [
{names}]

[[package]]
name = "serde"
version = "{serde}"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "00"
"""


_PYPROJECT = """[project]
name = "app"
dependencies = [
    "Typing_Extensions >= 4, <5 ; python_version < '3.12'",
    "httpx{httpx}",
]

[dependency-groups]
dev = ["pytest>=8", {{ include-group = "docs" }}]
docs = ["mkdocs"]
"""


def _uv_lock(httpx: str, resolved: str) -> str:
    return f"""version = 1
requires-python = ">=3.11"

[[package]]
name = "app"
version = "0.1.0"
source = {{ virtual = "." }}
dependencies = [
    {{ name = "httpx" }},
]

[package.metadata]
requires-dist = [
    {{ name = "httpx", specifier = "{httpx}" }},
    {{ name = "typing-extensions", marker = "python_version < '3.12'", specifier = ">=4,<5" }},
]

[package.metadata.requires-dev]
dev = [
    {{ name = "mkdocs" }},
    {{ name = "pytest", specifier = ">=8" }},
]
docs = [{{ name = "mkdocs" }}]

[[package]]
name = "httpx"
version = "{resolved}"
source = {{ registry = "https://index.example.invalid/simple" }}
"""


_POETRY = """[tool.poetry]
name = "app"

[tool.poetry.dependencies]
python = "^3.11"
httpx = "{httpx}"

[tool.poetry.group.dev.dependencies]
pytest = {{ version = "^8", optional = true }}
"""


def _hashed(digest: str, resolved: str) -> str:
    return f'[[package]]\nname = "httpx"\nversion = "{resolved}"\n\n[metadata]\nhash = "{digest}"\n'


_GEMFILE = """source "https://rubygems.org"
gemspec if ENV["X"]
gem "rails", "~> 7.1", ">= 7.1.2"
gem 'puma'{puma}
group :test do
  gem "rspec", require: false # "9.9"
end
"""


def _gemfile_lock(puma: str, resolved: str) -> str:
    return f"""GEM
  remote: https://rubygems.org/
  specs:
    puma ({resolved})
    rails (7.1.3)

PLATFORMS
  ruby

DEPENDENCIES
  puma{puma}
  rails (~> 7.1, >= 7.1.2)
  rspec

BUNDLED WITH
   2.5.3
"""


_GO_MOD = """module example.com/app

go 1.22

require (
\tgithub.com/a/b {version}
\tgithub.com/c/d v1.0.0 // indirect
\tgithub.com/fork/ed v0.1.0
)

require github.com/e/f v0.2.0

replace github.com/fork/ed => ../ed
"""


def _go_sum(*versions: str) -> str:
    known = [("github.com/a/b", version) for version in versions]
    known += [("github.com/c/d", "v1.0.0"), ("github.com/e/f", "v0.2.0")]
    return "".join(f"{n} {v} h1:x=\n{n} {v}/go.mod h1:y=\n" for n, v in known)


_MIX = """defmodule App.MixProject do
  defp deps do
    [
      {{:phoenix, "~> 1.7"}},
      {{:shared, path: "../shared"}},
      {{:dev_tool, "~> 1.0", only: :dev, runtime: false}}{more}
    ]
  end
end
"""


def _mix_lock(*names: str, version: str = "1.0.0") -> str:
    entries = (f'  "{name}": {{:hex, :{name}, "{version}", "ab", [:mix]}},\n' for name in names)
    return f"%{{\n{''.join(entries)}}}\n"


_OLD, _NEW = ("^1.2.0", "1.2.0"), ("^1.3.0", "1.3.0")
_CRATES, _MORE_CRATES = ' "libc",\n "serde 1.0.1",\n', ' "libc",\n "rand",\n "serde 1.0.1",\n'

SAMPLES = (
    *(
        Sample(
            "package.json",
            lockfile,
            "left-pad",
            (_package(_OLD[0]), lock(*_OLD)),
            (_package(_NEW[0]), lock(*_NEW)),
            lock(_OLD[0], "1.2.9"),
            tells=lockfile != "yarn.lock",
        )
        for lockfile, lock in (
            ("package-lock.json", _package_lock),
            ("npm-shrinkwrap.json", _package_lock),
            ("pnpm-lock.yaml", _pnpm_lock),
            ("yarn.lock", _yarn_lock),
            ("bun.lock", _bun_lock),
        )
    ),
    Sample(
        "Cargo.toml",
        "Cargo.lock",
        "rand",
        (_CARGO.format(more=""), _cargo_lock(_CRATES, "1.0.1")),
        (_CARGO.format(more='rand = "0.8"\n'), _cargo_lock(_MORE_CRATES, "1.0.1")),
        _cargo_lock(_CRATES, "1.0.9"),
    ),
    Sample(
        "pyproject.toml",
        "uv.lock",
        "httpx",
        (_PYPROJECT.format(httpx="[http2]>=0.27"), _uv_lock(">=0.27", "0.27.0")),
        (_PYPROJECT.format(httpx="[http2]>=0.28"), _uv_lock(">=0.28", "0.28.0")),
        _uv_lock(">=0.27", "0.27.2"),
    ),
    Sample(
        "pyproject.toml",
        "poetry.lock",
        "httpx",
        (_POETRY.format(httpx="^0.27"), _hashed("aa", "0.27.0")),
        (_POETRY.format(httpx="^0.28"), _hashed("bb", "0.28.0")),
        _hashed("aa", "0.27.2"),
        tells=False,
    ),
    Sample(
        "pyproject.toml",
        "pdm.lock",
        "httpx",
        (_PYPROJECT.format(httpx=">=0.27"), _hashed("aa", "0.27.0")),
        (_PYPROJECT.format(httpx=">=0.28"), _hashed("bb", "0.28.0")),
        _hashed("aa", "0.27.2"),
        tells=False,
    ),
    Sample(
        "Pipfile",
        "Pipfile.lock",
        "httpx",
        ('[packages]\nhttpx = "==0.27"\n', _json({"_meta": {"hash": {"sha256": "aa"}}})),
        ('[packages]\nhttpx = "==0.28"\n', _json({"_meta": {"hash": {"sha256": "bb"}}})),
        _json({"_meta": {"hash": {"sha256": "aa"}}, "default": {"idna": "3"}}),
        tells=False,
    ),
    Sample(
        "composer.json",
        "composer.lock",
        "acme/log",
        (_json({"require": {"php": "^8.2", "acme/log": "^1"}}), _json({"content-hash": "aa"})),
        (_json({"require": {"php": "^8.2", "acme/log": "^2"}}), _json({"content-hash": "bb"})),
        _json({"content-hash": "aa", "packages": [1]}),
        tells=False,
    ),
    Sample(
        "Gemfile",
        "Gemfile.lock",
        "puma",
        (_GEMFILE.format(puma=""), _gemfile_lock("", "6.4.0")),
        (_GEMFILE.format(puma=", '6.5.0'"), _gemfile_lock(" (= 6.5.0)", "6.5.0")),
        _gemfile_lock("", "6.4.3"),
    ),
    Sample(
        "go.mod",
        "go.sum",
        "github.com/a/b",
        (_GO_MOD.format(version="v1.2.3"), _go_sum("v1.2.3")),
        (_GO_MOD.format(version="v1.2.4"), _go_sum("v1.2.3", "v1.2.4")),
        _go_sum("v1.2.2", "v1.2.3"),
        tells=False,
    ),
    Sample(
        "mix.exs",
        "mix.lock",
        "ecto",
        (_MIX.format(more=""), _mix_lock("dev_tool", "phoenix")),
        (
            _MIX.format(more=',\n      {:ecto, "~> 3.0"}'),
            _mix_lock("dev_tool", "ecto", "phoenix"),
        ),
        _mix_lock("dev_tool", "phoenix", version="1.0.1"),
        tells=False,
    ),
)
