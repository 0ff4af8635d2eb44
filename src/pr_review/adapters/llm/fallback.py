"""A model with others behind it, which are asked in turn where it gives no answer for good."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from pr_review.adapters.llm.model import ChildModel, ModelSettings
from pr_review.agents.ports import ModelCall, ModelReply, Pricing
from pr_review.errors import ModelError, ModelUnavailable, PromptTooLong

_LEAST_SECONDS = 1.0


class FallbackModel(ChildModel):
    """The first of several models; each comes with its price. All share one process.

    Another model is asked only where nothing was billed: a run costs no more than is quoted.
    """

    def __init__(
        self,
        models: Sequence[tuple[ModelSettings, Pricing]],
        environ: Mapping[str, str],
        *,
        withheld: Collection[str] = (),
    ) -> None:
        super().__init__(models[0][0], environ, withheld=withheld)
        self._models = [
            (ChildModel(settings, environ, withheld=withheld, process=self._process), pricing)
            for settings, pricing in models
        ]

    def complete(
        self, call: ModelCall, *, seconds: float, started: Callable[[], None] | None = None
    ) -> ModelReply:
        """Answers within `seconds`, whichever model does; the reply says which, at what price.

        Raises `ModelError` that tells of every model that was asked; `PromptTooLong` if the
        prompt's length was refused by all of them.
        """
        deadline, failed = time.monotonic() + seconds, list[ModelError]()
        for model, pricing in self._models:
            left = deadline - time.monotonic()
            if failed and left < _LEAST_SECONDS:
                break
            try:
                reply = model.complete(call, seconds=left, started=started)
            except ModelUnavailable as error:
                failed.append(error)
            except ModelError as error:
                raise _together([*failed, error]) from None
            else:
                calls = reply.calls + sum(error.calls for error in failed)
                name = model.name if failed else ""
                return replace(reply, model=name, pricing=pricing, calls=calls)
        raise _together(failed)


def _together(errors: Sequence[ModelError]) -> ModelError:
    kind = PromptTooLong if all(isinstance(e, PromptTooLong) for e in errors) else ModelError
    words = "; ".join(error.message for error in errors)
    return kind(words, remedy=errors[-1].remedy, calls=sum(error.calls for error in errors))
