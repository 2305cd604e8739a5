"""The codes of `python -m runtime` with what they say. A code is never given another meaning and never reused."""

from collections.abc import Mapping

CODES: Mapping[str, str] = {
    "R001": "a file of inputs cannot be read",
    "R002": "the inputs are not those of the program, or there is no such function",
    "R003": "the program cannot be run to its end",
    "R004": "the output would overwrite what is read",
    "R005": "what a run gave has no form in a file",
    "R006": "options that do not go together",
    "R007": "the instructions of a package cannot be had, also by `python -m passes`",
}
