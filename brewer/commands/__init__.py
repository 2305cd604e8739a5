"""The sub-commands of `python -m brewer`: one module each, loaded when its command runs.

A module has `add_arguments(parser)`, which gives the parser its arguments, and `run(project, options)`, which does the
work and returns the exit code. Deliberately absent: mistakes; both leave them to the driver as DiagnosticsError.
"""

from __future__ import annotations

from collections.abc import Mapping

COMMANDS: Mapping[str, str] = {
    "list": "list the definitions, with counts per dialect",
}
"""What each sub-command does, in one line for the help. A definition may not bear one of these names."""
