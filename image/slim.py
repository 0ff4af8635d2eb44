"""Takes out of the image's environment what no run needs; runs once, while the image is built.

Every entry says why nothing misses it, and docs/image.md tells the same to people. What is to be
removed or kept must be there, or the build ends: an entry that a new version of a library makes
untrue is noticed on the day of the upgrade. Run as `python -B image/slim.py` by the environment's
own interpreter, when its libraries are compiled.
"""

from __future__ import annotations

import contextlib
import gzip
import importlib
import io
import shutil
import subprocess
import sysconfig
from collections.abc import Iterable
from importlib.metadata import distribution, packages_distributions
from importlib.util import cache_from_source, find_spec
from pathlib import Path

# Distribution -> why no run needs it. All of them are installed because others ask for them.
DISTRIBUTIONS = {
    "huggingface-hub": "downloads tokenizers of models, and a run may reach no hub: tokens are "
    "counted with the encodings that LiteLLM ships",
    "hf-xet": "how huggingface-hub downloads",
    "fsspec": "how huggingface-hub reads files",
    "filelock": "how huggingface-hub and the command line of LiteLLM's proxy lock files",
    "tqdm": "how huggingface-hub shows progress",
    "pynacl": "how PyGithub seals secrets of repositories",
    "jsonschema": "how LiteLLM checks answers if it is told to; ours are read leniently",
    "jsonschema-specifications": "a part of jsonschema",
    "referencing": "a part of jsonschema",
    "rpds-py": "a part of jsonschema",
    "pyasn1-modules": "reads keys for google-auth where cryptography is missing",
    "pyasn1": "a part of pyasn1-modules",
}

# Path, which may have wildcards -> why no run needs it.
PATHS = {
    "litellm/proxy/_experimental/out": "pages of the console of LiteLLM's proxy server",
    "litellm/proxy/swagger": "pages that describe the API of LiteLLM's proxy server",
    "litellm/proxy/_lazy_openapi_snapshot.json": "the API of LiteLLM's proxy server",
    "litellm/llms/huggingface/huggingface_llms_metadata": "names of models that LiteLLM sends "
    "embeddings to; it does without where they cannot be read",
    "botocore/data/*/*/examples-1.json": "examples for the documents of Amazon's library",
    "*/tests": "tests of libraries",
}

# Folder -> what stays of it, and why nothing else is needed.
KEPT = {
    "botocore/data": (
        ("*.json", "bedrock-runtime", "sagemaker-runtime", "signin", "sso", "sso-oidc", "sts"),
        "descriptions of Amazon's other services: models are asked through these alone",
    ),
    "github": (
        ("__init__.py", "Consts.py", "GithubException.py", "GithubObject.py", "Requester.py"),
        "classes for everything on GitHub: a run imports the requester and the errors alone",
    ),
}

# Text that must go with the image, but that nobody reads in it.
PACKED = ("kingfisher_secret_scanner-*.dist-info/licenses/THIRD_PARTY_NOTICES",)

PROXY = "litellm.proxy"


def main() -> None:
    """Removes, packs and strips in the environment that runs this."""
    site = Path(sysconfig.get_path("purelib"))
    for name in DISTRIBUTIONS:
        remove_distribution(site, name)
    for pattern in PATHS:
        for path in found(site, pattern):
            remove(path)
    for name, (kept, _) in KEPT.items():
        keep(site / name, kept)
    for path in unusable(PROXY):
        remove(path)
    for pattern in PACKED:
        for path in found(site, pattern):
            path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))
            path.unlink()
    # symbols are for debuggers; what a library offers to others stays
    subprocess.run(["strip", "--strip-unneeded", *site.rglob("*.so")], check=True)


def found(folder: Path, pattern: str) -> list[Path]:
    """The paths that a pattern names. Raises `FileNotFoundError` if there is none."""
    paths = sorted(folder.glob(pattern))
    if not paths:
        raise FileNotFoundError(f"{pattern} names nothing in {folder}: is its entry still true?")
    return paths


def remove_distribution(site: Path, name: str) -> None:
    """Removes an installed distribution with its scripts. Raises `FileNotFoundError` for one that
    lists no files, and `ValueError` if a folder of its is another one's, too."""
    files = distribution(name).files
    if not files:
        raise FileNotFoundError(f"{name} lists no files")
    for file in files:
        if file.parts[0] == "..":  # a script
            Path(str(file.locate())).unlink()
    owners = packages_distributions()
    for top in {file.parts[0] for file in files} - {".."}:
        if len(owners.get(top, ())) > 1:
            raise ValueError(f"{top} is not only of {name}, but of {owners[top]}")
        remove(site / top)


def remove(path: Path) -> None:
    """Removes a folder, or a file and, of a module, what it was compiled to."""
    if path.is_dir():
        shutil.rmtree(path)
        return
    path.unlink()
    if path.suffix == ".py":
        Path(cache_from_source(str(path))).unlink(missing_ok=True)


def keep(folder: Path, patterns: Iterable[str]) -> None:
    """Removes from a folder what none of the patterns names."""
    kept = {path for pattern in patterns for path in found(folder, pattern)}
    for path in sorted(folder.iterdir()):
        if path not in kept and path.name != "__pycache__":
            remove(path)


def unusable(package: str) -> list[Path]:
    """The modules of a package that cannot be imported, for what they need is not installed.

    Nothing can miss them: whoever tries to import one fails, before and after, by `ImportError`.
    """
    spec = find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations is not None
    (top,) = map(Path, spec.submodule_search_locations)
    modules = {path: _name(package, path.relative_to(top)) for path in sorted(top.rglob("*.py"))}
    return [path for path, name in modules.items() if not _imports(name)]


def _name(package: str, path: Path) -> str:
    parts = (package, *path.with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(name: str) -> bool:
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            importlib.import_module(name)
    except ModuleNotFoundError as error:
        # one that looks for a module of LiteLLM in vain is broken in another way
        return (error.name or "").startswith("litellm")
    except (Exception, SystemExit):  # noqa: BLE001 - it is there, and does what it does
        return True
    return True


if __name__ == "__main__":
    main()
