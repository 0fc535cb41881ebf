"""Files of the checkout that tests read."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parent.parent
"""The checkout."""

TOY = ROOT / "data" / "toy.conllu"
"""The toy treebank."""
