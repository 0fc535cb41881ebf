"""The campaigns by name."""

from __future__ import annotations

from collections.abc import Callable

from tests.campaigns.bench import Bench
from tests.campaigns.campaign import Campaign
from tests.campaigns.environments import Environments
from tests.campaigns.inputs import Inputs
from tests.campaigns.jobs import Jobs
from tests.campaigns.models import Models
from tests.campaigns.planted import Planted
from tests.campaigns.running_text import RunningText
from tests.campaigns.scorers import Scorers
from tests.campaigns.signals import Signals
from tests.campaigns.strings import Strings

CAMPAIGNS: dict[str, Callable[[Bench], Campaign]] = {
    "inputs": Inputs,
    "models": Models,
    "signals": Signals,
    "environments": Environments,
    "strings": Strings,
    "text": RunningText,
    "jobs": Jobs,
    "scorers": Scorers,
}
"""Name to campaign."""


def campaign_of(name: str, bench: Bench) -> Campaign:
    """Return a campaign; besides those of the catalogue there is that with planted faults."""
    return Planted(bench) if name == "planted" else CAMPAIGNS[name](bench)
