# SPDX-License-Identifier: MIT
"""Stencils that are ready to run: ``dwell.stencils.wave(dims=2, order=4)`` is the definition of one.

A stencil NAME is a file NAME.py here with a function NAME, which returns a ``Definition``; its docstring has the equation, the
scheme, the limit of stability and the source. A new file is a new stencil.

>>> import dwell
>>> dwell.stencils.wave(dims=3).dims
3
"""
from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable

from .._define import Definition


def names() -> list[str]:
    """The stencils that there are.

    Returns
    -------
    list of str

    Examples
    --------
    >>> import dwell
    >>> "heat" in dwell.stencils.names()
    True
    """
    return sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_"))


def __getattr__(name: str) -> Callable[..., Definition]:
    raise AttributeError(f"expected a stencil, {', '.join(names())}, found {name!r}")


for _name in names():  # a function in place of its module
    globals()[_name] = getattr(importlib.import_module(f"{__name__}.{_name}"), _name)
