"""Which hook is called for which statement, and when."""

from dataclasses import dataclass

import pytest

from passes.framework.dot_transform import DotTransform
from passes.framework.options import OptionValueError, option, options_from_text
from runtime.blocks import Loop
from runtime.builtin import Return
from runtime.dtypes import f32
from runtime.functions import Function
from runtime.instruction_set import standard
from runtime.instructions import Instruction, NeuronInst
from runtime.tensors import NeuronSBTensor
from runtime.text.parser import parse
from runtime.wrappers.ActivationOp import ActivationOp
from runtime.wrappers.TensorCopyOp import TensorCopyOp
from tests.passes.small_programs import chain

NESTED = """\
func @main(%x: f32[4,8], %b: bool[]) {
  tensor %y: f32[4,8] sbuf
  for %i = 0 step 1 times 2 {
    %y = tensor_copy %x
  }
  graph.if %b then {
    %y = tensor_tensor add %x, %x
    yield
  } else {
    yield
  }
  return %x
}
"""


class Recorder(DotTransform):
    """Writes down what it is called with."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[str] = []

    def beforeStmtTransform(self, f: Function) -> None:
        self.calls.append(f"before {f.name}")

    def afterStmtTransform(self, f: Function) -> None:
        self.calls.append(f"after {f.name}")

    def transformLoop(self, loop: Loop) -> None:
        self.calls.append("loop")

    def transformTensorCopyOp(self, copy: TensorCopyOp) -> None:
        self.calls.append("copy")

    def transformTensorTensorOp(self, inst: NeuronInst) -> None:  # a brewed class without a wrapper, TensorTensorOpGen
        self.calls.append("tensor_tensor")

    def transformInstruction(self, inst: Instruction) -> None:
        self.calls.append(f"other {inst.INFO.mnemonic}")


def test_the_most_derived_hook_is_called_in_program_order() -> None:
    recorder = Recorder()
    assert recorder.runOnModule(parse(NESTED, standard())) is False
    assert recorder.calls == [
        "before main",
        "loop",
        "copy",
        "other graph.if",
        "tensor_tensor",
        "other yield",
        "other yield",
        "other return",
        "after main",
    ]


def test_what_is_erased_is_not_entered_and_what_is_inserted_is_visited() -> None:
    class Replace(Recorder):
        def transformActivationOp(self, inst: ActivationOp) -> bool:
            self.calls.append(f"activation {inst.function}")
            if inst.function != "relu":
                return False
            new = ActivationOp(inst.src, "square", dtype=inst.dtype)
            new.insertAfter(inst)
            inst.replaceAllUsesWith(new)
            inst.eraseFromParent()
            return True

    replace = Replace()
    assert replace.runOnModule(chain()) is True
    assert replace.calls == [
        "before main",
        "activation relu",
        "activation square",
        "copy",
        "activation tanh",
        "other return",
        "after main",
    ]


@pytest.mark.parametrize("edit", ["moved back", "moved on", "moved out", "taken out", "erased"])
def test_a_pass_and_a_walk_enter_the_same(edit: str) -> None:
    def change(inst: Instruction) -> None:
        function = inst.parent_function
        if inst.INFO.mnemonic != "graph.if" or function is None or "done" in function.tensors:
            return
        function.add_tensor(NeuronSBTensor("done", f32, (4, 8)))
        first, last = function.body.first, function.body.last
        assert first is not None and last is not None
        if edit == "moved back":
            inst.moveBefore(first)
        elif edit == "erased":
            inst.eraseFromParent()
        else:
            assert inst.parent is not None
            inst.parent.remove(inst)
            if edit == "moved on":
                inst.insertAfter(last)
            elif edit == "moved out":
                assert isinstance(first, Loop)
                first.body.append(inst)

    class Changes(DotTransform):
        def transformInstruction(self, inst: Instruction) -> None:
            met.append(str(inst.INFO.mnemonic))
            change(inst)

    met: list[str] = []
    Changes().runOnModule(parse(NESTED, standard()))
    walked = []
    for inst in parse(NESTED, standard()).insts:
        walked.append(str(inst.INFO.mnemonic))
        change(inst)
    inside = ["graph.if", "tensor_tensor", "yield", "yield"]
    entered = inside[:1] if edit in ("taken out", "erased") else inside
    again = inside if edit == "moved on" else []  # it stands further on, so its turn comes there too
    assert met == walked == ["tensor_copy", *entered, "return", *again]


def test_a_hook_may_set_changed_itself_and_each_run_starts_afresh() -> None:
    class Sometimes(DotTransform):
        def transformReturn(self, inst: Return) -> None:
            self.changed = self.changed or inst.loc is None
            inst.loc = "seen"

    sometimes, module = Sometimes(), chain()
    assert sometimes.runOnModule(module) is True
    assert sometimes.runOnModule(module) is False


def test_dead_tensors_are_dropped_and_reported() -> None:
    class Drop(DotTransform):
        def afterStmtTransform(self, f: Function) -> None:
            self.dropDeadTensors(f)

    module = parse(
        "func @main() {\n  tensor %t: f32[4,8] sbuf\n  tensor %y: f32[4,8] sbuf output\n  return\n}\n", standard()
    )
    assert Drop().runOnModule(module) is True
    assert list(module.root_function.tensors) == ["y"]
    assert Drop().runOnModule(module) is False


def test_a_hook_of_another_dialect_has_the_dialect_in_its_name() -> None:
    seen = []

    class Casts(DotTransform):
        pass_name = "casts"

        def transform_graph_Cast(self, cast: Instruction) -> bool:
            seen.append(cast)
            return False

    text = "func @main(%x: f32[2]) {\n  %0: bf16[2] = graph.cast %x\n  %1: bf16[2] = tensor_copy %x\n}\n"
    module = parse(text, standard())
    Casts().runOnModule(module)
    assert seen == [next(module.insts)]


@pytest.mark.parametrize("hook", ["transformTensorCopy", "transformCast", "transform_graph_TensorCopyOp"])
def test_a_hook_that_would_never_be_called_is_refused(hook: str) -> None:
    wrong = type("Wrong", (DotTransform,), {"pass_name": "wrong", hook: lambda self, inst: False})
    with pytest.raises(TypeError, match=f"Wrong: {hook} is the hook of no statement"):
        wrong()


@dataclass(frozen=True)
class _Limits:
    most: int = option(3, "the most")
    share: float = option(0.5, "of all")


def test_a_class_of_options_that_a_pass_only_mentions_is_refused() -> None:
    class OnlyMentions(DotTransform):
        options: _Limits

    class Takes(OnlyMentions):
        Options = _Limits

    with pytest.raises(TypeError, match="OnlyMentions has `options: _Limits`, but not `Options = _Limits`"):
        OnlyMentions()
    assert Takes(most=4).options == _Limits(4)


def test_options_that_are_no_dataclass_are_refused() -> None:
    class Plain(DotTransform):
        Options = object

    with pytest.raises(TypeError, match="object, the options of Plain, is no dataclass"):
        Plain()


@pytest.mark.parametrize(("name", "takes"), [("most", "a whole number"), ("share", "a number")])
def test_an_option_that_is_no_number_is_told_what_it_takes(name: str, takes: str) -> None:
    with pytest.raises(OptionValueError, match=f'option "{name}" takes {takes}, not "few"'):
        options_from_text(_Limits, {name: "few"})
