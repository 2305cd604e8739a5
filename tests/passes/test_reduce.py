"""Delta debugging: what is left is needed, verifies, fails in the same way, and is found in few tries."""

from collections.abc import Callable

import pytest

from passes.debugging import reduce
from passes.debugging.bisect import Bisection, Setting, bisect
from passes.debugging.reduce import Size, reduce_program
from passes.framework.dot_transform import DotTransform
from passes.framework.failure import PassFailure
from passes.framework.pass_manager import Judge, PassManager
from passes.framework.target_lowering import TargetLowering
from passes.numerics.judge import NumericsJudge
from runtime.functions import Function, Module
from runtime.instruction_set import standard
from runtime.text.parser import parse
from runtime.text.printer import print_module
from runtime.verifier import verify
from tests.passes.random_chains import random_program
from tests.passes.tiny_passes import Breaks, FoldCopiesBlindly, Gives, NarrowSecretly


def program(statements: int, functions: int = 1) -> Module:
    """Return a program of functions with a chain of activations each, alternating between two kinds."""
    texts = []
    for number in range(functions):
        lines = [f"func @f{number}(%x: f32[4,8]) {{"]
        for at in range(statements):
            kind = ("relu", "tanh", "square")[at % 3]
            lines.append(f"  %v{at}: f32[4,8] = activation {kind} %{'x' if at == 0 else f'v{at - 1}'}")
        texts.append("\n".join([*lines, f"  return %v{statements - 1}, %x", "}", ""]))
    return parse("\n".join(texts), standard())


def holds(*texts: str) -> Callable[[Module], bool]:
    """Whether a program verifies and has all of these texts in it."""
    return lambda module: not verify(module) and all(text in print_module(module) for text in texts)


def test_what_is_not_needed_goes() -> None:
    found = reduce_program(program(30, 3), holds("@f1", "%v7: f32[4,8] = activation tanh"))
    assert print_module(found.module) == (
        "func @f1(%v6: f32[4,8]) {\n  %v7: f32[4,8] = activation tanh %v6\n  return\n}\n"
    )
    assert (found.before, found.after) == (Size(3, 90), Size(1, 1)) and found.is_complete
    assert f"{found.before}, {found.after}" == "90 statements in 3 functions, 1 statement in 1 function"


def test_the_program_itself_stays_as_it_is() -> None:
    module = program(9)
    before = print_module(module)
    reduce_program(module, holds("%v3"))
    assert print_module(module) == before


def test_a_statement_in_between_is_bypassed() -> None:
    found = reduce_program(program(12), lambda module: not verify(module) and _reaches(module))
    assert Size.of(found.module).statements == 0
    assert print_module(found.module) == "func @f0(%x: f32[4,8]) {\n  return %x, %x\n}\n"


def _reaches(module: Module) -> bool:
    """Whether something that depends on the argument is returned twice."""
    function = next(iter(module.functions.values()))
    if not function.args or function.args[0].name != "x" or function.body.terminator is None:
        return False
    reached = {function.args[0]}
    for inst in function.insts:
        if any(operand in reached for operand in inst.operands()):
            reached.update(inst.results)  # type: ignore[arg-type]
    return len([one for one in function.body.terminator.operands() if one in reached]) >= 2


def test_loops_regions_and_tensors_go_too() -> None:
    module = parse(random_program(11, 60), standard())
    found = reduce_program(module, holds("%y = tensor_copy %x"))
    assert print_module(found.module) == (
        "target trn2\n\nfunc @main(%x: f32[4,8]) {\n  tensor %y: f32[4,8] sbuf output\n  %y = tensor_copy %x\n"
        "  return\n}\n"
    )


@pytest.mark.parametrize("statements", [300, 1200])
def test_few_tries_where_little_is_needed(statements: int) -> None:
    """Counted in statements of all tries together: halves, then constants."""
    work: list[int] = []
    needed = holds(f"%v{statements // 3}: f32[4,8] = activation")
    found = reduce_program(program(statements), needed, lambda tries, size: work.append(size.statements))
    assert found.after.statements == 1
    assert found.tries < 60 and sum(work) < 12 * statements


def test_where_much_is_needed_it_stops_early_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reduce, "_TRIES_AT_LEAST", 500)
    monkeypatch.setattr(reduce, "_TRIES_OF_ALL", 10)
    module = program(100)
    found = reduce_program(module, holds(*(f"%v{at}: " for at in range(100))))
    assert not found.is_complete and found.after == found.before and found.tries <= 20


def search(module: Module, cls: type[DotTransform], judge: bool = True, check: bool = True) -> Bisection | None:
    def make_judge(part: Module) -> Judge:
        return NumericsJudge(explain=False)

    setting = Setting(
        make=lambda: [cls()],
        check=verify if check else None,
        make_judge=make_judge if judge else None,
        read=lambda text: parse(text, standard()),
    )
    before = module.clone()
    with pytest.raises(PassFailure) as failure:
        PassManager(
            setting.make(), check=setting.check, rollback=False, judge=make_judge(module) if judge else None
        ).run(module)
    return bisect(before, failure.value, setting)


def test_a_pass_that_computes_something_else_on_random_programs() -> None:
    """What is left fails as text, and without its last statement it would not."""
    left: list[int] = []
    for seed in range(20):
        module = parse(random_program(seed), standard())
        if not _fails(module, NarrowSecretly) or left:
            continue
        found = search(module, NarrowSecretly)
        assert found is not None and found.is_read_back
        assert found.rewrite is not None and found.rewrite.function == "main"
        left.append(found.reduction.after.statements)
    assert max(left) <= 5


def _fails(module: Module, cls: type[DotTransform]) -> bool:
    try:
        PassManager([cls()], judge=NumericsJudge(explain=False)).run(module.clone())
    except PassFailure:
        return True
    return False


@pytest.mark.parametrize("cls", [Breaks, Gives])
def test_what_raises_and_what_does_not_verify(cls: type[DotTransform]) -> None:
    lines = [f"  %c{at}: f32[4,8] = tensor_copy %x\n  %u{at}: f32[4,8] = activation tanh %c{at}" for at in range(20)]
    body = "\n".join(lines)
    module = parse(f"func @main(%x: f32[4,8]) {{\n{body}\n  return %u3\n}}\n", standard())
    found = search(module, cls, judge=False)
    assert found is not None and found.rewrite is not None and found.reduction.after.statements == 2
    assert found.rewrite.number == (1 if cls is Breaks else 2)


def test_a_pass_without_rewrites_is_not_told_apart() -> None:
    class Raises(TargetLowering):
        pass_name = "raises"

        def runOnModule(self, module: Module) -> bool:
            raise LookupError("always")

        def transformStmts(self, f: Function) -> bool:
            return False

    found = search(program(5), Raises, judge=False)
    assert found is not None and found.rewrite is None
    assert found.reduction.after == Size(1, 0)


def test_a_pass_that_fails_once_only_is_not_found() -> None:
    class Once(FoldCopiesBlindly):
        pass_name = "once"
        runs: list[int] = []  # noqa: RUF012

        def runOnModule(self, module: Module) -> bool:
            self.runs.append(1)
            if len(self.runs) == 1:
                raise LookupError("only now")
            return False

    assert search(program(5), Once, judge=False) is None
