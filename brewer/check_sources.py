"""The files of hand-written Python that definitions stand on: that each of them can be read.

Deliberately absent: whether they are right Python, which Python itself and other tools say.
"""

from __future__ import annotations

import os
import stat

from brewer.fingerprints import NO_FILE
from brewer.problems import Problems
from brewer.python_sources import PythonSources
from runtime.diagnostics import Place


def check_sources(sources: PythonSources, problems: Problems) -> None:
    """Reports what has the name of a Python file and is none, such as a pipe: nothing opens it."""
    for file in sources.all_files():
        try:
            mode = os.stat(file).st_mode
        except FileNotFoundError:  # a link that leads nowhere, such as those that editors lock files by
            continue
        except OSError as error:
            problems.error("D027", Place(str(file), 1, 1), f"the file cannot be read: {error.strerror}")
            continue
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            problems.error("D027", Place(str(file), 1, 1), f"the file cannot be read: {NO_FILE}")
