"""Use-lists against operands, both ways: every slot is listed, and whatever is listed is a slot.

The operands are counted afresh while the program is walked; the comparison comes after the whole program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from runtime.access import AccessMode, NeuronAP
from runtime.instructions import Instruction
from runtime.tensors import Tensor
from runtime.values import Value
from runtime.verifier.findings import Findings, counted, field_of


class UseCensus:
    """The uses of every value and the accesses of every tensor, as the operands have them."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._users: dict[Value, Instruction | list[Instruction]] = {}
        self._accesses: dict[Tensor, dict[NeuronAP, Instruction]] = {}

    def add_use(self, value: Value, user: Instruction) -> None:
        """Count one operand slot of `user` that holds `value`."""
        known = self._users.get(value)
        if known is None:
            self._users[value] = user
        elif isinstance(known, list):
            known.append(user)
        else:
            self._users[value] = [known, user]

    def add_access(self, access: NeuronAP, user: Instruction) -> None:
        """Count an access in a slot of `user`, and check that it says so itself."""
        known = self._accesses.setdefault(access.tensor, {})
        if access in known:
            message = "one access stands in two slots, here as {value}; each slot must have its own copy"
            self._findings.add("V012", message, user, field_of(access, user), access)
        elif access.owner is not user:
            owner = "no instruction" if access.owner is None else repr(access.owner)
            self._findings.add(
                "V012",
                f"the access {{value}} says that it is in a slot of {owner}",
                user,
                field_of(access, user),
                access,
            )
        known[access] = user

    def accesses_of(self, tensor: Tensor) -> Mapping[NeuronAP, Instruction]:
        """Return the accesses counted so far, in program order, with the instructions that hold them."""
        return self._accesses.get(tensor, {})

    def check_values(self, values: Iterable[Value]) -> None:
        """Compare the use-lists of values, all of whose users have been counted."""
        for value in values:
            expected = self._users.get(value)
            held = value._uses  # the list itself: its public views would add 8% to the time of the whole verifier
            if held is expected or (isinstance(held, tuple) and isinstance(expected, list) and held == tuple(expected)):
                continue  # nearly always
            self._compare(value, expected)

    def check_tensors(self, tensors: Iterable[Tensor]) -> None:
        """Compare what tensors know of their accesses."""
        for tensor in tensors:
            known = self._accesses.get(tensor, {})
            for mode, listed in (("read", tensor.loads), ("write", tensor.stores)):
                self._compare_accesses(tensor, mode, listed, known)

    def _compare(self, value: Value, expected: Instruction | list[Instruction] | None) -> None:
        slots = Counter(expected if isinstance(expected, list) else () if expected is None else (expected,))
        listed = value.uses
        for user in {**slots, **listed}:
            times = listed.get(user, 0)
            if slots[user] != times:
                message = (
                    f"{{value}} is in {counted(slots[user], 'operand slot')} of an instruction "
                    f"that its use-list holds {counted(times, 'time')}"
                )
                self._findings.add("V010", message, value, None, value, other=user)

    def _compare_accesses(
        self, tensor: Tensor, what: str, listed: tuple[NeuronAP, ...], known: dict[NeuronAP, Instruction]
    ) -> None:
        other = AccessMode.STORE if what == "read" else AccessMode.LOAD
        expected = [access for access in known if access.mode is not other]
        if len(expected) == len(listed) and all(access in known and access.mode is not other for access in listed):
            return
        for access in expected:
            if access not in listed:
                message = f"the accesses that {what} the tensor lack {{value}}"
                self._findings.add("V011", message, tensor, None, access, other=known[access])
        for access in listed:
            if access not in known or access.mode is other:
                message = f"the accesses that {what} the tensor hold {{value}}, which is in no such operand slot"
                self._findings.add("V011", message, tensor, None, access, other=access.owner)
