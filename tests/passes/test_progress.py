"""Progress is for people: one line where standard error is a terminal, not a byte where it is not."""

import io
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from passes.debugging import progress as module
from passes.debugging.progress import Progress
from passes.framework.pass_manager import PassManager
from tests.passes.small_programs import CHAIN, chain
from tests.passes.tiny_passes import Counts
from tests.tree import ROOT


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_line_that_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_DELAY", 0.001)
    stream = Terminal()
    with Progress(stream) as progress:
        progress.run_before_pass(Counts(), chain())
        progress.run_before_function(Counts(), chain().root_function, 3, 12)
        while "function" not in stream.getvalue():
            pass
        progress.hide()
    shown = stream.getvalue()
    assert re.search(r"\r\x1b\[Kcounts: function 3 of 12, @main, 0 s", shown) and shown.endswith("\r\x1b[K")


def test_a_pass_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    progress = Progress(Terminal())
    PassManager([Counts()], instrumentations=[progress]).run(chain())
    assert progress._what == "counts: function 1 of 1, @main"
    progress.run_before_function(Counts(), chain().root_function, 2, 2)
    assert progress._what == "counts: function 2 of 2, @main"


def test_nothing_where_nobody_looks() -> None:
    stream = io.StringIO()
    with Progress(stream) as progress:
        progress.say("something")
    assert stream.getvalue() == "" and not progress.is_on


def test_a_closed_stream_is_no_terminal() -> None:
    stream = Terminal()
    stream.close()
    with Progress(stream) as progress:
        assert progress.is_on  # it says so, and is not written to


SLOW = """\
import sys, time
from passes.framework.dot_transform import DotTransform
from passes.registry import PASSES
from passes.__main__ import main
from passes.debugging import progress
progress._DELAY = 0.01
class Slow(DotTransform):
    pass_name = "slow"
    def transformTensorCopyOp(self, copy):
        print("begun", flush=True)
        time.sleep(60)
sys.modules["slow"] = sys.modules["__main__"]
PASSES["slow"] = ("slow", "Slow")
sys.exit(main())
"""


@pytest.mark.parametrize("is_terminal", [True, False])
def test_an_interruption_of_a_pass(is_terminal: bool, tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text(CHAIN)
    (tmp_path / "run.py").write_text(SLOW)
    reading, writing = pty.openpty() if is_terminal else os.pipe()
    command = [sys.executable, "run.py", "p.txt", "--passes", "slow", "-o", "out.txt", "--reproducer", "."]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=writing, text=True
    )
    os.close(writing)
    assert process.stdout is not None and process.stdout.readline() == "begun\n"
    shown = b""
    while is_terminal and b"slow: function 1 of 1, @main, 0 s" not in shown:
        shown += os.read(reading, 1000)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 130
    shown += os.read(reading, 1000)
    os.close(reading)
    process.stdout.close()
    end = b"passes: interrupted; nothing was written"
    assert shown.rstrip(b"\r\n").endswith(end) and (is_terminal or shown == end + b"\n")
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix == ".txt") == ["p.txt"]
