"""``python -m tests.campaigns``: run campaigns, or a finding again."""

from __future__ import annotations

import argparse
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.campaigns.bench import Bench, model_names
from tests.campaigns.catalogue import CAMPAIGNS
from tests.campaigns.runner import ROOT, Plan, Runner, as_table, replay


def main() -> int:
    """Run what the command line asks for; the exit code is 1 if there are findings."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns", description="Attack treevote at random.")
    parser.add_argument("--seconds", type=float, default=600.0, help="how long (default 600)")
    parser.add_argument("--cases", type=int, help="cases of each campaign, instead of a time")
    parser.add_argument("--seed", type=int, default=0, help="of all that is random (default 0)")
    parser.add_argument("--jobs", type=int, default=1, help="campaigns at the same time (default 1)")
    parser.add_argument("--only", default=",".join(CAMPAIGNS), help="campaigns, separated by commas")
    parser.add_argument("--findings", type=Path, default=Path("findings"), help="folder for findings")
    parser.add_argument("--treebanks", type=Path, help="folder of real treebanks to take sentences from")
    parser.add_argument("--replay", type=Path, metavar="FINDING", help="run a kept finding again")
    asked = parser.parse_args()
    if asked.replay is not None:
        return min(1, replay(asked.replay))
    names = asked.only.split(",")
    if strange := [name for name in names if name not in CAMPAIGNS]:
        parser.error(f"unknown campaign {strange[0]}; known: {', '.join(CAMPAIGNS)}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # workers are ended, too
    room = Path(tempfile.mkdtemp(prefix="campaigns-"))
    try:
        print("training tiny models", flush=True)
        limits = prepare(room / "models", names)
        seconds = 1e9 if asked.cases is not None else asked.seconds
        treebanks = None if asked.treebanks is None else asked.treebanks.resolve()
        plan = Plan(names, room, asked.findings.resolve(), asked.seed, seconds, asked.cases, asked.jobs, treebanks)
        counts = Runner(plan, limits).run()
    finally:
        shutil.rmtree(room, ignore_errors=True)
    print(as_table(counts))
    return int(any(row["findings"] for row in counts.values()))


def prepare(models: Path, names: list[str]) -> dict[str, float]:
    """Train all models in a process of their own; return the limits of the campaigns."""
    code = "import sys; from tests.campaigns.__main__ import train; train(sys.argv[1])"
    subprocess.run([sys.executable, "-c", code, models], check=True, cwd=ROOT)
    return {name: CAMPAIGNS[name](Bench(models, models.parent / "scratch")).limit for name in names}


def train(models: str) -> None:
    """Train all models."""
    for name in model_names():
        Bench(Path(models), Path(models)).model(name)


if __name__ == "__main__":
    sys.exit(main())
