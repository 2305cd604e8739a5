"""Large models: what passes made goes to the file from memory, and what is too large is refused with a reason."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto

from frontends.onnx import BrokenModelError, load, save, to_proto
from passes.__main__ import main
from runtime.constants import Constant
from runtime.dtypes import DType, bf16, f32, i64
from tests.frontends.onnx.models import constant, initializers_of, model, node, value

MEGABYTE = 1 << 20


def products(folder: Path, number: int, side: int) -> Path:
    """Write a chain of products whose weights are beside the model, without having them in memory."""
    weights = []
    with open(folder / "m.data", "wb") as file:
        for at in range(number):
            tensor = TensorProto(name=f"w{at}", data_type=1, dims=[side, side], data_location=TensorProto.EXTERNAL)
            where = {"location": "m.data", "offset": str(file.tell()), "length": str(side * side * 4)}
            for key, text in where.items():
                tensor.external_data.add(key=key, value=text)
            weights.append(tensor)
            file.write(np.full((side, side), (at + 1) / side, np.float32).tobytes())
    nodes = [node("MatMul", [f"h{at}" if at else "x", f"w{at}"], [f"h{at + 1}"]) for at in range(number)]
    ends = [value("x", shape=[1, side])], [value(f"h{number}", shape=[1, side])]
    path = folder / "m.onnx"
    path.write_bytes(model(nodes, *ends, weights).SerializeToString())
    return path


@pytest.mark.parametrize("dtype", [f32, bf16, i64], ids=str)
def test_large_tensors_that_a_pass_made_are_where_they_belong(dtype: DType, tmp_path: Path) -> None:
    names = "abcd"
    proto = model([], [value("x")], [value("x")], [constant(name, np.ones(2, np.float32)) for name in names])
    module = load(proto)
    for initializer, size in zip(initializers_of(module), (3, MEGABYTE, 5, MEGABYTE + 1), strict=True):
        initializer.value = Constant.of(np.arange(size) % 7, dtype)
        initializer.type = initializer.value.type
    save(module, tmp_path / "m.onnx")
    assert onnx.load(tmp_path / "m.onnx") == to_proto(module)
    assert [one.name for one in onnx.load(tmp_path / "m.onnx").graph.initializer] == [*names]


def test_a_converted_model_is_the_same_in_the_file_and_in_memory(tmp_path: Path) -> None:
    source, out = products(tmp_path, 2, 800), tmp_path / "out.onnx"
    assert main([str(source), "-o", str(out), "--policy", "autocast-f16"]) == 0
    result = onnx.load(out)
    onnx.checker.check_model(result, full_check=True)
    held = {one.name: onnx.numpy_helper.to_array(one) for one in result.graph.initializer}
    assert {(name, str(one.dtype), one.shape) for name, one in held.items()} == {
        (name, "float16", (800, 800)) for name in ("w0", "w1")
    }
    assert float(held["w1"][0, 0]) == float(np.float16(2 / 800))


def test_a_file_that_protobuf_cannot_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = tmp_path / "m.onnx", tmp_path / "out.onnx"
    with open(path, "wb") as file:
        file.truncate(1 << 31)  # without a block on the disk
    with pytest.raises(BrokenModelError, match="has 2147483648 bytes, and protobuf reads no message of more than"):
        load(path)
    assert main([str(path), "-o", str(out), "--policy", "autocast-f16"]) == 2
    assert "has its tensors in files beside it" in capsys.readouterr().err and not out.exists()


@pytest.mark.long
def test_converting_takes_no_more_memory_than_one_and_a_half_models(tmp_path: Path) -> None:
    source, out = products(tmp_path, 8, 2900), tmp_path / "out.onnx"
    command = [sys.executable, "-c", _PEAK, str(source), "-o", str(out), "--policy", "autocast-f16"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    size = (tmp_path / "m.data").stat().st_size
    assert size > 256 * MEGABYTE and int(done.stdout) <= 1.5 * size
    assert out.stat().st_size < 0.51 * size


@pytest.mark.long
@pytest.mark.parametrize("policy", ["autocast-f16", "autocast-bf16", "always-f32"])
def test_weights_in_the_file_are_in_memory_once(tmp_path: Path, policy: str) -> None:
    """And those that are half as large, beside what a small model takes, and one tensor on its way to the file."""
    peaks = []
    for side in (8, 2900):
        folder, one = tmp_path / str(side), tmp_path / "one.onnx"
        folder.mkdir()
        onnx.save(onnx.load(products(folder, 8, side)), one)
        command = [sys.executable, "-c", _PEAK, str(one), "-o", str(tmp_path / "out.onnx"), "--policy", policy]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        peaks.append(int(done.stdout))
    size, tensor = one.stat().st_size, 2900 * 2900 * 4
    assert size > 256 * MEGABYTE and peaks[1] - peaks[0] <= 1.5 * size + tensor


_PEAK = """
import sys
from passes.__main__ import main
from tests.runtime.bir.memory import most_resident
assert main(sys.argv[1:]) == 0
print(most_resident())
"""
