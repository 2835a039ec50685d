# SPDX-License-Identifier: MIT
"""Threads take turns with a solver or a runner."""
from __future__ import annotations

import os
import threading


class Turn:
    """A lock that a thread cannot wait for while it holds it: a call from a progress function is an error, no deadlock.
    Nor can a child after fork wait for a thread of its parent's."""

    __slots__ = ("_lock", "_owner", "_process", "_what")

    def __init__(self, what: str) -> None:
        self._lock = threading.Lock()
        self._owner = 0
        self._process = os.getpid()
        self._what = what

    def __enter__(self) -> None:
        if self._process != os.getpid():
            if self._lock.locked():
                raise RuntimeError(f"expected no {self._what} in progress when the process forked, found one of the "
                                   "parent: make a new object here")
            self._process = os.getpid()
        me = threading.get_ident()
        if self._owner == me:
            raise RuntimeError(f"expected a call after the {self._what} in progress, found one from inside it")
        self._lock.acquire()
        self._owner = me

    def __exit__(self, *_: object) -> None:
        self._owner = 0
        self._lock.release()
