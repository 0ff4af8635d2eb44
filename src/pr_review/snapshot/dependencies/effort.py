"""How much work looking names up may take, counted in steps: equal input ends the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

# A step is one file, folder, definition or import that is looked at: some microseconds. The
# largest of 63 real pull requests takes a quarter of it.
MAX_STEPS = 200_000
# Of one name: what leads to more places than this says nothing about which one is meant.
MAX_STEPS_OF_ONE = 10_000


class SpentError(Exception):
    """No steps are left: what was asked stays unanswered."""


class Effort:
    """The steps that one change may take, in phases; `taken` counts those of all of them.

    `late()` says that there is no time for more; it is asked between names alone.
    """

    def __init__(self, late: Callable[[], bool] = lambda: False) -> None:
        self.taken = 0
        self._late = late
        self.begin()

    def begin(self) -> None:
        """Begins a phase, which may take `MAX_STEPS`, whatever others took."""
        self._last = self._end = self.taken + MAX_STEPS

    def take(self, steps: int = 1) -> None:
        """Counts some steps before they are taken. Raises `SpentError` where there are too many."""
        if self.taken + steps > self._end:
            self.taken = self._end
            raise SpentError
        self.taken += steps

    @property
    def over(self) -> bool:
        """Whether nothing more is looked up in this phase."""
        return self.taken >= self._last or self._late()

    @contextmanager
    def one(self) -> Iterator[None]:
        """Bounds what is done for one name, and ends it without an answer at that bound."""
        self._end = min(self._last, self.taken + MAX_STEPS_OF_ONE)
        try:
            yield
        except SpentError:
            pass
        finally:
            self._end = self._last
