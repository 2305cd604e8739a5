"""Data beside a model: found, not read before it is needed, carried along, and never looked for outside the folder."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, external_data_helper

from frontends.onnx import ExportError, ExternalDataError, load, save, to_proto
from frontends.onnx.equality import why_different
from runtime.constants import Constant
from runtime.dtypes import f32
from tests.frontends.onnx.models import F32, chain, initializers_of, model, node, nodes_of, value

WEIGHTS = np.arange(6, dtype=np.float32).reshape(2, 3)


def beside(location: str, offset: str | None = "4", length: str | None = "24", **more: str) -> ModelProto:
    """Return a model whose weight `w` is in a file."""
    tensor = TensorProto(name="w", data_type=F32, dims=[2, 3], data_location=TensorProto.EXTERNAL)
    for key, text in {"location": location, "offset": offset, "length": length, **more}.items():
        if text is not None:
            tensor.external_data.add(key=key, value=text)
    return model([node("MatMul", ["x", "w"], ["y"])], [value("x", F32, [1, 2])], [value("y", F32, [1, 3])], [tensor])


def written(folder: Path, proto: ModelProto, data: bytes = b"head" + WEIGHTS.tobytes()) -> Path:
    """Write a model and the file `data/w.bin`."""
    (folder / "data").mkdir(exist_ok=True, parents=True)
    (folder / "data" / "w.bin").write_bytes(data)
    path = folder / "m.onnx"
    path.write_bytes(proto.SerializeToString())
    return path


def why_not_read(path: Path) -> str:
    with pytest.raises(ExternalDataError) as caught:
        initializers_of(load(path))[0].value.array  # noqa: B018
    return str(caught.value)


@pytest.mark.parametrize("length", ["24", None])
def test_data_is_mapped_when_it_is_asked_for(tmp_path: Path, length: str | None) -> None:
    path = written(tmp_path, beside("data/w.bin", length=length))
    (weight,) = initializers_of(load(path))
    assert np.array_equal(weight.value.array, WEIGHTS) and not weight.value.array.flags.writeable
    assert weight.value.type.dtype is f32
    assert bytes(weight.value.raw) == WEIGHTS.tobytes()  # type: ignore[union-attr]


def test_nothing_is_read_before(tmp_path: Path) -> None:
    path = written(tmp_path, beside("data/w.bin"))
    (tmp_path / "data" / "w.bin").unlink()
    module = load(path)
    assert str(nodes_of(module)[0].type) == "f32[1,3]"
    assert why_different(onnx.load(path, load_external_data=False), to_proto(module)) is None
    assert 'tensor "w": cannot open "data/w.bin"' in why_not_read(path)


def test_data_at_an_offset_beyond_the_first_pages(tmp_path: Path) -> None:
    path = written(tmp_path, beside("data/w.bin", offset="100004"), b"\0" * 100004 + WEIGHTS.tobytes())
    assert np.array_equal(initializers_of(load(path))[0].value.array, WEIGHTS)


@pytest.mark.parametrize(
    "location",
    ["/etc/passwd", "../w.bin", "data/../../w.bin", "data/../w.bin", "..", ".", "\\w.bin", "..\\w.bin", "c:/w.bin"],
)
def test_locations_that_may_leave_the_folder_are_refused_at_once(tmp_path: Path, location: str) -> None:
    path = written(tmp_path / "inner", beside(location))
    (tmp_path / "w.bin").write_bytes(b"head" + WEIGHTS.tobytes())
    with pytest.raises(ExternalDataError, match='m.onnx: tensor "w": the location .* is not inside the folder'):
        load(path)


@pytest.mark.parametrize(("location", "offset"), [("", "0"), ("a\0b", "0")])
def test_locations_that_are_none(tmp_path: Path, location: str, offset: str) -> None:
    with pytest.raises(ExternalDataError, match="no usable location"):
        load(written(tmp_path, beside(location, offset)))


@pytest.mark.parametrize("number", ["-4", "four", "", "1e3", "9" * 400, str(2**63), "٣"])
@pytest.mark.parametrize("which", ["offset", "length"])
def test_numbers_that_are_no_sizes(tmp_path: Path, number: str, which: str) -> None:
    path = written(tmp_path, beside("data/w.bin", **{which: number}))
    with pytest.raises(ExternalDataError, match=f'tensor "w": the {which} of its external data is .* no size'):
        load(path)


def test_offsets_and_lengths_that_do_not_fit(tmp_path: Path) -> None:
    path = written(tmp_path, beside("data/w.bin", offset="8"))
    assert why_not_read(path) == 'tensor "w": needs 24 bytes at offset 8, but "data/w.bin" has 28'
    path = written(tmp_path, beside("data/w.bin", offset=str(2**62)))
    assert "needs 24 bytes at offset 4611686018427387904" in why_not_read(path)
    path = written(tmp_path, beside("data/w.bin", length="20"))
    assert why_not_read(path) == 'tensor "w": needs 24 bytes, but states a length of 20'


def test_links_are_not_followed(tmp_path: Path) -> None:
    path = written(tmp_path / "inner", beside("data/w.bin"))
    data, outside = tmp_path / "inner" / "data" / "w.bin", tmp_path / "secret.bin"
    outside.write_bytes(data.read_bytes())
    data.unlink()
    data.symlink_to(outside)
    assert why_not_read(path) == 'tensor "w": "data/w.bin" is a link'
    data.unlink()
    os.link(outside, data)
    assert why_not_read(path) == 'tensor "w": "data/w.bin" is linked from elsewhere, or has just changed'
    data.unlink()
    (tmp_path / "inner" / "data").rmdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "w.bin").write_bytes(outside.read_bytes())
    (tmp_path / "inner" / "data").symlink_to(tmp_path / "elsewhere")
    assert why_not_read(path) == 'tensor "w": "data" is a link'


def test_what_is_no_plain_file(tmp_path: Path) -> None:
    path = written(tmp_path, beside("data"))
    assert why_not_read(path) == 'tensor "w": "data" is no plain file'
    os.mkfifo(tmp_path / "pipe")
    assert why_not_read(written(tmp_path, beside("pipe"))) == 'tensor "w": "pipe" is no plain file'
    assert why_not_read(written(tmp_path, beside("data/w.bin/x"))) == 'tensor "w": "data/w.bin" is no folder'


def test_a_model_without_a_folder() -> None:
    (weight,) = initializers_of(load(beside("data/w.bin")))
    with pytest.raises(ExternalDataError, match='its data is in "data/w.bin", and the model came without a folder'):
        weight.value.array  # noqa: B018


def test_a_proto_with_a_folder(tmp_path: Path) -> None:
    written(tmp_path, beside("data/w.bin"))
    assert np.array_equal(initializers_of(load(beside("data/w.bin"), tmp_path))[0].value.array, WEIGHTS)


def test_saving_beside_the_data_leaves_it_alone(tmp_path: Path) -> None:
    path = written(tmp_path, beside("data/w.bin", checksum="abc"))
    state = os.stat(tmp_path / "data" / "w.bin")
    save(load(path), tmp_path / "again.onnx")
    assert path.read_bytes() == (tmp_path / "again.onnx").read_bytes()
    assert os.stat(tmp_path / "data" / "w.bin") == state
    assert sorted(one.name for one in tmp_path.iterdir()) == ["again.onnx", "data", "m.onnx"]


def test_saving_elsewhere_takes_the_data_along(tmp_path: Path) -> None:
    path = written(tmp_path / "from", beside("data/w.bin"))
    (tmp_path / "to").mkdir()
    for _ in range(2):
        save(load(path), tmp_path / "to" / "m.onnx")
        loaded = onnx.load(tmp_path / "to" / "m.onnx")
        assert np.array_equal(onnx.numpy_helper.to_array(loaded.graph.initializer[0]), WEIGHTS)
    assert (tmp_path / "to" / "data" / "w.bin").read_bytes() == (tmp_path / "from" / "data" / "w.bin").read_bytes()
    (tmp_path / "from" / "data" / "w.bin").unlink()
    with pytest.raises(ExternalDataError, match='tensor "w": cannot open'):
        save(load(path), tmp_path / "to" / "m.onnx")


def test_a_file_in_the_way_of_the_data_is_not_overwritten(tmp_path: Path) -> None:
    path = written(tmp_path / "from", beside("data/w.bin"))
    other = tmp_path / "to" / "data" / "w.bin"
    other.parent.mkdir(parents=True)
    for content in (b"precious", (WEIGHTS + 1).tobytes()):
        other.write_bytes(content)
        with pytest.raises(
            ExportError, match='keeps data in "data/w.bin", and another file of that name is in its new'
        ):
            save(load(path), tmp_path / "to" / "m.onnx")
        assert other.read_bytes() == content and not (tmp_path / "to" / "m.onnx").exists()


def test_a_model_does_not_overwrite_its_own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = load(written(tmp_path, beside("data/w.bin")))
    content = (tmp_path / "data" / "w.bin").read_bytes()
    with pytest.raises(ExportError, match='"w.bin" holds data of the model'):
        save(module, tmp_path / "data" / "w.bin")
    monkeypatch.setattr("frontends.onnx.write_model.LARGEST_FILE", 0)
    (tmp_path / "m.onnx.data").write_bytes(content)
    with pytest.raises(ExportError, match='"m.onnx.data" holds data of the model'):
        save(load(written(tmp_path, beside("m.onnx.data"))), tmp_path / "m.onnx")
    assert (tmp_path / "m.onnx.data").read_bytes() == content


def test_a_weight_that_is_replaced_is_in_the_model(tmp_path: Path) -> None:
    module = load(written(tmp_path, beside("data/w.bin")))
    initializers_of(module)[0].value = Constant.of(WEIGHTS + 1, f32)
    save(module, tmp_path / "new.onnx")
    (tensor,) = onnx.load(tmp_path / "new.onnx", load_external_data=False).graph.initializer
    assert not tensor.external_data and np.array_equal(onnx.numpy_helper.to_array(tensor), WEIGHTS + 1)


def test_what_is_too_large_for_one_file_goes_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("frontends.onnx.write_model.LARGEST_FILE", 1000)
    proto = chain()
    proto.graph.initializer.add(name="large", data_type=F32, dims=[1000], raw_data=b"\1" * 4000)
    save(load(proto), tmp_path / "m.onnx")
    light = onnx.load(tmp_path / "m.onnx", load_external_data=False)
    assert external_data_helper.uses_external_data(light.graph.initializer[1])
    assert initializers_of(load(tmp_path / "m.onnx"))[1].value.array.tobytes() == b"\1" * 4000


def test_what_is_not_in_tensors_counts_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    proto = chain()
    proto.graph.initializer.add(name="large", data_type=F32, dims=[1000], raw_data=b"\1" * 4000)
    monkeypatch.setattr("frontends.onnx.write_model.LARGEST_FILE", proto.ByteSize() + 100)
    save(load(proto), tmp_path / "m.onnx")
    assert not (tmp_path / "m.onnx.data").exists()
    proto.doc_string = "x" * 200
    save(load(proto), tmp_path / "m.onnx")
    assert (tmp_path / "m.onnx.data").exists()


def test_a_failed_save_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(b"old")
    module = load(chain())
    nodes_of(module)[0].attributes["odd"] = object()
    with pytest.raises(ExportError):
        save(module, path)
    assert path.read_bytes() == b"old" and [one.name for one in tmp_path.iterdir()] == ["m.onnx"]
