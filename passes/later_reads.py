"""May users of a copy read the copied tensor themselves, at their own place, and not the snapshot that the copy took?

Before, the copy reads %t once and its user gets what %t held at that moment:

    %c: f32[128,512] = tensor_copy %t
    %u: f32[128,512] = activation gelu %c

After, the user reads %t when it runs itself:

    %u: f32[128,512] = activation gelu %t

Both see the same values where nothing writes %t between the last run of the copy before the user, and the user.

The argument. Control flow is loops and regions, and a value is visible only further on in its block and inside the
statements there. So the user stands in the copy's block behind the copy, or within a statement `x` that does; in what
follows `x` is the user itself in the first case.
- In one run of the block the copy runs, then the statements after it in order, then `x`. A store further on in the
  block, or in front of the copy, may run between the user and the *next* run of the copy (a loop's back edge), which
  takes a new snapshot before the user runs again. So only stores between the copy and `x` count, and stores within `x`.
- Within `x`, which may be a loop, every store counts, whether it stands before or behind the user: the back edge of a
  loop inside `x` takes it in front of the user's next run, and no copy runs in between.
- The user counts too where it is a store to the tensor itself: reading and writing one tensor in one instruction is an
  in-place update, which a copy in front of it had taken care not to be.
- A store outside the block that holds the copy cannot run between the two: the run of the block would have to end.
- The access of the copy is affine in the axes around the copy. They are around the user as well, and hold the same
  values in the same run of the block, so the user reads the same elements. It gets an access of its own.

Every store to the tensor counts, also one to other elements than those read, and one that predicates keep from running
in some iterations: telling them apart is not attempted. A
barrier counts like a store: nothing is moved over it. A copy that has predicates itself takes its snapshot in some
iterations only, so its users see an older one in the others; and a dependency edge says that the copy reads where it
stands, in front of or behind something else. Such a copy is left alone.

A slot of the user must be able to hold the access: an SSA value may stand where an access may not (returned, or an
operand of a graph operation), where no engine of the user reads that memory, or where it would mean another thing (a
slot that writes; the source of a gather, whose addresses count from the start of the tensor, not from the start of the
value). A DMA is not made to read PSUM either, which the newer documentation of the chip does not offer: whoever took a
tile out of PSUM in front of a store needed that.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence

from passes.trials import Change, Trials
from runtime.access import AccessMode, NeuronAP
from runtime.blocks import Block, Statement
from runtime.engines import NeuronEngine
from runtime.functions import Function
from runtime.instructions import Instruction, NeuronInst
from runtime.targets import TARGETS
from runtime.tensors import Tensor, TensorUtils
from runtime.verifier.on_target import unaligned_start
from runtime.wrappers.TensorCopyDynamicBase import TensorCopyDynamicBase

Orders = Mapping[Block, Sequence[int]]
"""For each block around some statements, the sorted order numbers of those of its statements that are or hold one."""


def why_not_read_later(tensor: Tensor, copies: Iterable[Instruction], barriers: Orders | None = None) -> str | None:
    """Return why some user of some copy of `tensor` cannot read the tensor itself; None where all of them can.

    `barriers` are the orders of what nothing is moved over; without them the whole function is looked through.
    O(log stores) a user, after O(stores).
    """
    if barriers is None:
        barriers = {} if tensor.function is None else orders_of_barriers(tensor.function)
    stores = orders_by_block(TensorUtils.store_insts(tensor))
    for copy in copies:
        pinned = why_pinned(copy)
        if pinned is not None:
            return pinned
        for user in copy.users:
            reason = why_not_read_at(user, copy, tensor, stores, barriers)
            if reason is not None:
                return reason
    return None


def why_not_read_at(
    user: Instruction, copy: Instruction, tensor: Tensor, stores: Orders, barriers: Orders
) -> str | None:
    """Return why one user of a copy of `tensor` cannot read the tensor itself; `stores` are those of its stores."""
    reason = _why_no_access(user, copy, tensor)
    return reason or why_not_the_same(user, copy, stores, barriers)


def why_not_the_same(
    later: Instruction, copy: Instruction, stores: Orders, barriers: Orders, ends: str = "the cast and a user of it"
) -> str | None:
    """Return why a tensor may hold something else when `later` runs than `copy` has read, which dominates it.

    `ends` is what the two are called in the reason.
    """
    if _comes_between(stores, copy, later):
        return f"a store to the tensor can run between {ends}"
    return f"a barrier stands between {ends}" if _comes_between(barriers, copy, later) else None


def orders_of_barriers(function: Function) -> Orders:
    """Return the orders of all barriers of a function."""
    return orders_by_block(inst for inst in function.insts if "is_barrier" in inst.INFO.capabilities)


def why_pinned(inst: Instruction) -> str | None:
    """Return why what `inst` does must be done where it stands, whatever it reads; None where nothing says so."""
    if inst.extras is None:  # nearly always
        return None
    if inst.is_predicated:
        return f"{inst.INFO.mnemonic} has predicates"
    return (
        f"a dependency edge holds {inst.INFO.mnemonic} in its place" if inst.dependencies or inst.dependents else None
    )


def _why_no_access(user: Instruction, copy: Instruction, tensor: Tensor) -> str | None:
    if not isinstance(user, NeuronInst):
        return f"a user of the cast, {user.INFO.mnemonic}, takes values only, no access to a tensor"
    for operand in user.INFO.operands:
        held = getattr(user, operand.name)
        if held is not copy and not (operand.variadic and any(item is copy for item in held)):
            continue
        slot = f"{operand.name} of {user.INFO.mnemonic}, which uses the cast,"
        if operand.access is not AccessMode.LOAD:
            return f"{slot} would write the tensor"
        if operand.memory and tensor.memory not in operand.memory:
            return f"{slot} is in {' or '.join(operand.memory)}, not in {tensor.memory}"
    if not _reaches(user, tensor.memory):
        return f"no engine of {user.INFO.mnemonic}, which uses the cast, reads {tensor.memory}"
    if tensor.memory == "psum" and set(_engines(user)) == {NeuronEngine.DMA}:
        return f"{user.INFO.mnemonic}, which uses the cast, is a DMA, and would read PSUM"
    if isinstance(user, TensorCopyDynamicBase) and user.addressed is copy:
        return f"the run-time addresses of {user.INFO.mnemonic} count from the start of the cast's result"
    access = copy.operands()[0]
    assert isinstance(access, NeuronAP), f"{copy!r} reads no tensor"
    return None if access.is_whole else _why_not_that_part(user, copy, access)


def _why_not_that_part(user: NeuronInst, copy: Instruction, access: NeuronAP) -> str | None:
    """Return why a user could not read a part of a tensor, which another kind of engine may have copied for it."""
    name = user.INFO.mnemonic
    if set(_engines(user)) != {NeuronEngine.DMA}:  # which starts at any partition
        for target in TARGETS:
            found = unaligned_start(access, target, ())
            if found is not None:
                return f"{name}, which uses the cast, reads no tile that starts at partition {found[0]}"
    retyped = {} if access.reinterpret is not None else {access.tensor: copy.dtype}  # so only the place is on trial
    return Trials(None).why_not(user, Change(accesses={copy: access}, tensors=retyped))


def _reaches(user: NeuronInst, memory: str) -> bool:
    """Whether the engine of an instruction, or one that it may be given, reads a memory and writes where it writes."""
    engines = _engines(user)
    written = None if user.dst is None else user.dst.tensor.memory
    return not engines or any(memory in one.reads and (written is None or written in one.writes) for one in engines)


def _engines(user: NeuronInst) -> list[NeuronEngine]:
    """Return the engine of an instruction, or those that it may be given."""
    fixed = NeuronEngine.SYNC if user.INFO.is_control else user.assigned_engine
    if fixed not in (None, NeuronEngine.UNKNOWN):
        return [fixed]
    return [NeuronEngine(name) for name in user.INFO.engines]


def _comes_between(orders_by_block: Orders, copy: Instruction, user: Instruction) -> bool:
    """Whether one of some statements may run between a copy and the next run of a user of it."""
    block = copy.parent
    assert block is not None, f"{copy!r} stands in no block"
    orders = orders_by_block.get(block)
    if orders is None:
        return False
    behind: Statement = user
    while behind.parent is not block:
        above = behind.parent and behind.parent.owner
        assert isinstance(above, Statement), f"{user!r} is not dominated by {copy!r}, which it uses"
        behind = above
    return bisect_right(orders, copy.order) != bisect_right(orders, behind.order)


def orders_by_block(insts: Iterable[Instruction]) -> Orders:
    """Return, for each block around some instructions, the sorted order numbers of its statements that hold one."""
    orders: dict[Block, set[int]] = {}
    for inst in insts:
        statement: Statement = inst
        while (block := statement.parent) is not None:
            block.number()
            orders.setdefault(block, set()).add(statement.order)
            if not isinstance(block.owner, Statement):
                break
            statement = block.owner
    return {block: sorted(numbers) for block, numbers in orders.items()}
