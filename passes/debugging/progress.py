"""Progress of long work: one line on standard error where that is a terminal, which is gone when the work is done.

    auto-cast-fp32: function 3 of 12, @block_3, 41 s

Deliberately absent: a word where standard error is a file or a pipe, or where all is done within a second.
"""

from __future__ import annotations

import sys
import threading
import time
from contextlib import suppress
from types import TracebackType
from typing import Final, TextIO

from passes.framework.dot_transform import DotTransform
from passes.framework.instrumentation import PassInstrumentation
from runtime.functions import Function, Module

_DELAY: Final = 1.0  # seconds until the first line, and between two of them
_WIDTH: Final = 79
_CLEAR: Final = "\r\x1b[K"


class Progress(PassInstrumentation):
    """Says what is under way while its body runs; each of its methods costs next to nothing."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._what = ""
        self._start = 0.0
        self._shown = False
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def is_on(self) -> bool:
        """Whether somebody may be looking."""
        with suppress(ValueError):  # it is closed
            return self._stream is not None and self._stream.isatty()
        return False

    def __enter__(self) -> Progress:
        self._start = time.monotonic()
        if self.is_on:
            self._thread = threading.Thread(target=self._tick, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._done.set()
        if self._thread is not None:
            self._thread.join()
        self.hide()

    def say(self, what: str) -> None:
        """State what is under way."""
        self._what = what

    def run_before_pass(self, transform: DotTransform, module: Module) -> None:
        self._what = transform.pass_name

    def run_before_function(self, transform: DotTransform, function: Function, number: int, count: int) -> None:
        self._what = f"{transform.pass_name}: function {number} of {count}, @{function.name}"

    def hide(self) -> None:
        """Take the line away, for something else to be printed."""
        with self._lock, suppress(OSError, ValueError):
            if self._shown:
                self._shown = False
                self._write(_CLEAR)

    def _tick(self) -> None:
        while not self._done.wait(_DELAY):
            seconds = time.monotonic() - self._start
            with self._lock, suppress(OSError, ValueError):
                if not self._done.is_set():
                    self._shown = True
                    self._write(f"{_CLEAR}{self._what[: _WIDTH - 10]}, {seconds:.0f} s")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
