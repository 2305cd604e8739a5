"""Bytes that are read and written, counted by hand."""

from passes.auto_mixed_precision import AutoMixedPrecision
from passes.precision.report import PrecisionReport
from passes.precision.traffic import Traffic, traffic_of
from runtime import parse


def of(text: str) -> Traffic:
    return traffic_of(parse(text).root_function.insts)


def reported(text: str, policy: str) -> PrecisionReport:
    transform = AutoMixedPrecision(policy=policy)
    transform.runOnModule(parse(text))
    return transform.report


def test_operands_and_results_count_where_they_are_read_and_written() -> None:
    text = """
        func @main(%x: f32[2,3], %w: f32[3,4]) {
          %y: f32[2,4] = graph.matmul %x, %w
          %c: bool[2,4] = graph.compare lt %y, %y
          return %c
        }
        """
    assert of(text) == Traffic(24 + 48 + 32 + 32 + 32 + 8)


def test_regions_count_by_what_stands_in_them_and_sizes_may_be_unknown() -> None:
    text = """
        func @main(%p: bool[], %x: f32[2], %u: f32[?]) {
          %r: f32[2] = graph.if %p then {
            %0: f32[2] = graph.activation neg %x
            yield %0
          } else {
            yield %x
          }
          %v: f32[?] = graph.activation neg %u
          return %r, %v
        }
        """
    assert of(text) == Traffic(16, unknown=2)


def test_the_report_has_them_before_and_after() -> None:
    text = """
        func @main(%x: f32[4]) {
          %a: f32[4] = graph.activation relu %x
          %b: f32[4] = graph.activation relu %a
          return %b
        }
        """
    report = reported(text, "always-f16")
    assert (report.before.bytes, report.after.bytes) == (64, 24 + 16 + 16 + 24)
    report = reported(text, "always-f32")
    assert report.before == report.after == Traffic(64)


def test_a_widening_that_nobody_reads_any_more_is_removed() -> None:
    text = """
        func @main(%h: f16[4]) {
          %x: f32[4] = graph.cast %h
          %a: f32[4] = graph.activation relu %x
          return %a
        }
        """
    report = reported(text, "always-f16")
    assert (report.inserted, report.shared, report.removed) == (1, 1, 1)  # the cast of %a
    report = reported(text, "autocast-f16")  # the program asked for f32
    assert (report.inserted, report.removed) == (0, 0)
