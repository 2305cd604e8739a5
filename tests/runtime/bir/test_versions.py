"""Records of older versions: each field is read under the name that it had then, and means what it meant then."""

import json
from dataclasses import replace
from typing import Any, ClassVar

import pytest

from runtime.bir import bir_text, read_bir
from runtime.bir.read import read_streamed
from runtime.diagnostics import DiagnosticsError
from tests.runtime.sample_instructions import SampleActivation


class Moved(SampleActivation):
    """A sample whose kind had the name of its scale once, and others in other versions."""

    __slots__ = ()
    INFO: ClassVar = replace(
        SampleActivation.INFO,
        version=4,
        renames=(
            (2, "function", "scale"),
            (2, "scale", "factor"),
            (3, "scale", "word"),
            (4, "word", "kind"),
            (4, "factor", "scale"),
        ),
    )


class Merged(SampleActivation):
    """A sample with two renames to the name that a field has today."""

    __slots__ = ()
    INFO: ClassVar = replace(SampleActivation.INFO, version=3, renames=((2, "word", "kind"), (3, "function", "kind")))


def program(version: Any, fields: dict[str, Any]) -> str:
    mnemonic = str(Moved.INFO.mnemonic)
    record = {"op": mnemonic, "version": version, "results": [["%0", "f32[4,8]"]], "args": ["%a", "none"]}
    record["fields"] = fields
    function = {"name": "main", "args": [["%a", "f32[4,8]"]], "tensors": [], "body": [record]}
    return json.dumps({"format": "brewer-bir", "version": 1, "target": None, "functions": [function]})


def read(version: Any, fields: dict[str, Any], cls: type[SampleActivation] = Moved) -> SampleActivation:
    (inst,) = read_bir(program(version, fields), {str(cls.INFO.mnemonic): cls}).insts
    assert isinstance(inst, cls)
    return inst


@pytest.mark.parametrize(
    ("version", "fields"),
    [
        (1, {"function": "gelu", "scale": 0.5}),
        (1, {"scale": 0.5, "function": "gelu"}),
        (2, {"scale": "gelu", "factor": 0.5}),
        (3, {"word": "gelu", "factor": 0.5}),
        (4, {"kind": "gelu", "scale": 0.5}),
    ],
)
def test_each_version(version: int, fields: dict[str, Any]) -> None:
    inst = read(version, fields)
    assert (inst.kind, inst.scale) == ("gelu", 0.5)


@pytest.mark.parametrize(
    ("version", "fields", "expected"),
    [
        (1, {"function": "gelu", "factor": 1.0}, 'version 1 of `act` has no field "factor" yet'),
        (1, {"function": "gelu", "word": "gelu"}, 'version 1 of `act` has no field "word" yet'),
        (1, {"kind": "gelu"}, 'version 1 of `act` has no field "kind" yet'),
        (3, {"word": "gelu", "kind": "tanh"}, 'version 3 of `act` has no field "kind" yet'),
        (3, {"word": "gelu", "scale": 0.5}, 'version 3 of `act` has no field "scale" yet'),
        (3, {"word": "gelu", "function": 1}, 'no field of `act` is called "function"'),
        (4, {"word": "gelu"}, '`act` needs the field "kind"'),
        (5, {"kind": "gelu"}, "has version 5 here; this brewer knows versions 1 to 4"),
        (0, {"kind": "gelu"}, "has version 0 here; this brewer knows versions 1 to 4"),
        (True, {"kind": "gelu"}, "expected a version number, found true"),
        (1.0, {"function": "gelu"}, "expected a version number, found the number 1.0"),
        (2**70, {}, "help: the file was written by a newer brewer"),
    ],
)
def test_what_a_version_does_not_have(version: Any, fields: dict[str, Any], expected: str) -> None:
    with pytest.raises(DiagnosticsError) as caught:
        read(version, fields)
    assert expected.replace("`act`", f"`{Moved.INFO.mnemonic}`") in str(caught.value)


