"""Policies as options name them: by name or in files, `--policy mine.yaml`, `auto-mixed-precision{policy=mine.yaml}`.

A reproducer holds the texts of the files that its command names, and needs no others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from passes.auto_mixed_precision import AutoMixedPrecision
from passes.framework.pass_manager import Step
from passes.precision.policy import POLICY_FORM, PrecisionPolicy, UnknownPolicyError
from passes.precision.policy_file import ReadTree, bytes_of, policy_in
from runtime.diagnostics import Diagnostic, DiagnosticsError
from runtime.instructions import Instruction


@dataclass(frozen=True)
class _Read:
    """A file that was read."""

    policy: PrecisionPolicy
    text: str
    called: str  # in the texts of pipelines


class PolicyFiles:
    """Reads the files with policies that a run names, each once; those whose texts are given are read from there."""

    def __init__(
        self,
        read_tree: ReadTree,
        classes: Mapping[str, type[Instruction]],
        texts: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._read_tree = read_tree
        self._classes = classes
        self._given = texts
        self._found: dict[str, _Read] = {}

    def read(self, name: str) -> PrecisionPolicy:
        """Return the policy in a file.

        Raises: DiagnosticsError with every mistake of the file.
        """
        if name not in self._found:
            data = self._given[name].encode() if name in self._given else bytes_of(name)
            policy = policy_in(name, data, self._read_tree, self._classes)
            self._found[name] = _Read(policy, data.decode(), self._free_name(name))
        return self._found[name].policy

    def called(self, name: str) -> str:
        """Return what a file that was read is called in the text of a pipeline: its name in its folder, or near it."""
        return self._found[name].called

    def texts_of(self, pipeline: str) -> dict[str, str]:
        """Return the texts of the files that the text of a pipeline names, by what they are called."""
        words = set(re.split(r"[\s,{}()=]+", pipeline))
        return {each.called: each.text for each in self._found.values() if each.called in words}

    def of_texts(self) -> PolicyFiles:
        """Return what reads the same files by what they are called, without the files."""
        texts = {each.called: each.text for each in self._found.values()}
        return PolicyFiles(self._read_tree, self._classes, texts)

    def _free_name(self, name: str) -> str:
        path = Path(re.sub(r"[^\w.-]+", "-", Path(name).name))
        taken = {each.called for each in self._found.values()}
        called, number = path.name, 1
        while called in taken:
            number += 1
            called = f"{path.stem}-{number}{path.suffix}"
        return called


def precision_steps(policy: str | None, files: PolicyFiles | None) -> tuple[Step, ...]:
    """Return what `--policy` asks for: no step, or one.

    Raises: DiagnosticsError where no policy has the name, or a file is wrong.
    """
    if policy is None:
        return ()
    called = policy
    if files is not None and POLICY_FORM.is_file(policy):
        made = AutoMixedPrecision.of(files.read(policy))
        called = files.called(policy)
    else:
        try:
            made = AutoMixedPrecision.of(policy)
        except UnknownPolicyError as error:
            message, _, help = str(error).partition("; ")
            raise DiagnosticsError([Diagnostic("P007", message, help=help)]) from error
    made.pipeline_text = f"{made.pass_name}{{policy={called}}}"
    return (made,)
