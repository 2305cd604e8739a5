"""The sub-commands of `python -m brewer`: one module each, loaded when its command runs.

A module has `add_arguments(parser)`, which gives the parser its arguments, and `run(project, options)`, which does the
work and returns the exit code. Deliberately absent: mistakes; both leave them to the driver as DiagnosticsError.
"""

from __future__ import annotations

from collections.abc import Mapping

COMMANDS: Mapping[str, str] = {
    "list": "list the definitions, with counts per dialect",
    "show": "show a definition with everything that it inherits, and where each key comes from",
    "where": "find the lines of definition, templates and generated code that belong together",
    "diff": "compare what the definitions mean with a git reference, and say what that breaks",
    "new": "start a definition, if you like from another one",
    "docs": "write the reference documentation of the instructions, as Markdown and HTML",
    "keys": "explain the keys of definitions, each with its values and an example",
    "schema": "print the JSON Schema of definitions, for editors, or of BIR",
    "explain": "explain a code of a diagnostic, with a wrong and a right example",
}
"""What each sub-command does, in one line for the help."""

WITHOUT_PROJECT = frozenset({"explain", "keys"})
"""Those that say the same wherever they are started."""

WRITING = frozenset({"docs", "new"})
"""Those that write files, whatever their arguments; `schema` does with `--output`."""
