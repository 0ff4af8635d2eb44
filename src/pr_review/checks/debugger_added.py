"""A statement that stops the program in a debugger."""

from __future__ import annotations

from pr_review.checks.check import CheckInput, finding, line_spot
from pr_review.checks.statements import JAVASCRIPT, RUBY, added, rules
from pr_review.domain.finding import Finding, Severity

NAME = "debugger-added"

_END = r"[ \t]*(?:[;#/}].*|$)"
_PDB = r"(?:i?pdb|pudb|wdb|bpdb)"
_RULES = rules(
    (
        (".py",),
        r"breakpoint\(\)",
        rf"(?:import {_PDB};[ \t]*)?(?:{_PDB}|web_pdb|remote_pdb|rpdb)\.set_trace\(",
        rf"from {_PDB} import set_trace\b",
        r"(?:import IPython;[ \t]*)?IPython\.embed\(",
    ),
    (JAVASCRIPT, rf"debugger{_END}"),
    (RUBY, rf"(?:binding\.(?:pry|irb|break|b|remote_pry)|byebug|debugger){_END}"),
    ((".php",), r"(?:xdebug_break|dd)\("),
    ((".rs",), r"(?:let [\w: ]{1,80}= )?dbg!\("),
    ((".go",), r"runtime\.Breakpoint\(\)"),
    ((".ex", ".exs"), r"(?:require IEx;[ \t]*)?IEx\.pry\b"),
    ((".cs",), r"(?:System\.Diagnostics\.)?Debugger\.(?:Break|Launch)\(\)"),
    ((".dart",), r"debugger\(\)"),
    ((".r",), r"browser\(\)"),
    ((".jl",), r"(?:Main\.)?@(?:infiltrate|bp)\b"),
    ((".pl", ".pm"), r"\$DB::single[ \t]*=[ \t]*1"),
)


def run(given: CheckInput) -> tuple[Finding, ...]:
    """One finding for each statement that is added in code; one in a comment or string is none."""
    return tuple(
        finding(
            NAME,
            line_spot(file, line),
            severity=Severity.MEDIUM,
            category="correctness",
            title="A debugger statement is left in the code",
            body=f"{said} stops whoever runs this line, or prints what "
            "was meant for its author alone. Remove it.",
        )
        for file, line, said in added(given, _RULES)
    )
