"""The figures of the corpus on small models, against figures that were counted by hand."""

from pathlib import Path

import pytest
from onnx import ModelProto, helper, parser

from tests.case_files import CaseFile, read_case_files
from tests.corpus.graph_view import all_nodes, name_nodes, view_of
from tests.corpus.measure import measure
from tests.corpus.work import Execution, multiply_adds

CASES = read_case_files(Path(__file__).parent / "cases")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.path.stem)
def test_cases(case: CaseFile, update: bool) -> None:
    source, _, rest = case.input.partition("// converted\n")
    converted, _, runs = rest.partition("// executions\n")
    figures = measure(parser.parse_model(source), parser.parse_model(converted), _executions(runs))
    case.check(f"{figures}\n", update)


def test_shares_are_whole_where_nothing_is_heavy() -> None:
    model = parser.parse_model('<ir_version: 8, opset_import: ["" : 17]> g (float[1] x) => (float[1] y) {y = Neg(x)}')
    figures = measure(model, model, {})
    assert (figures.low_share_of_nodes, figures.low_share_of_work) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("op_type", "operands", "results", "expected"),
    [
        ("MatMul", [(2, 3), (3, 5)], [(2, 5)], 30),
        ("MatMul", [(7, 2, 3), (3, 5)], [(7, 2, 5)], 210),
        ("MatMul", [(3,), (3, 5)], [(5,)], 15),
        ("MatMul", [(3,), (3,)], [()], 3),
        ("Gemm", [(2, 3), (3, 5), (5,)], [(2, 5)], 30),
        ("Gemm", [(3, 2), (5, 3)], [(2, 5)], 30),  # both transposed
        ("Conv", [(1, 3, 8, 8), (4, 3, 3, 3), (4,)], [(1, 4, 6, 6)], 4 * 36 * 27),
        ("Conv", [(1, 4, 8, 8), (4, 1, 3, 3)], [(1, 4, 6, 6)], 4 * 36 * 9),  # a group for each channel
        ("Conv", [(2, 6, 10), (4, 3, 5)], [(2, 4, 6)], 2 * 4 * 6 * 15),  # two groups, one dimension
        ("ConvTranspose", [(1, 4, 5, 5), (4, 2, 2, 2)], [(1, 2, 10, 10)], 4 * 25 * 8),
        ("LSTM", [(7, 2, 3), (1, 20, 3), (1, 20, 5)], [(7, 1, 2, 5), (1, 2, 5), (1, 2, 5)], 7 * 2 * (60 + 100)),
        ("GRU", [(7, 2, 3), (2, 15, 3), (2, 15, 5)], [(7, 2, 2, 5)], 7 * 2 * 2 * (45 + 75)),  # both directions
        ("RNN", [(1, 1, 3), (1, 5, 3), (1, 5, 5)], [(1, 1, 1, 5)], 15 + 25),
    ],
)
def test_multiply_adds(
    op_type: str, operands: list[tuple[int, ...]], results: list[tuple[int, ...]], expected: int
) -> None:
    assert multiply_adds(helper.make_node(op_type, [], []), Execution(tuple(operands), tuple(results))) == expected


def test_what_is_not_counted_is_refused() -> None:
    with pytest.raises(ValueError, match="Relu is not counted"):
        multiply_adds(helper.make_node("Relu", [], []), Execution(((1,), (1,)), ((1,),)))


def test_every_node_gets_a_name_of_its_own_and_keeps_one_that_it_has() -> None:
    model = parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]>
        g (float[1] x, bool c) => (float[1] y) {
            [same] a = Neg(x)
            [same] b = Neg(a)
            [node_2] d = Neg(b)
            y = If(c) <then_branch = t () => (float[1] r) {r = Neg(d)}, else_branch = e () => (float[1] s) {s = Abs(d)}>
        }""")
    name_nodes(model)
    names = [node.name for node in all_nodes(model)]
    assert names[0] == "same" and names[2] == "node_2"
    assert len(set(names)) == len(names) == 6 and all(names)


def test_an_omitted_operand_is_no_value() -> None:
    model = parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]>
        g (float[1] x, float high) => (float[1] y) {y = Clip(x, , high)}""")
    (node,) = view_of(model).nodes
    assert [operand and operand.name for operand in node.operands] == ["x", None, "high"]


def test_a_circle_of_nodes_has_no_order_and_is_measured_as_it_stands() -> None:
    source = parser.parse_model('<ir_version: 8, opset_import: ["" : 17]> g (float[1] x) => (float[1] y) {y = Neg(x)}')
    circle: ModelProto = parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]>
        g (float[1] x) => (float[1] y) {
            a = Cast<to = 10>(b)
            b = Cast<to = 1>(a)
            y = Neg(b)
        }""")
    assert measure(source, circle, {}).new_casts == 2


def _executions(text: str) -> dict[str, list[Execution]]:
    """Return what lines such as `name 2x3 3x4 -> 2x4` say."""
    found: dict[str, list[Execution]] = {}
    for line in text.splitlines():
        name, *shapes = line.replace("->", " ").split()
        operands, results = line.partition("->")[0].split()[1:], line.partition("->")[2].split()
        assert len(operands) + len(results) == len(shapes)
        found.setdefault(name, []).append(Execution(_shapes(operands), _shapes(results)))
    return found


def _shapes(texts: list[str]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(map(int, text.split("x"))) for text in texts)
