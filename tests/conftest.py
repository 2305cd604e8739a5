"""What every test run gets: the `--update` option, a reproducible hypothesis, all processors, and no silent skips."""

import signal

import pytest
from hypothesis import HealthCheck, settings

# Reproducible by default; `--hypothesis-profile=search` looks for new counter-examples with fresh seeds. The machines
# that run the tests are shared, so neither a slow example nor a slow draw says anything.
UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.register_profile("reproducible", UNTIMED, derandomize=True)
settings.register_profile("search", UNTIMED, max_examples=2_000)
settings.load_profile("reproducible")


MOST_WORKERS = 8
"""Each imports the front ends and collects all tests, for half a gigabyte and some seconds."""


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Lets a run of the whole suite use all processors; `-n 0` says no, and `-n 4` how many.

    A run of chosen paths or words starts sooner in one process. Benchmarks compare times, so they have the machine for
    themselves; a debugger and output that is not captured need the terminal.
    """
    option = config.option
    is_chosen = option.keyword or getattr(option, "lf", False)  # which `-p no:cacheprovider` takes away
    is_whole = config.args_source is config.ArgsSource.TESTPATHS and not is_chosen
    is_shareable = "not bench" in option.markexpr and not (option.usepdb or option.capture == "no" or option.update)
    if is_whole and is_shareable and option.numprocesses is None and not hasattr(config, "workerinput"):
        option.numprocesses, option.maxprocesses, option.dist = "auto", MOST_WORKERS, "worksteal"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Lets the longest tests begin first: a run of many takes as long as the worker that is done last."""
    items.sort(key=lambda item: item.get_closest_marker("first") is None)


def pytest_configure() -> None:
    """Hands Ctrl-C on to the programs that tests start; what runs in the background of a shell ignores it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update", action="store_true", help="rewrite the expectations of data-driven cases; read the diff afterwards"
    )


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """Whether expectations are rewritten in this run."""
    return bool(request.config.getoption("--update"))


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Fails a run in which a test was skipped: what cannot run everywhere is deselected by a marker, in plain sight."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or exitstatus != pytest.ExitCode.OK or not reporter.stats.get("skipped"):
        return
    reporter.write_line("")
    reporter.write_line("skipped tests fail the run: mark them long, corpus or bench instead", red=True)
    session.exitstatus = pytest.ExitCode.TESTS_FAILED
