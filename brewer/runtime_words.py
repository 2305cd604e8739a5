"""The words of another repository's vocabulary beside those that brewer's runtime knows.

Enumerations, groups of data types and targets are the repository's own. Data types, memory spaces and engines are not:
a brewed class that names another one could not be imported, or would never fit a tensor.
"""

from __future__ import annotations

import re

from brewer.problems import Problems
from brewer.vocabulary import Vocabulary
from runtime.diagnostics import Place, did_you_mean, did_you_mean_dtype, listed

_KINDS = (("dtypes", "D005", "data type"), ("memories", "D015", "memory space"), ("engines", "D016", "engine"))


def check_runtime_words(file: str, text: str, own: Vocabulary, ours: Vocabulary, problems: Problems) -> None:
    """`file` and its `text` hold the words `own`; `ours` are those of brewer's own vocabulary."""
    for key, code, kind in _KINDS:
        known: tuple[str, ...] = getattr(ours, key)
        for word in getattr(own, key):
            if word not in known:
                near = did_you_mean_dtype if key == "dtypes" else did_you_mean
                help = near(word, known) or f"it knows {listed(known, 'and')}"
                place = _place_of(file, text, key, word)
                problems.error(code, place, f'brewer\'s runtime has no {kind} "{word}"', help=help)


def _place_of(file: str, text: str, key: str, word: str) -> Place:
    """Where the word stands first behind its key."""
    start = re.search(rf"^{key}\s*:", text, re.MULTILINE)
    found = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])").search(text, start.end() if start else 0)
    at = found.start() if found else 0
    return Place(file, text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at), len(word))
