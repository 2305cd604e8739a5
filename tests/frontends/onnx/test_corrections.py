"""The operators that onnx's own evaluator gets wrong: the results of onnxruntime, values by hand, and whole models."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime  # type: ignore[import-untyped]
import pytest
from onnx import ModelProto, TensorProto, defs, helper, numpy_helper
from onnx.backend import test as backend_tests

import runtime
from frontends.onnx import load
from frontends.onnx.corrections import CORRECTIONS, find_correction
from frontends.onnx.evaluate import evaluator
from frontends.onnx.schemas import NEWEST
from runtime.dtypes import bf16
from runtime.generic import ONNX_DOMAIN
from runtime.interpreter import InterpreterError, MissingSemanticsError
from tests.frontends.onnx.models import Array, constant, model, node, value

F16, F32 = np.dtype(np.float16), np.dtype(np.float32)
TOLERANCE = {F16: 2e-3, F32: 2e-6}  # onnxruntime rounds some steps in between, too
LIGHT = Path(backend_tests.__file__).parent / "data" / "light"


def one_node(op: str, opset: int, arrays: Sequence[Array], code: int | None = None, **attributes: Any) -> ModelProto:
    """Return a model of one node, its operands the inputs `a`, `b`, ..."""
    inputs = [
        value(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        for name, array in zip("abcde", arrays, strict=False)
    ]
    result = value("y", inputs[0].type.tensor_type.elem_type if code is None else code, None)
    names = [one.name for one in inputs]
    return model([node(op, names, ["y"], **attributes)], inputs, [result], opset=opset, ir_version=7)


def all_of_ours(proto: ModelProto, *arrays: Any) -> list[Any]:
    module = load(proto)
    inputs = dict(zip([one.name for one in proto.graph.input], arrays, strict=True))
    return list(runtime.run(module, inputs, evaluator=evaluator(module)).values())


def all_of_theirs(proto: ModelProto, *arrays: Any) -> list[Any]:
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 4
    settings.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(proto.SerializeToString(), settings, providers=["CPUExecutionProvider"])
    return list(session.run(None, dict(zip([one.name for one in proto.graph.input], arrays, strict=True))))


def ours(proto: ModelProto, *arrays: Any) -> Any:
    (result,) = all_of_ours(proto, *arrays)
    return result


def theirs(proto: ModelProto, *arrays: Any) -> Any:
    (result,) = all_of_theirs(proto, *arrays)
    return result


def check(proto: ModelProto, *arrays: Array) -> None:
    """Check that the interpreter gives what onnxruntime gives, up to a few roundings."""
    got, wanted = ours(proto, *arrays), theirs(proto, *arrays)
    tolerance = TOLERANCE[wanted.dtype]
    assert got.dtype == wanted.dtype and got.shape == wanted.shape
    np.testing.assert_allclose(got.astype(np.float64), wanted.astype(np.float64), rtol=tolerance, atol=tolerance)


def random(shape: Sequence[int], dtype: Any = F32) -> Array:
    return np.random.default_rng(len(shape)).normal(size=shape).astype(dtype)


@pytest.mark.parametrize("dtype", [F32, F16], ids=str)
@pytest.mark.parametrize("opset", [7, 11, 12])
@pytest.mark.parametrize("op", ["Softmax", "LogSoftmax", "Hardmax"])
def test_rows_are_what_lies_behind_the_axis(op: str, opset: int, dtype: Any) -> None:
    for shape in [(3, 5), (2, 3, 4), (2, 3, 2, 3)]:
        x = random(shape, dtype)
        check(one_node(op, opset, [x]), x)
        for axis in range(-len(shape) if opset >= 11 else 0, len(shape)):
            check(one_node(op, opset, [x], axis=axis), x)


@pytest.mark.parametrize("dtype", [F32, F16], ids=str)
@pytest.mark.parametrize("op", ["Softmax", "LogSoftmax", "Hardmax"])
def test_version_13_goes_along_one_axis(op: str, dtype: Any) -> None:
    x = random((2, 3, 4), dtype)
    for axis in range(-3, 3):
        check(one_node(op, 13, [x], axis=axis), x)
    check(one_node(op, 13, [x]), x)


@pytest.mark.parametrize("dtype", [F32, F16], ids=str)
def test_log_softmax_reaches_as_far_as_its_operand(dtype: Any) -> None:
    x = np.array([[0, -200, 100], [-3000, 4, 4]], dtype)
    proto = one_node("LogSoftmax", 13, [x], axis=-1)
    assert np.allclose(ours(proto, x), [[-100, -300, 0], [-3004 - np.log(2), -np.log(2), -np.log(2)]], rtol=1e-3)
    assert np.allclose(ours(proto, x), theirs(proto, x), rtol=TOLERANCE[dtype], atol=1e-3)


@pytest.mark.parametrize("opset", [11, 22])
@pytest.mark.parametrize("shape", [(), (3,), (0, 2)])
def test_softsign(shape: tuple[int, ...], opset: int) -> None:
    x = random(shape, F32)
    proto = one_node("Softsign", opset, [x])
    result = ours(proto, x)
    assert result.shape == shape and np.allclose(result, theirs(proto, x))


@pytest.mark.parametrize("opset", [15, 18, 28])
def test_what_is_optional_stands_for_itself(opset: int) -> None:
    x = random((2, 3), F32)
    nodes = [
        node("Optional", ["a"], ["o"]),
        node("OptionalGetElement", ["o"], ["y"]),
        node("OptionalHasElement", ["o"], ["has"]),
    ]
    results = [value("y", TensorProto.FLOAT, (2, 3)), value("has", TensorProto.BOOL, ())]
    proto = model(nodes, [value("a", TensorProto.FLOAT, (2, 3))], results, opset=opset, ir_version=8)
    got, has = all_of_ours(proto, x)
    assert np.array_equal(got, x) and has


def test_rows_by_hand() -> None:
    x = np.log(np.array([[[1, 2], [3, 4]]], np.float32))  # one row of four, the exponentials add up to 10
    assert np.allclose(ours(one_node("Softmax", 12, [x]), x), [[[0.1, 0.2], [0.3, 0.4]]], rtol=1e-6)
    assert np.allclose(ours(one_node("LogSoftmax", 12, [x]), x), np.log([[[0.1, 0.2], [0.3, 0.4]]]), rtol=1e-6)
    assert ours(one_node("Hardmax", 12, [x]), x).tolist() == [[[0, 0], [0, 1]]]
    assert ours(one_node("Hardmax", 12, [x]), np.zeros_like(x)).tolist() == [[[1, 0], [0, 0]]]  # the first of equals
    far = np.array([[[0, 0], [0, 999]]], np.float32)
    assert np.isclose(ours(one_node("LogSoftmax", 12, [x]), far)[0, 0, 0], -999)
    assert ours(one_node("Softmax", 12, [x[:0]]), x[:0]).shape == (0, 2, 2)


@pytest.mark.parametrize("dtype", [F32, F16], ids=str)
@pytest.mark.parametrize("opset", [7, 13, 17])
@pytest.mark.parametrize("size", [1, 3, 5, 99])
def test_lrn(size: int, opset: int, dtype: Any) -> None:
    for shape in [(1, 6, 3, 2), (3, 4, 2, 2), (2, 1, 2, 2)]:
        x = random(shape, dtype)
        check(one_node("LRN", opset, [x], size=size, alpha=0.5, beta=0.6, bias=1.5), x)
        check(one_node("LRN", opset, [x], size=size), x)


def test_lrn_by_hand() -> None:
    """An even size reaches one channel further behind than before; onnxruntime has none."""
    x = np.array([[1, 2, 3]], np.float32)  # sums of squares of this channel and the next: 5, 13, 9
    proto = one_node("LRN", 13, [x], size=2, alpha=2.0, beta=1.0, bias=0.0)
    assert np.allclose(ours(proto, x), [[1 / 5, 2 / 13, 3 / 9]], rtol=1e-6)


@pytest.mark.parametrize("dtype", [F32, F16], ids=str)
@pytest.mark.parametrize("opset", [7, 8, 9, 13, 14, 15])
def test_batch_normalization_takes_the_statistics_it_is_given(opset: int, dtype: Any) -> None:
    for shape in [(2, 3), (1, 3, 4), (2, 3, 4, 2), (2, 3, 2, 2, 2)]:
        arrays = [random(shape, dtype), *(random((3,), dtype) for _ in range(3)), np.array([0.5, 1, 2], dtype)]
        check(one_node("BatchNormalization", opset, arrays), *arrays)
        check(one_node("BatchNormalization", opset, arrays, epsilon=0.1, momentum=0.5), *arrays)


@pytest.mark.parametrize("opset", [7, 8])
def test_batch_normalization_of_each_activation(opset: int) -> None:
    arrays = [random((2, 3, 4, 2)), *(random((3, 4, 2)) for _ in range(3)), np.abs(random((3, 4, 2))) + 1]
    check(one_node("BatchNormalization", opset, arrays, spatial=0), *arrays)


def test_batch_normalization_by_hand() -> None:
    arrays = [np.array(one, np.float32) for one in ([[3.0], [5]], [2.0], [1.0], [1.0], [3.0])]
    proto = one_node("BatchNormalization", 9, arrays, epsilon=1.0)  # 2 (x - 1) / sqrt(3 + 1) + 1
    assert ours(proto, *arrays).tolist() == [[3], [5]]


@pytest.mark.parametrize("dtype", [F32, F16], ids=str)
@pytest.mark.parametrize("opset", [7, 17, 22])
def test_global_max_pool(opset: int, dtype: Any) -> None:
    for shape in [(2, 3, 4), (2, 3, 4, 2), (1, 2, 2, 3, 2)]:
        x = random(shape, dtype)
        check(one_node("GlobalMaxPool", opset, [x]), x)


def test_global_max_pool_by_hand() -> None:
    x = np.array([[[1, 5, 2], [-3, -1, -2]]], np.float32)
    assert ours(one_node("GlobalMaxPool", 22, [x]), x).tolist() == [[[5], [-1]]]


@pytest.mark.parametrize("mode", ["nearest", "linear"])
@pytest.mark.parametrize("scales", [(2, 2), (1, 3), (1.5, 2.5), (1, 1), (2.3, 1)])
def test_upsample(scales: tuple[float, float], mode: str) -> None:
    x, all_scales = random((2, 3, 5, 4)), np.array([1, 1, *scales], np.float32)
    check(one_node("Upsample", 7, [x], scales=all_scales.tolist(), mode=mode), x)
    check(one_node("Upsample", 9, [x, all_scales], mode=mode), x, all_scales)
    check(one_node("Resize", 10, [x, all_scales], mode=mode), x, all_scales)


@pytest.mark.parametrize("mode", ["nearest", "linear"])
@pytest.mark.parametrize("scales", [(0.5, 0.5), (0.6, 0.6), (0.75, 1.2), (0.3, 1)])
def test_resize_to_fewer_elements(scales: tuple[float, float], mode: str) -> None:
    x, all_scales = random((2, 3, 5, 4)), np.array([1, 1, *scales], np.float32)
    check(one_node("Resize", 10, [x, all_scales], mode=mode), x, all_scales)


def test_resize_by_hand() -> None:
    x, scales = np.arange(1, 9, dtype=np.float32).reshape(1, 1, 2, 4), np.array([1, 1, 0.6, 0.6], np.float32)
    assert ours(one_node("Resize", 10, [x, scales], mode="nearest"), x, scales).tolist() == [[[[1, 3]]]]


def test_scales_that_do_not_fit() -> None:
    x, scales = random((2, 3, 5, 4)), np.array([1, 1, 2], np.float32)
    with pytest.raises(InterpreterError, match="are no scales for the 4 dimensions"):
        ours(one_node("Upsample", 9, [x, scales]), x, scales)


@pytest.mark.parametrize("opset", [10, 12, 13, 18, 19, 21])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32])
def test_dequantize_linear(dtype: Any, opset: int) -> None:
    x = np.arange(-12 if dtype != np.uint8 else 0, 12, dtype=dtype)[:12].reshape(2, 3, 2)
    zero = np.array(0 if dtype == np.int32 else 5, dtype)
    arrays: list[Array] = [x, np.array(0.3, np.float32), zero]
    for n_operands in (2, 3):
        check(one_node("DequantizeLinear", opset, arrays[:n_operands], TensorProto.FLOAT), *arrays[:n_operands])
    for axis in (-2, 1, 2) if opset >= 13 else ():
        scale = np.linspace(0.1, 3, x.shape[axis], dtype=np.float32)
        arrays = [x, scale, np.arange(scale.size).astype(dtype) * (dtype != np.int32)]
        check(one_node("DequantizeLinear", opset, arrays, TensorProto.FLOAT, axis=axis), *arrays)


def test_dequantize_linear_by_hand() -> None:
    arrays: list[Array] = [np.array([-128, 0, 127], np.int8), np.array(0.5, np.float32), np.array(127, np.int8)]
    proto = one_node("DequantizeLinear", 13, arrays, TensorProto.FLOAT)
    assert ours(proto, *arrays).tolist() == [-127.5, -63.5, 0]  # -255 does not fit the operand's type


def test_bf16_is_rounded_once() -> None:
    x = random((2, 5, 2, 2), bf16.numpy)
    wide = x.astype(np.float32)
    wanted = theirs(one_node("LRN", 13, [wide], size=3, alpha=0.5), wide).astype(bf16.numpy)
    got = ours(one_node("LRN", 13, [x], size=3, alpha=0.5), x)
    assert got.dtype == bf16.numpy and np.mean(got == wanted) > 0.9  # a tie may fall either way
    assert np.allclose(got.astype(np.float32), wanted.astype(np.float32), rtol=2**-7)


def test_only_the_versions_with_a_fault_are_corrected() -> None:
    for (domain, op_type), corrections in CORRECTIONS.items():
        found = {at for at in range(1, defs.onnx_opset_version() + 1) if find_correction(domain, op_type, at)}
        since = {at: defs.get_schema(op_type, at, "").since_version for at in found}
        assert set(since.values()) == set(corrections)
        assert all(find_correction(domain, op_type, at) is corrections[since[at]] for at in found)
    assert find_correction(ONNX_DOMAIN, "Softmax", 12) and not find_correction(ONNX_DOMAIN, "Softmax", 13)
    assert not find_correction("com.microsoft", "Softmax", 12)
    assert not find_correction(ONNX_DOMAIN, "Relu", 12)
    assert not find_correction(ONNX_DOMAIN, "Softmax", None)
    assert not find_correction(ONNX_DOMAIN, "DequantizeLinear", 9)
    assert find_correction(ONNX_DOMAIN, "LRN", NEWEST) and not find_correction(ONNX_DOMAIN, "LRN", NEWEST + 1)


FAULTS: dict[str, tuple[str, int, list[tuple[int, ...]], dict[str, Any], str]] = {
    "axis too large": ("Softmax", 12, [(2, 3)], {"axis": 2}, "axis 2 is none of the 2 dimensions"),
    "no axis 1": ("Softmax", 12, [(3,)], {}, "axis 1 is none of the 1 dimensions"),
    "axis too small": ("Hardmax", 11, [(2, 3)], {"axis": -3}, "axis -3 is none"),
    "size": ("LRN", 13, [(1, 3, 2, 2)], {"size": 0}, "a size of 0"),
    "no channels": ("LRN", 13, [(3,)], {"size": 1}, r"the shape \[3\]"),
    "parameter": ("BatchNormalization", 9, [(2, 3), (3,), (3,), (1,), (3,)], {}, r"\[1\], which is not \[3\]"),
    "spatial": ("BatchNormalization", 7, [(2, 3, 4), *[(3,)] * 4], {"spatial": 0}, r"\[3\], which is not \[3, 4\]"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_name_what_is_wrong(name: str) -> None:
    op, opset, shapes, attributes, message = FAULTS[name]
    arrays = [np.ones(shape, np.float32) for shape in shapes]
    with pytest.raises(InterpreterError, match=message):
        ours(one_node(op, opset, arrays, **attributes), *arrays)


@pytest.mark.parametrize(
    ("scales", "zeros", "message"), [(2, 2, "are not one for each index of axis 1"), (1, 3, "3 zero points")]
)
def test_quantisation_must_fit_the_axis(scales: int, zeros: int, message: str) -> None:
    arrays: list[Array] = [np.ones((2, 3), np.int8), np.ones(scales, np.float32), np.ones(zeros, np.int8)]
    with pytest.raises(InterpreterError, match=message):
        ours(one_node("DequantizeLinear", 13, arrays, TensorProto.FLOAT), *arrays)


def test_training_mode_is_not_guessed() -> None:
    arrays = [np.ones((2, 3), np.float32), *[np.ones(3, np.float32)] * 4]
    proto = one_node("BatchNormalization", 9, arrays)
    proto.graph.node[0].output.extend(["mean", "var"])
    with pytest.raises(MissingSemanticsError, match="besides the first"):
        ours(proto, *arrays)


def drawn(name: str) -> ModelProto:
    """Return a light model of onnx, its weights drawn: as it comes, each has one value in all places.

    What its Softmax is taken of is a result too, for the Softmax may well be all 0 and 1.
    """
    proto = onnx.load(os.fspath(LIGHT / f"light_{name}.onnx"))
    generator = np.random.default_rng(7)
    held = {one.name: numpy_helper.to_array(one) for one in proto.graph.initializer}
    for inst in [one for one in proto.graph.node if one.op_type == "ConstantOfShape"]:
        shape = held[inst.input[0]]
        if len(shape) > 1:  # keeps the size of what goes through a layer (He et al., 2015)
            weight = generator.normal(size=shape) * np.sqrt(2 / np.prod(shape[1:]))
        else:
            weight = generator.uniform(0.5, 1.0, size=shape)
        proto.graph.initializer.append(constant(inst.output[0], weight.astype(np.float32)))
        proto.graph.node.remove(inst)
    (given,) = (one for one in proto.graph.input if one.name not in held)
    del proto.graph.input[:]
    for inst in proto.graph.node:  # some are called "gpu_0/data_0"
        inst.input[:] = ["x" if one == given.name else one for one in inst.input]
    given.name = "x"
    proto.graph.input.append(given)
    (softmax,) = (one for one in proto.graph.node if one.op_type == "Softmax")
    proto.graph.output.append(value(softmax.input[0], shape=None))
    proto.ir_version = 4  # from here on an initializer need not be an input
    return proto


@pytest.mark.long
@pytest.mark.parametrize("name", ["bvlc_alexnet", "inception_v1", "shufflenet", "squeezenet", "zfnet512"])
def test_light_models(name: str) -> None:
    proto = drawn(name)
    x = random([one.dim_value for one in proto.graph.input[0].type.tensor_type.shape.dim])
    for got, wanted in zip(all_of_ours(proto, x), all_of_theirs(proto, x), strict=True):
        assert got.shape == wanted.shape and np.std(wanted) > 0.1 * np.abs(np.mean(wanted))  # they do differ
        assert np.abs(got - wanted).max() <= 1e-4 * np.abs(wanted).max()
