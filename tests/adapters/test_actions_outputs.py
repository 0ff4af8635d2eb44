"""Outputs, summary and reports, read back as the runner reads them."""

from __future__ import annotations

import json
import os
import resource
import stat
from pathlib import Path

import pytest

from pr_review.adapters.actions.outputs import (
    CUT,
    SUMMARY_LIMIT_BYTES,
    create_report,
    write_outputs,
    write_summary,
)
from pr_review.errors import PublishError
from tests.shared import shared


def as_runner(path: Path) -> dict[str, str]:
    """The outputs in a file, read as the runner reads them; fails where it would."""
    lines = path.read_bytes().decode("utf-8").split("\n")
    found: dict[str, str] = {}
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if not line:
            continue
        heredoc, plain = line.find("<<"), line.find("=")
        if heredoc < 0 or 0 <= plain < heredoc:
            assert plain > 0, f"invalid format: {line!r}"
            found[line[:plain]] = line[plain + 1 :]
            continue
        end = lines.index(line[heredoc + 2 :], at)
        found[line[:heredoc]] = "\n".join(lines[at:end])
        at = end + 1
    return found


def test_b14_output_file_injection(tmp_path: Path) -> None:
    values = json.loads(shared("cases/b14-output-file-injection/values.json").read_text())
    expected = json.loads(shared("cases/b14-output-file-injection/expected.json").read_text())
    path = tmp_path / "output"
    write_outputs(path, values)
    assert as_runner(path) == values
    assert list(as_runner(path)) == expected["names"]


def test_the_delimiter_is_new_for_each_value(tmp_path: Path) -> None:
    path = tmp_path / "output"
    write_outputs(path, {"a": "", "b": ""})
    first, second = (line for line in path.read_text().split("\n") if "<<" in line)
    assert first.split("<<")[1] != second.split("<<")[1]


def test_a_value_that_holds_the_delimiter_gets_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = iter(["one", "two"])
    monkeypatch.setattr("secrets.token_hex", lambda size: next(tokens))
    path = tmp_path / "output"
    write_outputs(path, {"a": "x\nend-one\nb=c"})
    assert as_runner(path) == {"a": "x\nend-one\nb=c"}


def test_a_lone_surrogate_does_not_end_the_run(tmp_path: Path) -> None:
    path = tmp_path / "output"
    write_outputs(path, {"a": "caf\udce9"})
    write_outputs(path, {"b": "2"})
    assert as_runner(path) == {"a": "caf\ufffd", "b": "2"}


@pytest.mark.parametrize("name", ["", "a=b", "a\nb", "a<<b", "1a"])
def test_a_name_is_ours_or_a_bug(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="not the name"):
        write_outputs(tmp_path / "output", {name: "x"})


def test_without_a_file_nothing_is_written() -> None:
    write_outputs(None, {"a": "b"})
    write_summary(None, "# text")


def test_an_unwritable_file_is_exit_7(tmp_path: Path) -> None:
    missing = tmp_path / "missing" / "file"
    with pytest.raises(PublishError, match="GITHUB_OUTPUT") as caught:
        write_outputs(missing, {"a": "b"})
    assert caught.value.exit_code == 7
    with pytest.raises(PublishError, match="GITHUB_STEP_SUMMARY"):
        write_summary(missing, "x")


def test_a_short_summary_is_appended_whole(tmp_path: Path) -> None:
    path = tmp_path / "summary"
    write_summary(path, "# One")
    write_summary(path, "two\n")
    assert path.read_text() == "# One\ntwo\n"


def test_b14_a_long_summary_is_cut_at_a_line_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "summary"
    write_summary(path, "first\n")
    line = "é" * 49 + "\n"
    write_summary(path, line * 20_000)
    data = path.read_bytes()
    assert SUMMARY_LIMIT_BYTES - 1_000 < len(data) <= SUMMARY_LIMIT_BYTES
    head, _, tail = data.decode().rpartition("\n\n")
    assert tail == f"**{CUT}**\n"
    assert head.removeprefix("first\n").strip("\n").split("\n")[-1] + "\n" == line


