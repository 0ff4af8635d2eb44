"""What was set, and where: the layers of settings that a command finds, apart from any run."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pr_review import settings as configuration
from pr_review.adapters.actions.environment import in_actions
from pr_review.commands import flags
from pr_review.commands.clone import commit_of, default_base, files_at
from pr_review.errors import PrReviewError
from pr_review.settings import FILE, Layer, Settings

DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Given:
    """The layers, the first one first; flags alone outside of GitHub Actions and of a clone.

    `read_at` is what the file was read at, a ref of the clone unless somebody read it elsewhere;
    `problem` is why the clone gave none. `read` gives the text of any file there. `warnings` tell
    of inputs that are none of ours.
    """

    layers: tuple[Layer, ...]
    read_at: str = ""
    problem: PrReviewError | None = None
    warnings: tuple[str, ...] = ()
    read: Callable[[str], str | None] | None = None

    def settings(self) -> Settings:
        """What holds, with what it takes from files at the base. Raises `ConfigurationError`."""
        loaded = configuration.load(*self.layers)
        return loaded.complete(self.read, where=f" of {self.read_at}") if self.read else loaded

    def origin(self, name: str) -> str:
        """Where the value of a setting comes from, for people."""
        layer = self._layer(name)
        if layer is None:
            return DEFAULT
        place = layer.origin.removesuffix(" --").removesuffix(":")
        return f"{place}, line {layer.lines[name]}" if name in layer.lines else place

    def line(self, name: str) -> int | None:
        """The line of the file that sets it, if it is the file that does."""
        layer = self._layer(name)
        return layer.lines.get(name) if layer else None

    def _layer(self, name: str) -> Layer | None:
        return next((layer for layer in self.layers if name in layer.values), None)


def gather(parsed: argparse.Namespace, environ: Mapping[str, str]) -> Given:
    """Flags, inputs inside GitHub Actions, and the file at the base of a clone.

    Raises `PrReviewError` for a file that cannot be taken as one of settings. That there is no
    clone, or no base in it, is told by `problem`.
    """
    layers, warnings = [flags.layer(parsed)], tuple[str, ...]()
    if in_actions(environ):
        inputs, warnings = configuration.inputs(environ)
        layers.append(inputs)
    try:
        base = parsed.base or default_base(parsed, environ)
        read = files_at(parsed, environ, commit_of(parsed, environ, base))
        text = read(FILE)
    except PrReviewError as error:
        return Given(tuple(layers), problem=error, warnings=warnings)
    layers.append(configuration.file(text, place=f"{FILE} of {base}"))
    return Given(tuple(layers), base, warnings=warnings, read=read)
