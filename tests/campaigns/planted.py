"""A campaign with planted faults, each with a known report of the runner."""

from __future__ import annotations

import os
import time
from random import Random

from tests.campaigns.bench import Bench
from tests.campaigns.campaign import Fault, Material


class Planted:
    """Dies, hangs or raises in its second case, as its folder of treebanks is called; the others are good."""

    limit = 5.0
    memory: int | None = None

    def __init__(self, bench: Bench) -> None:
        self.deed = "" if bench.treebanks is None else bench.treebanks.name
        self.made = -1

    def make(self, rng: Random) -> Material:
        return {"number": b"%d" % rng.randrange(10**6), "deed": self.deed.encode()}

    def check(self, material: Material) -> list[Fault]:
        self.made += 1
        if self.made == 1:
            match self.deed:
                case "crash":
                    os.abort()
                case "hang":
                    time.sleep(1000)
                case "traceback":
                    raise ValueError("planted")
                case deed:
                    return [Fault("lost", "planted", deed)]
        return []
