"""What definitions mean, compared: the work tree beside a git reference, change by change, with a verdict.

    reference (git objects to a folder) -> snapshot (two loads) -> pairs -> compare_* (changes) -> rules (effects)

Deliberately absent: text. Two definitions that are written differently and mean the same are the same. Also absent:
what hand-written functions (semantics, inference, wrappers) do inside; only which of them a definition names.
"""