@pytest.mark.parametrize("spare", [0, 1])
def test_b14_to_the_byte_a_summary_that_just_fits_is_whole(tmp_path: Path, spare: int) -> None:
    """The limit counts bytes, of all that the steps of a job wrote into the file."""
    path = tmp_path / "summary"
    text = "naïve\n" * 10
    path.write_bytes(b"x" * (SUMMARY_LIMIT_BYTES - len(text.encode()) - spare))
    write_summary(path, text)
    assert path.stat().st_size == SUMMARY_LIMIT_BYTES - spare
    assert path.read_bytes().endswith(text.encode())


def test_b14_one_byte_more_is_cut_and_said(tmp_path: Path) -> None:
    path = tmp_path / "summary"
    text = "naïve\n" * 100
    path.write_bytes(b"x" * (SUMMARY_LIMIT_BYTES - len(text.encode()) + 1))
    write_summary(path, text)
    assert path.stat().st_size <= SUMMARY_LIMIT_BYTES
    assert path.read_text().endswith(f"naïve\n\n\n**{CUT}**\n")


def test_b14_where_there_is_no_room_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "summary"
    for size in (SUMMARY_LIMIT_BYTES, SUMMARY_LIMIT_BYTES + 7):
        path.write_bytes(b"x" * size)
        write_summary(path, "words\n")
        assert path.stat().st_size == size


@pytest.mark.parametrize("fence", ["```", "~~~~", "`````"])
def test_a_cut_inside_a_fence_closes_it(tmp_path: Path, fence: str) -> None:
    path = tmp_path / "summary"
    write_summary(path, f"```\nclosed\n```\n{fence}diff\n" + "+ line\n" * 200_000)
    assert path.read_text().endswith(f"+ line\n{fence}\n\n**{CUT}**\n")


def test_a_full_summary_stays_under_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "summary"
    for _ in range(3):
        write_summary(path, "x\n" * 600_000)
    assert path.stat().st_size <= SUMMARY_LIMIT_BYTES
    assert path.read_text().endswith(f"**{CUT}**\n")


def test_reports_are_new_files_that_later_steps_can_read(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        first = create_report(tmp_path, "pr-review.json", b"1", checkout=None)
        second = create_report(tmp_path, "pr-review.json", b"2", checkout=None)
    finally:
        os.umask(before)
    assert (first.name, first.read_bytes()) == ("pr-review.json", b"1")
    assert (second.name, second.read_bytes()) == ("pr-review-2.json", b"2")
    assert stat.S_IMODE(first.stat().st_mode) == 0o644


def test_a_planted_symlink_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    (tmp_path / "pr-review.json").symlink_to(victim)
    path = create_report(tmp_path, "pr-review.json", b"1", checkout=None)
    assert path.name == "pr-review-2.json"
    assert not victim.exists()


def test_reports_do_not_go_into_the_checkout(tmp_path: Path) -> None:
    checkout = tmp_path / "work"
    (checkout / "sub").mkdir(parents=True)
    (tmp_path / "temp").symlink_to(checkout / "sub")
    for folder in (checkout, checkout / "sub", tmp_path / "temp"):
        with pytest.raises(PublishError, match="checkout"):
            create_report(folder, "r.json", b"", checkout=checkout)
    assert create_report(tmp_path, "r.json", b"", checkout=checkout).parent == tmp_path


def test_a_missing_folder_is_exit_7(tmp_path: Path) -> None:
    with pytest.raises(PublishError, match=r"r\.json"):
        create_report(tmp_path / "no", "r.json", b"", checkout=None)


def test_a_hundred_reports_are_enough(tmp_path: Path) -> None:
    for _ in range(100):
        create_report(tmp_path, "r.json", b"", checkout=None)
    with pytest.raises(PublishError, match="100 reports"):
        create_report(tmp_path, "r.json", b"", checkout=None)


def test_a_report_that_does_not_fit_is_exit_7(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, hard))
    try:
        with pytest.raises(PublishError, match=r"cannot write r\.json"):
            create_report(tmp_path, "r.json", b"x" * 4096, checkout=None)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(tmp_path.iterdir()) == []
