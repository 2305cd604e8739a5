"""Whether a function hangs together: tables, owners, and the links between statements.

Every other check walks along these links, so a function whose links are wrong is not looked at any further.
"""

from __future__ import annotations

from runtime.blocks import Block
from runtime.functions import Function, Module
from runtime.verifier.findings import Findings, Subject


def check_tables(module: Module, findings: Findings) -> None:
    """Check the functions of a module, and the tensors of each, against the names that they are listed under."""
    for name, function in module.functions.items():
        findings.enter(function)
        if function.name != name:
            findings.add("V002", f"the function is listed as @{name}, but its name is @{function.name}", function)
        if function.module is not module:
            findings.add("V002", "the function is listed in a program that it does not belong to", function)
        for listed, tensor in function.tensors.items():
            if tensor.name != listed:
                findings.add("V002", f"the tensor is listed as %{listed}, but its name is %{tensor.name}", tensor)
            if tensor.function is not function:
                findings.add("V002", f"the tensor is listed in @{name}, which it does not belong to", tensor)


def are_linked(function: Function, findings: Findings) -> bool:
    """Check the links of all statements; return whether they can be walked along."""
    linked = _is_linked(function.body, function, findings)
    if not linked:
        findings.links_are_broken()
    return linked


def _is_linked(block: Block, holder: Subject, findings: Findings) -> bool:
    if block.owner is not holder:
        findings.add("V001", f"a block is owned by {block.owner!r}, but held by {holder!r}", holder)
        return False
    for argument in block.arguments:
        if argument.block is not block:
            findings.add("V001", f"{argument!r} is an argument of another block", holder)
            return False
    before, statement = None, block.first
    while statement is not None:
        if statement.parent is not block:
            findings.add("V001", "the statement stands in one block and says that it stands in another", statement)
            return False
        if statement.prev is not before:
            found = "nothing" if statement.prev is None else repr(statement.prev)
            expected = "nothing" if before is None else repr(before)
            findings.add("V001", f"before the statement stands {expected}, but it is linked to {found}", statement)
            return False
        for inner in statement.blocks:
            if not _is_linked(inner, statement, findings):
                return False
        before, statement = statement, statement.next
    if block.last is not before:
        found = "nothing" if block.last is None else repr(block.last)
        findings.add("V001", f"the last statement of a block is {before!r}, but the block says {found}", holder)
        return False
    return True
