"""A limit on rewrites stops passes after any of them, counts each once, and costs nothing where there is none."""

import re
from pathlib import Path

import pytest

from passes.build import build_pipeline
from passes.command_line import main
from passes.eliminate_casts import NeuronEliminateCasts
from passes.framework.dot_transform import DotTransform
from passes.framework.instrumentation import PassInstrumentation
from passes.framework.pass_manager import PassManager
from passes.framework.rewrite_limit import RewriteLimit
from passes.framework.target_lowering import TargetLowering
from passes.registry import PASSES, load_pass
from runtime.functions import Function, Module
from runtime.instruction_set import standard
from runtime.targets import parse_target
from runtime.text.parser import parse
from runtime.text.printer import print_module
from runtime.verifier import verify
from runtime.wrappers.TensorCopyOp import TensorCopyOp
from tests.passes.pass_cases import read_cases
from tests.passes.tiny_passes import Counts, NeverDone

FUNCTION = """\
func @{0}(%x: f32[4,8]) {{
  %p: bf16[4,8] = activation relu %x
  %c: f32[4,8] = tensor_copy %p
  %q: bf16[4,8] = activation tanh %c
  %d: f32[4,8] = tensor_copy %q
  return %d
}}
"""
TWO = f"{FUNCTION.format('f')}\n{FUNCTION.format('main')}"


def two() -> Module:
    return parse(TWO, standard())


def casts(module: Module) -> list[int]:
    return [sum(isinstance(inst, TensorCopyOp) for inst in each.insts) for each in module.functions.values()]


@pytest.mark.parametrize(
    ("most", "left", "done", "function"),
    [
        (0, [2, 2], 0, None),
        (1, [1, 2], 1, "f"),
        (2, [0, 2], 2, "f"),
        (3, [0, 1], 3, "main"),
        (4, [0, 0], 4, "main"),
        (None, [0, 0], 4, "main"),
    ],
)
def test_a_pass_that_asks_is_stopped_after_any_rewrite(
    most: int | None, left: list[int], done: int, function: str | None
) -> None:
    module, limit = two(), RewriteLimit(most)
    (run,) = PassManager([NeuronEliminateCasts()], limit=limit, check=verify).run(module)
    assert (casts(module), limit.done, limit.function) == (left, done, function)
    assert run.changed == (done > 0)


@pytest.mark.parametrize("most", [0, 1, 3, 4, 9])
def test_a_hook_that_changes_something_counts_whether_it_asks_or_not(most: int) -> None:
    class SaysNothing(NeverDone):
        pass_name = "says-nothing"

        def transformTensorCopyOp(self, copy: TensorCopyOp) -> None:  # type: ignore[override]
            super().transformTensorCopyOp(copy)
            self.changed = True

    class Asks(NeverDone):
        pass_name = "asks"

        def transformTensorCopyOp(self, copy: TensorCopyOp) -> bool:
            return self.may_rewrite() and super().transformTensorCopyOp(copy)

    for cls in (NeverDone, SaysNothing, Asks):
        module, limit = two(), RewriteLimit(most)
        (run,) = PassManager([cls()], limit=limit).run(module)
        assert print_module(module).count("again") == limit.done == min(most, 4)
        assert run.changed == (most > 0)


def test_a_hook_that_changes_nothing_does_not_count() -> None:
    limit = RewriteLimit(5)
    PassManager([Counts()], limit=limit).run(two())
    assert limit.done == 0


def test_a_pass_that_never_asks_counts_functions() -> None:
    class Whole(TargetLowering):
        pass_name = "whole"

        def transformStmts(self, f: Function) -> bool:
            for inst in f.insts:
                inst.loc = "here"
            return True

    for most, expected in ((0, 0), (1, 5), (2, 10), (3, 10)):
        module, limit = two(), RewriteLimit(most)
        PassManager([Whole()], limit=limit).run(module)
        assert print_module(module).count('"here"') == expected and limit.done == min(most, 2)


def test_all_passes_of_a_run_share_it() -> None:
    module, limit = two(), RewriteLimit(5)
    PassManager([NeuronEliminateCasts(), NeverDone(), NeverDone()], limit=limit).run(module)
    assert limit.done == 4, "no copy is left for the second pass"
    module, limit = two(), RewriteLimit(5)
    PassManager([NeverDone(), NeuronEliminateCasts()], limit=limit).run(module)
    assert casts(module) == [1, 2]


