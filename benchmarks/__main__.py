"""``python -m benchmarks``: measure the figures of the documentation, and write them into its pages."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.experiments import EXPERIMENTS
from benchmarks.systems import compared, plain, systems
from benchmarks.tables import PAGES, STORE, as_markdown, rendered, store, stored, versions
from benchmarks.trade_offs import PICTURE, picture
from treevote.files.streams import writing


def main(arguments: list[str] | None = None) -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    figures = commands.add_parser("figures", help="measure the tables of the documentation, and store them")
    figures.add_argument("--data", type=Path, required=True, help="folder with the folders of the treebanks, somewhere")
    figures.add_argument("--only", nargs="+", choices=EXPERIMENTS, default=list(EXPERIMENTS), metavar="TABLE")
    figures.add_argument("-o", "--output", type=Path, required=True, help="folder: models and parses, made once")
    figures.add_argument("--store", type=Path, default=STORE, help="folder of the results (default: the repository's)")
    commands.add_parser("write", help="write the stored tables into README and docs")
    compare = commands.add_parser("compare", help="all systems, UDPipe 1 among them, on a treebank of your own")
    for name in ("train", "dev", "test"):
        compare.add_argument(f"--{name}", type=Path, required=True, help="treebank, CoNLL-U")
    compare.add_argument("-o", "--output", type=Path, required=True, help="folder: models and parses, made once")
    compare.add_argument("--udpipe", default="", help="options of its parser, such as iterations=1;hidden_layer=200")
    compare.add_argument("--rounds", type=int, default=3, help="how often each command runs (default 3)")
    compare.add_argument("--repeat", type=int, default=8, help="how often the test file is parsed over (default 8)")
    asked = parser.parse_args(arguments)
    if asked.command == "figures":
        programs = versions()  # before hours of work
        for name in asked.only:
            print(f"{name}", file=sys.stderr, flush=True)
            treebanks, experiment = EXPERIMENTS[name]
            store(asked.store / f"{name}.json", treebanks, programs, experiment(asked.data, asked.output))
    elif asked.command == "write":
        tables = stored()
        with writing(PICTURE) as stream:
            stream.write(picture(tables["trade-offs"]).encode())
        for page in PAGES:
            with writing(page) as stream:
                stream.write(rendered(page.read_text("utf-8"), tables).encode())
    else:
        for name in ("train", "dev", "test"):
            plain(getattr(asked, name), asked.output / f"{name}.conllu")
        print(as_markdown(compared(asked.output, systems(asked.udpipe), asked.rounds, asked.repeat)))


if __name__ == "__main__":
    main()
