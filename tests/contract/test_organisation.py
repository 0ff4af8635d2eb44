"""docs/organisation.md calls a workflow that starts as the README's does, and adds up right."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
import yaml

from pr_review.adapters.llm.providers import cache_mark
from pr_review.agents.catalogue import NAMES
from pr_review.agents.policy import Verify
from pr_review.agents.quote import ANSWER_TOKENS, MOST_VERIFY_TOKENS, cost, family_factor
from tests.commands.test_rest_calls import MOST
from tests.contract import documents
from tests.contract.test_cost import MODEL, PRICING, SIZES, worked
from tests.standins import workflow

PAGE = "docs/organisation.md"
TEXT = " ".join(documents.text(PAGE).split())
CALLED, CALLER, GATEWAY = (
    yaml.safe_load(block)
    for block in re.findall(r"```yaml\n(.*?)```", documents.text(PAGE), re.DOTALL)
)
ON = True  # `on` is a word for true in YAML 1.1
RUNS, HOURS = 3_000, 8


def started(event: str, payload: dict[str, Any]) -> workflow.Started | None:
    """What GitHub makes of the two: the events of one, and the job of the other."""
    [job] = CALLED["jobs"].values()
    text = yaml.safe_dump(
        {ON: CALLER[ON], "permissions": job["permissions"], "jobs": {"review": job}}
    )
    payload = {"pull_request": {}, "issue": {}, "comment": {}, **payload}
    return workflow.start(text, event, payload, {"gateway-key": "sk-planted"}, "ghs_x")


def test_both_workflows_together_start_as_the_readmes_does() -> None:
    opened = started("pull_request", {"action": "opened", "pull_request": {"number": 7}})
    assert opened is not None
    assert (opened.group, opened.cancels) == ("review-7", True)
    assert opened.inputs["api-key"] == "sk-planted"
    asked = {"action": "created", "issue": {"number": 7}, "comment": {"body": "/review"}}
    commanded = started("issue_comment", asked)
    assert commanded is not None
    assert (commanded.group, commanded.cancels) == ("review-7", False)
    assert started("issue_comment", {**asked, "comment": {"body": "Nice"}}) is None


def test_the_caller_gives_the_rights_and_the_secret_that_the_called_one_needs() -> None:
    [called], [caller] = CALLED["jobs"].values(), CALLER["jobs"].values()
    assert called["permissions"] == CALLER["permissions"]
    assert set(caller["secrets"]) == set(CALLED[ON]["workflow_call"]["secrets"])
    assert "`review / review`" in TEXT
    assert (list(CALLER["jobs"]), list(CALLED["jobs"])) == (["review"], ["review"])


def test_the_gateway_has_the_model_that_is_asked_for_and_keeps_its_mark() -> None:
    [job] = CALLED["jobs"].values()
    model = job["steps"][0]["with"]["model"]
    assert [entry["model_name"] for entry in GATEWAY["model_list"]] == [model.partition("/")[2]]
    assert cache_mark(model) is not None
    assert cache_mark("openai/claude-sonnet-4-5") is None


def amounts() -> dict[str, float]:
    """What a run takes, by the figures of docs/cost.md."""
    factor = family_factor(MODEL)
    sent, shared = math.ceil(SIZES.first[0] * factor), math.ceil(SIZES.shared * factor)
    verified = math.ceil(MOST_VERIFY_TOKENS * factor)
    agents = len(NAMES)
    dollars = (
        cost(sent, ANSWER_TOKENS, PRICING, written=shared),
        *[cost(sent, ANSWER_TOKENS, PRICING, cached=shared)] * (agents - 1),
        cost(verified, ANSWER_TOKENS, PRICING),
    )
    return {
        "Runs": 1,
        "Runner minutes, image pulled": 1,
        "Runner minutes, image built": 2,
        "REST calls, at most": MOST,
        "Requests to the model": agents + 1,
        "Tokens in": agents * sent + verified,
        "Tokens out": (agents + 1) * ANSWER_TOKENS,
        "US dollars": round(sum(part or 0.0 for part in dollars), 4),
    }


@pytest.mark.parametrize("row", documents.table("A thousand pull requests a day", PAGE))
def test_the_table_adds_up(row: tuple[str, ...]) -> None:
    what, run, day, hour = row
    each = amounts()[what]
    money = what == "US dollars"
    assert run == (f"{each:.4f}" if money else f"{each:,}")
    assert day == (f"{each * RUNS:,.2f}" if money else f"{each * RUNS:,}")
    hourly = each * RUNS / HOURS
    assert hour == (f"{hourly:,.2f}" if money else f"{hourly:,.0f}")


def test_what_is_said_of_the_table_follows_from_it() -> None:
    hourly = RUNS / HOURS
    assert f"{math.ceil(hourly / 60)} at once on average, with the image built" in TEXT
    assert f"with the image built {math.ceil(2 * hourly / 60)};" in TEXT
    assert f"which is {1_000 // MOST} runs" in TEXT
    assert f"15,000, which is {15_000 // MOST:,}." in TEXT
    minutely = amounts()["Tokens in"] * hourly / 60
    assert f"are {minutely:,.0f} in a minute" in TEXT
    assert f"{SIZES.shared / SIZES.first[0]:.0%}".replace("%", " %") + " is one prefix" in TEXT
    [job] = CALLED["jobs"].values()
    ceiling = job["steps"][0]["with"]["max-cost-usd"]
    assert f"`max-cost-usd: {ceiling}` on every run bounds the day at ${ceiling * RUNS:,}" in TEXT
    least, repaired = (worked(0, repair=repair, verify=Verify.HIGH).usd for repair in (False, True))
    assert least is not None
    assert repaired is not None
    assert least < ceiling < repaired, "without repeats and repairs"
