"""A program for every operation of the graph: the example of its definition, or one written here.

Deliberately absent: expectations.
"""

from __future__ import annotations

from typing import Final

from tests.definition_examples import programs_of

_OF: Final = {
    "Activation": ("%x: f32[4]", "f32[4]", "graph.activation tanh %x"),
    "Binary": ("%x: f32[4], %y: f32[4]", "f32[4]", "graph.binary max %x, %y"),
    "Cast": ("%x: f32[4]", "i32[4]", "graph.cast %x"),
    "Constant": ("", "f32[2]", "graph.constant {value = dense<[1.0, 2.0]>}"),
    "Input": ("", "f32[4]", 'graph.input "x"'),
    "Param": ("", "f32[4]", 'graph.param "w"'),
    "EighBackward": (
        "%l: f32[3], %v: f32[3,3], %d: f32[3], %u: f32[3,3]",
        "f32[3,3]",
        "graph.eigh_backward %l, %v upstream %d, %u",
    ),
    "EighBatchBackward": (
        "%l: f32[2,3], %v: f32[2,3,3], %d: f32[2,3], %u: f32[2,3,3]",
        "f32[2,3,3]",
        "graph.eigh_batch_backward %l, %v upstream %d, %u",
    ),
    "FusedTransformerLayer": (
        "%x: f32[2,3,4], %q: f32[4,12], %o: f32[4,4], %g: f32[4], %f: f32[4,8], %h: f32[8,4], %m: f32[2,3]",
        "f32[2,3,4]",
        "graph.fused_transformer_layer gelu %x, %q, %o, %g, %f, %h, %g mask %m heads 2 of 2 eps 1.0e-3, 1.0e-3",
    ),
    "LogEigBackward": (
        "%l: f32[3], %v: f32[3,3], %u: f32[3,3]",
        "f32[3,3]",
        "graph.log_eig_backward %l, %v upstream %u epsilon 1.0e-3",
    ),
    "ReEigBackward": (
        "%l: f32[3], %v: f32[3,3], %u: f32[3,3]",
        "f32[3,3]",
        "graph.re_eig_backward %l, %v upstream %u epsilon 1.0e-3",
    ),
    "SpdBatchNormBackwardG": (
        "%x: f32[2,3,3], %m: f32[3,3], %b: f32[3,3], %u: f32[2,3,3]",
        "f32[3,3]",
        "graph.spd_batch_norm_backward_g %x mean %m bias %b upstream %u epsilon 1.0e-3",
    ),
    "SpdBatchNormBackwardX": (
        "%m: f32[3,3], %b: f32[3,3], %u: f32[2,3,3]",
        "f32[2,3,3]",
        "graph.spd_batch_norm_backward_x mean %m bias %b upstream %u epsilon 1.0e-3",
    ),
    "SpdExpMapBackward": (
        "%b: f32[3,3], %t: f32[3,3], %u: f32[3,3]",
        "f32[3,3], f32[3,3]",
        "graph.spd_exp_map_backward %b, %t upstream %u",
    ),
    "SpdLogMapBackward": (
        "%b: f32[3,3], %t: f32[3,3], %u: f32[3,3]",
        "f32[3,3], f32[3,3]",
        "graph.spd_log_map_backward %b, %t upstream %u",
    ),
    "SpdMatrixFnBatchBackward": (
        "%x: f32[2,3,3], %u: f32[2,3,3]",
        "f32[2,3,3]",
        "graph.spd_matrix_fn_batch_backward sqrtm %x upstream %u",
    ),
    "SpdParallelTransportBackward": (
        "%t: f32[3,3], %s: f32[3,3], %e: f32[3,3], %u: f32[3,3]",
        "f32[3,3], f32[3,3], f32[3,3]",
        "graph.spd_parallel_transport_backward %t from %s to %e upstream %u",
    ),
}
"""Arguments, types of results and text of the operations whose definitions have no example."""


def program_of(name: str) -> str:
    """Return a program with an operation in f32."""
    if name in _OF:
        arguments, types, text = _OF[name]
        results = [f"%r{at}: {type}" for at, type in enumerate(types.replace(" ", "").replace(",f", " f").split())]
        names = ", ".join(each.split(":")[0] for each in results)
        return f"func @main({arguments}) {{\n  {', '.join(results)} = {text}\n  return {names}\n}}\n"
    return programs_of("graph", name)[0].replace("f64[", "f32[")
