# SPDX-License-Identifier: MIT
"""Progress of a run: a function of the caller's, or a bar of tqdm."""
from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, Literal

Progress = bool | Callable[..., Any] | None
OnInterrupt = Literal["raise", "return"]


def check_on_interrupt(word: str) -> None:
    if not isinstance(word, str) or word not in ("raise", "return"):
        raise ValueError(f"on_interrupt: expected 'raise' or 'return', found {word!r}")


def of_residual(residual: float, target: float, _seconds: float) -> str:
    """Words beside the bar of a solve."""
    return f"residual {residual:.1e}, wanted {target:.1e}"


@contextlib.contextmanager
def heard(progress: Progress, unit: str, describe: Callable[..., str]) -> Iterator[Callable[..., Any] | None]:
    """The function that a run calls, or None. `describe` makes the words beside a bar from what it is called with."""
    if progress is None or progress is False:
        yield None
    elif progress is not True:
        if not callable(progress):
            raise TypeError(f"progress: expected True or a function, found {type(progress).__name__}")
        yield progress
    else:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            raise ImportError("progress=True needs tqdm: pip install 'dwell-solvers[progress]'") from None
        with tqdm(unit=unit, leave=False) as bar:

            def show(step: int, *rest: Any) -> None:
                bar.set_postfix_str(describe(*rest), refresh=False)
                bar.update(step - bar.n)

            yield show
