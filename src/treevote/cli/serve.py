"""Arguments of ``treevote serve``."""

from __future__ import annotations

import functools
from typing import Annotated

from treevote.cli import options
from treevote.cli.signals import handled_inside

_limit = functools.partial(options.guard, metavar="<N>", min=1)


def serve(
    models: Annotated[
        list[str],
        options.argument("<MODEL>...", "Models; the first one is the default. NAME=MODEL gives a model another name."),
    ],
    host: Annotated[
        str, options.machine(metavar="<ADDRESS>", help="Address to listen at; 0.0.0.0 is reachable by other machines.")
    ] = "127.0.0.1",
    port: Annotated[int, options.machine(metavar="<N>", min=0, max=65535, help="Port; 0 takes any free one.")] = 8001,
    jobs: Annotated[
        int, options.machine("--jobs", "-j", metavar="<N>", min=1, help="Number of processes that parse.")
    ] = 2,
    max_size: Annotated[
        int, _limit(metavar="<MIB>", help="Largest request in MiB; a larger one is refused (413).")
    ] = 4,
    max_time: Annotated[
        int, _limit(metavar="<SECONDS>", help="Longest time for an answer; what takes longer is refused (503).")
    ] = 60,
    max_queue: Annotated[int, _limit(help="Number of requests that may wait; more are refused (429).")] = 64,
    max_connections: Annotated[int, _limit(help="Number of open connections; more are refused (503).")] = 256,
    train: Annotated[
        int,
        _limit(min=0, help="Number of models that clients of Arborator-Grew may train; with 0 they are refused (403)."),
    ] = 0,
    train_time: Annotated[
        int, _limit(metavar="<SECONDS>", help="Longest time of a training; a longer one is stopped.")
    ] = 600,
    nfc: Annotated[
        bool,
        options.input("--nfc", help="Normalize texts to NFC, as UDPipe does; without it they come back unchanged."),
    ] = False,
) -> None:
    """Serve models over HTTP.

    The server has the interface of UDPipe, and a page at / that shows the vote. A request reads no file and writes
    none; only models of --train are written, into a temporary folder that is removed at the end. After Ctrl-C,
    SIGTERM or SIGHUP the server finishes the requests under way.
    """
    from ipaddress import ip_address
    from urllib.parse import urlsplit

    from treevote.parallel import jobs_here
    from treevote.serve.app import Server, run
    from treevote.serve.catalogue import Catalogue
    from treevote.serve.limits import Limits
    from treevote.terminal import say, warn

    limits = Limits(max_size, max_time, max_queue, max_connections, jobs_here(jobs), train, train_time)
    server = Server(Catalogue.of(models), limits, nfc=nfc)

    def started(url: str) -> None:
        if not ip_address(str(urlsplit(url).hostname)).is_loopback:
            warn(f"{host} may be reachable by other machines, and the server asks for no password")
        say(f"serving {', '.join(server.catalogue.models)} at {url}")

    with handled_inside():
        run(server, host, port, started=started)
    say("stopped")