def test_a_pass_is_not_limited_any_more_in_the_next_run() -> None:
    transform = NeuronEliminateCasts()
    PassManager([transform], limit=RewriteLimit(0)).run(two())
    module = two()
    PassManager([transform]).run(module)
    assert casts(module) == [0, 0]


def test_functions_are_announced() -> None:
    seen: list[tuple[str, int, int]] = []

    class Watches(PassInstrumentation):
        def run_before_function(self, transform: DotTransform, function: Function, number: int, count: int) -> None:
            seen.append((function.name, number, count))

    PassManager([Counts()], instrumentations=[Watches()]).run(two())
    assert seen == [("f", 1, 2), ("main", 2, 2)]


def test_the_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "two.txt"
    path.write_text(TWO, encoding="utf-8")
    assert main([str(path), "--passes", "eliminate-casts", "--rewrite-limit", "3"]) == 0
    out, err = capsys.readouterr()
    assert err == "passes: 3 of at most 3 rewrites\n" and len(re.findall("tensor_copy", out)) == 1
    assert main([str(path), "--passes", "eliminate-casts", "--rewrite-limit", "9"]) == 0
    assert capsys.readouterr().err == "passes: 4 of at most 9 rewrites\n"


@pytest.mark.parametrize("value", ["-1", "x", "1.5", ""])
def test_what_is_no_limit(value: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit:
        main(["p.txt", "--passes", "eliminate-casts", f"--rewrite-limit={value}"])
    assert exit.value.code == 2
    assert f'argument --rewrite-limit: "{value}" is no whole number from 0 on' in capsys.readouterr().err


CASES = Path(__file__).parent / "cases"
MIXED = """\
func @{0}(%x: f32[2,3], %w: f32[3,4]) {{
  %y: f32[2,4] = graph.matmul %x, %w
  %z: f32[2,4] = graph.activation relu %y
  return %z
}}
"""


def programs_of(name: str) -> list[tuple[str, str]]:
    """Return pipelines and programs in which a pass has something to do: those of its cases."""
    found = [(one.pipeline, one.program) for one in read_cases(CASES) if one.pass_name == name]
    mixed = f"{MIXED.format('f')}\n{MIXED.format('main')}"
    return found or [(name, mixed)]


@pytest.mark.parametrize("name", PASSES)
def test_every_pass_stops_where_it_says(name: str) -> None:
    within = 0  # how many rewrites there are at most in a function
    for pipeline, program in programs_of(name):
        texts: list[str] = []
        for most in range(100):
            module, limit = parse(program, standard()), RewriteLimit(most)
            target = None if module.target is None else parse_target(module.target)
            runs = PassManager(build_pipeline(pipeline, target), limit=limit).run(module)
            texts.append(print_module(module))
            if limit.done < most:
                break
            assert limit.done == most and any(run.changed for run in runs) == (most > 0)
        assert len(set(texts[:-1])) == len(texts) - 1, "each rewrite changes something"
        most_of_one = -(-(len(texts) - 2) // len(module.functions))  # at least so many in a function
        within = max(within, most_of_one)
    assert (within > 1) == (load_pass(name).stops_at == "rewrite")


def test_a_pass_that_takes_whole_functions_says_so_in_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    blocks = re.split(r"\n(?=\S)", capsys.readouterr().out)
    said = {one.splitlines()[0] for one in blocks if "all that it does to a function is one rewrite" in one}
    assert said == {name for name in PASSES if load_pass(name).stops_at == "function"}


def test_a_limit_leaves_the_functions_behind_it_as_they_are(tmp_path: Path) -> None:
    path, out = tmp_path / "m.txt", tmp_path / "out.txt"
    path.write_text(f"{MIXED.format('f')}\n{MIXED.format('main')}")
    assert main([str(path), "--passes", "auto-cast-tc-inputs", "--rewrite-limit", "1", "-o", str(out)]) == 0
    first, second = out.read_text().split("\n\n")
    assert "bf16" in first and second.strip() == MIXED.format("main").strip()


def test_no_limit_asks_nothing() -> None:
    assert DotTransform().may_rewrite()