def test_two_old_names_of_one_field() -> None:
    for version, name in ((1, "word"), (1, "function"), (2, "function"), (3, "kind")):
        assert read(version, {name: "gelu"}, Merged).kind == "gelu"
    for version, names in ((1, ("word", "function")), (1, ("word", "kind")), (2, ("function", "kind"))):
        with pytest.raises(DiagnosticsError, match=r"error\[B031\]: version \d of `\w+` has no field"):
            read(version, dict.fromkeys(names, "gelu"), Merged)


class Grown(SampleActivation):
    """A sample whose kind must be given since version 3, as `word` then, and whose scale had other defaults."""

    __slots__ = ()
    INFO: ClassVar = replace(
        SampleActivation.INFO,
        version=5,
        renames=((4, "word", "kind"),),
        before=((2, "scale", 0.5), (3, "word", "tanh"), (5, "scale", 2.0)),
    )


@pytest.mark.parametrize(
    ("version", "fields", "expected"),
    [
        (1, {}, ("tanh", 0.5)),
        (2, {}, ("tanh", 2.0)),
        (3, {"word": "gelu"}, ("gelu", 2.0)),
        (4, {"kind": "gelu"}, ("gelu", 2.0)),
        (5, {"kind": "gelu"}, ("gelu", 1.0)),
        (1, {"word": "gelu"}, ("gelu", 0.5)),
        (1, {"scale": 3.0}, ("tanh", 3.0)),
        (2, {"word": "gelu", "scale": 1.0}, ("gelu", 1.0)),
    ],
)
def test_what_a_version_leaves_out(version: int, fields: dict[str, Any], expected: tuple[str, float]) -> None:
    for inst in (read(version, fields, Grown), read_in_pieces(version, fields, Grown)):
        assert (inst.kind, inst.scale) == expected


@pytest.mark.parametrize(
    ("version", "fields", "expected"),
    [
        (3, {}, '`act` needs the field "kind"'),
        (4, {"scale": 1.0}, '`act` needs the field "kind"'),
        (5, {}, '`act` needs the field "kind"'),
        (1, {"kind": "gelu"}, 'version 1 of `act` has no field "kind" yet'),
        (2, {"wrod": "gelu"}, 'no field of `act` is called "wrod"'),
        (1, {"word": "wrong"}, 'no word of "kind" is called "wrong"'),
        (6, {}, "has version 6 here; this brewer knows versions 1 to 5"),
    ],
)
def test_what_a_version_cannot_leave_out(version: int, fields: dict[str, Any], expected: str) -> None:
    with pytest.raises(DiagnosticsError) as caught:
        read(version, fields, Grown)
    assert expected.replace("`act`", f"`{Grown.INFO.mnemonic}`") in str(caught.value)


def test_records_of_several_versions_beside_each_other() -> None:
    found = json.loads(program(1, {}))
    body = found["functions"][0]["body"]
    stated: list[tuple[int, dict[str, Any]]] = [(5, {"kind": "gelu"}), (2, {}), (5, {"kind": "gelu"}), (1, {})]
    for index, (version, fields) in enumerate(stated, 1):
        body.append({**body[0], "version": version, "fields": fields, "results": [[f"%{index}", "f32[4,8]"]]})
    module = read_bir(json.dumps(found), {str(Grown.INFO.mnemonic): Grown})
    scales = [inst.scale for inst in module.insts if isinstance(inst, Grown)]
    assert scales == [0.5, 1.0, 2.0, 1.0, 0.5]


def test_what_was_left_out_is_written_in_the_newest_version() -> None:
    text = bir_text(read_bir(program(2, {}), {str(Grown.INFO.mnemonic): Grown}))
    (record,) = json.loads(text)["functions"][0]["body"]
    assert (record["version"], record["fields"]) == (5, {"kind": "tanh", "scale": 2.0})


def read_in_pieces(version: int, fields: dict[str, Any], cls: type[SampleActivation]) -> SampleActivation:
    """The version stands behind the fields, as in files of other tools, and a piece ends within them."""
    text = program(version, fields)
    (inst,) = read_streamed(iter([text[:100], text[100:170], text[170:]]), {str(cls.INFO.mnemonic): cls}).insts
    assert isinstance(inst, cls)
    return inst
