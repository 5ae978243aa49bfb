"""The command line: parse, call the library, render, exit. Only the command that was asked for is built."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any, Final, NoReturn

__all__ = ["COMMANDS", "GROUPS", "build", "main"]

COMMANDS: Final = {
    "run": "llmeval.cli.run",
    "regrade": "llmeval.cli.regrade",
    "list": "llmeval.cli.listing",
    "cases": "llmeval.cli.cases",
    "init": "llmeval.cli.init",
    "import": "llmeval.cli.importing",
}
"""Each command's module; its function is `command`."""

GROUPS: Final = {
    "report": (
        "Show, list, compare and export reports.",
        {
            "show": "llmeval.cli.report",
            "list": "llmeval.cli.report",
            "diff": "llmeval.cli.diffing",
            "export": "llmeval.cli.exporting",
        },
    ),
    "schema": (
        "Print the JSON Schema of a file format.",
        {"dataset": "llmeval.cli.schema", "report": "llmeval.cli.schema"},
    ),
}
"""Each group of commands: its help, and its commands' modules, whose functions are `show_command` and so on."""

HELP: Final = "Know, before you deploy, whether a change made your LLM application better or worse."


def main() -> NoReturn:
    """Runs the command line of this process and exits."""
    _occupy_closed_streams()
    debug = "--debug" in sys.argv[1:]
    if debug:
        sys.argv.remove("--debug")
    try:
        code = _run(sys.argv[1:])
    except Exception as error:
        if debug:
            raise
        _explain(error)
    except KeyboardInterrupt:
        _leave(130)
    _leave(code if isinstance(code, int) else 0)


def _occupy_closed_streams() -> None:
    """Opens the null device in place of a standard stream that is closed, lest a journal's file takes its number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _run(arguments: list[str]) -> object:
    if not _completing():
        from llmeval.cli.direct import direct

        if (command := direct(arguments)) is not None:
            return command()
    if arguments[:2] == ["report", "export"]:
        from llmeval.cli.exporting import explicit

        arguments = explicit(arguments)
    return build(_asked(arguments))(arguments, prog_name="llmeval", standalone_mode=False)


def build(asked: tuple[str, ...] = ()) -> Any:
    """Returns the Typer application with the command `asked`, or with all of them when that is none of its names."""
    import typer

    app = typer.Typer(
        help=HELP,
        no_args_is_help=True,
        add_completion=asked == (),
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    first = asked[0] if asked else None

    @app.callback(invoke_without_command=first is None)
    def options(version: bool = typer.Option(False, "--version", help="Print the version and exit.")) -> None:
        if version:
            from llmeval import __version__

            typer.echo(__version__)
            raise typer.Exit

    for name, module in COMMANDS.items():
        if first in (None, name):
            app.command(name)(import_module(module).command)
    for name, (text, commands) in GROUPS.items():
        if first in (None, name):
            group = typer.Typer(help=text, no_args_is_help=True, rich_markup_mode=None)
            second = asked[1] if len(asked) > 1 else None
            for command, module in commands.items():
                if second not in commands or command == second:
                    group.command(command)(getattr(import_module(module), f"{command}_command"))
            group.callback()(_group)
            app.add_typer(group, name=name)
    return app


def _group() -> None:
    """Makes a group of one command stay a group."""


def _asked(arguments: list[str]) -> tuple[str, ...]:
    """Returns the command that the arguments begin with; nothing where completion, help or a mistake needs them all."""
    if _completing():
        return ()
    if not arguments or (arguments[0] not in COMMANDS and arguments[0] not in GROUPS):
        return ()
    return tuple(arguments[:2])


def _completing() -> bool:
    return "_LLMEVAL_COMPLETE" in os.environ


def _explain(error: Exception) -> NoReturn:
    """Says on stderr what was wrong and exits with 2; an error that is nobody's mistake says how to report it."""
    from llmeval.errors import ConfigurationError
    from llmeval.secrets import mask

    if isinstance(error, BrokenPipeError):
        _leave(141)
    if isinstance(error, ConfigurationError):
        _say(mask(f"llmeval: {error}"))
        _leave(2)
    if hasattr(error, "format_message"):  # a mistake on the command line itself
        text = error.format_message()
        _say(text if type(error).__name__ == "NoArgsIsHelpError" else f"llmeval: {mask(text)} (see llmeval --help)")
        _leave(2)
    _say(mask(f"llmeval: {type(error).__name__}: {error} (--debug shows where)"))
    _leave(2)


def _say(text: str) -> None:
    from llmeval.render.console import echo

    try:
        echo(text, sys.stderr)
    except (OSError, ValueError):
        return


def _leave(code: int) -> NoReturn:
    """Exits with `code`; what stdout still holds is dropped where nobody reads it any more."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    _wait_for_threads(code)
    raise SystemExit(code)


def _wait_for_threads(code: int) -> None:
    """Waits a moment for threads that Python would wait for without end, then exits without them."""
    import threading

    others = [thread for thread in threading.enumerate() if not thread.daemon and thread is not threading.main_thread()]
    for thread in others:
        thread.join(1)
    loops = sys.modules.get("llmeval.loops")
    if any(thread.is_alive() for thread in others) or (loops is not None and loops.stuck):
        import atexit

        atexit._run_exitfuncs()  # what the application wants done at its end, such as sending its traces
        os._exit(code)
