"""A short seed of every campaign; `python -m tests.campaigns` runs them for longer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.campaigns.bench import Bench
from tests.campaigns.campaign import Fault, Finding, faults_of, generator, kept
from tests.campaigns.catalogue import CAMPAIGNS
from tests.campaigns.planted import Planted
from tests.campaigns.runner import Plan, Runner, as_table

SEED = 0

CASES = {
    "inputs": 16,
    "models": 6,
    "signals": 1,
    "environments": 1,
    "strings": 4,
    "text": 8,
    "jobs": 1,
    "scorers": 5,
}
"""Cases of each campaign."""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    room = tmp_path_factory.mktemp("campaigns")
    return Bench(room / "models", room)


@pytest.mark.parametrize(
    "name",
    [
        *("inputs", "strings", "text", "scorers"),
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("signals", "environments", "jobs")),
    ],
)
def test_no_case_of_a_short_campaign_has_a_fault(bench: Bench, name: str) -> None:
    campaign = CAMPAIGNS[name](bench)
    for case in range(CASES[name]):
        assert not faults_of(campaign, campaign.make(generator(SEED, name, case))), f"case {case}"


@pytest.mark.slow
def test_no_case_with_forged_models_has_a_fault_in_a_process_that_may_die(bench: Bench) -> None:
    findings = bench.scratch / "findings"
    plan = Plan(["models"], bench.scratch, findings, SEED, seconds=600, cases=CASES["models"])
    counts = Runner(plan, {"models": 60.0}).run()["models"]
    assert counts["cases"] == CASES["models"], as_table({"models": counts})
    assert not counts["findings"], sorted(path.name for path in findings.rglob("*"))


@pytest.mark.parametrize("name", ["inputs", "models", "strings", "text", "scorers", "signals", "environments", "jobs"])
def test_a_case_is_made_of_its_seed_and_number_alone(bench: Bench, name: str) -> None:
    one, other = CAMPAIGNS[name](bench), CAMPAIGNS[name](bench)
    numbers = range(3)
    made = [one.make(generator(1, name, number)) for number in numbers]
    assert made == [other.make(generator(1, name, number)) for number in reversed(numbers)][::-1]
    assert all(made[0] != more for more in made[1:])


def test_a_finding_comes_back_from_its_folder(tmp_path: Path) -> None:
    finding = Finding("inputs", 1, 2, Fault("lost", "a law", "é\udc80"), {"text": b"\xff\x00", "settings.json": b"{}"})
    assert kept(finding.keep(tmp_path)) == finding


@pytest.mark.slow
@pytest.mark.parametrize("deed", ["crash", "hang", "traceback", "lost"])
def test_dead_stuck_and_failing_cases_are_kept_and_the_rest_is_run(tmp_path: Path, deed: str) -> None:
    plan = Plan(["planted"], tmp_path, tmp_path / "findings", SEED, 60, cases=3, treebanks=tmp_path / deed)
    counts = Runner(plan, {"planted": 2.0}).run()["planted"]
    assert (counts["findings"], counts[deed]) == (1, 1)
    assert counts["cases"] == (2 if deed in ("crash", "hang") else 3)
    (place,) = (path.parent for path in plan.findings.rglob("finding.json"))
    found = kept(place)
    assert (found.case, found.fault.kind) == (1, deed)
    assert found.material == Planted(Bench(tmp_path, tmp_path, tmp_path / deed)).make(generator(SEED, "planted", 1))
    assert deed != "hang" or "planted.py" in found.fault.seen
