"""Running text of any bytes: it is parsed, its output is a treebank, and it can be rebuilt."""

from __future__ import annotations

from random import Random

from tests.campaigns.bench import READS, Bench
from tests.campaigns.campaign import Fault, Material, settings, with_settings
from tests.campaigns.models import ill_formed
from tests.campaigns.strings import HOSTILE
from treevote.commands.parse import parse_files, write_text
from treevote.conll.reader import read
from treevote.errors import InputError

PIECES = (
    "Dogs can't bark.",
    "DOGS",
    " ",
    "  ",
    "\n",
    "\n\n",
    "\r\n",
    "\n \n",
    "\t",
    ". ",
    "! ",
    "\u3000",
    "\xa0",
    "a",
    "#",
)


class RunningText:
    """Parses text of all kinds, with chunks of any length."""

    limit = 60.0
    memory: int | None = 2 << 30

    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    def make(self, rng: Random) -> Material:
        kind = rng.randrange(4)
        if kind == 0:
            text = rng.randbytes(rng.randrange(1, 400))
        else:
            known = (*PIECES, *HOSTILE) if kind == 1 else PIECES
            text = "".join(rng.choice(known) for _ in range(rng.randrange(1, 60))).encode("utf-8", "surrogateescape")
        if rng.random() < 0.1:
            piece = rng.choice((*PIECES, *HOSTILE)).encode("utf-8", "surrogateescape")
            text += piece * (rng.randrange(1, 40_000) // len(piece))
        return with_settings({"text": text}, format=rng.choice(("text", "lines")), size=rng.randrange(1, 20_000))

    def check(self, material: Material) -> list[Fault]:
        asked, model = settings(material), self.bench.model(READS)
        source, whole, cut, back = (self.bench.scratch / f"running-text.{name}" for name in ("txt", "1", "2", "back"))
        source.write_bytes(material["text"])
        try:
            parse_files(model, [source], whole, format=asked["format"])
        except InputError as error:
            known = "found none" in str(error) or "the file is UTF-" in str(error)
            return [] if known else [Fault("difference", "text is refused only if it has no words", str(error))]
        parse_files(model, [source], cut, format=asked["format"], chunk_bytes=asked["size"])
        faults = []
        if whole.read_bytes() != cut.read_bytes():
            faults.append(Fault("difference", "chunks make no difference", ""))
        if write_text(whole, back, lines=False).different or back.read_bytes() != material["text"]:
            faults.append(Fault("lost", "a text can be rebuilt", repr(back.read_bytes())[:500]))
        return [*faults, *ill_formed(read(whole, format="conllu"))]
