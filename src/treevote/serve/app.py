"""The server: its routes, and what every answer and every fault has in common. The door to starlette and uvicorn."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from types import FrameType
from typing import Any, TypeAlias

from treevote.errors import ConfigError, InputError, TreevoteError, extra
from treevote.serve import page, pictures, udpipe, votes
from treevote.serve.answers import TEXT, Answer, RequestError, as_json
from treevote.serve.arborator import Arborator, failure
from treevote.serve.catalogue import Catalogue, warmed
from treevote.serve.disconnect import DisconnectWatch
from treevote.serve.form import arguments
from treevote.serve.inception import RelationWork
from treevote.serve.limits import Limits
from treevote.serve.metrics import Metrics
from treevote.serve.queue import Queue, Work
from treevote.serve.texts import ParsedText
from treevote.serve.trainings import Trainings
from treevote.serve.worker import handled, place_of

with extra("serve", "a server needs starlette and uvicorn"):
    import uvicorn
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import Response
    from starlette.routing import Route

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
"""Headers of every answer: a browser runs and fetches nothing of another origin, and keeps nothing."""

LOG = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"sentence": {"format": "treevote: %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "sentence"}},
    "loggers": {
        "uvicorn": {"handlers": ["stderr"], "level": "WARNING", "propagate": False},
        "python_multipart": {"level": "CRITICAL"},
    },
}
"""What uvicorn says, and how: warnings, as those of treevote; nothing of forms that cannot be read."""

SHORT_FORM = 1 << 14
"""Length in bytes up to which a form is read at once: handing it to a thread takes longer."""

Handler: TypeAlias = Callable[[Request], Awaitable[Answer]]


class Server:
    """Models, the queue of their work, and the answers to requests."""

    def __init__(self, catalogue: Catalogue, limits: Limits, *, nfc: bool = False) -> None:
        self.catalogue, self.limits, self.nfc = catalogue, limits, nfc
        self.queue = Queue(limits, [partial(warmed, model.stored) for model in catalogue.models.values()])
        self.metrics, self.trainings = Metrics(), Trainings(limits)
        self.arborator = Arborator(catalogue, self.queue, self._parsed, self.trainings)

    def application(self, started: Callable[[], object] = lambda: None) -> Starlette:
        """Return the server as an ASGI application, which tells when it is started."""

        @asynccontextmanager
        async def lifespan(_: Starlette) -> AsyncIterator[None]:
            started()
            yield

        routes = [
            self._route("/health", _plain(lambda: Answer(b"ok\n", TEXT)), "GET"),
            self._route("/metrics", _plain(lambda: self.metrics.answer(len(self.queue))), "GET"),
            self._route("/models", _plain(partial(udpipe.models, self.catalogue)), "GET", "POST"),
            self._route("/process", self._process, "GET", "POST"),
            self._route("/parse", self._asked(partial(votes.parsed, self.catalogue, self._parsed, self.nfc)), "POST"),
            self._route("/draw", self._draw, "POST"),
            self._route("/{model}/predict", self._predict, "POST"),
            self._route("/{model}/train", self._train, "POST"),
            self._route("/parser/models/list", _plain(self.arborator.models), "GET", told=failure),
            self._route("/parser/models/list/{project:path}/{model}", self._remove, "DELETE", told=failure),
            self._route("/parser/models/train/start", self._asked(self.arborator.start_training), "POST", told=failure),
            self._route("/parser/models/train/status", self._asked(self.arborator.training), "POST", told=failure),
            self._route("/parser/models/parse/start", self._asked(self.arborator.start_parse), "POST", told=failure),
            self._route("/parser/models/parse/status", self._asked(self.arborator.parse), "POST", told=failure),
            *(self._route(f"/{name}", _plain(partial(Answer, *own)), "GET") for name, own in page.files().items()),
        ]
        application = Starlette(routes=routes, exception_handlers={HTTPException: self._other}, lifespan=lifespan)
        application.router.redirect_slashes = False  # a redirect names the host that the client named
        return application

    async def _process(self, request: Request) -> Answer:
        body = await self._body(request)
        kind = request.headers.get("content-type", "")
        query = request.scope["query_string"]
        is_short = len(body) <= SHORT_FORM
        given = arguments(query, kind, body) if is_short else await asyncio.to_thread(arguments, query, kind, body)
        return await udpipe.process(self.catalogue, self._parsed, given, nfc=self.nfc)

    async def _parsed(self, work: Work, data: bytes) -> ParsedText:
        """Return the result of work on a text, and count its sentences."""
        found: ParsedText = await self.queue.run(work, data)
        self.metrics.parsed(found.sentences, found.tokens)
        return found

    async def _draw(self, request: Request) -> Answer:
        return as_json(await self.queue.run(pictures.draw, await self._body(request)))

    async def _predict(self, request: Request) -> Answer:
        model = self.catalogue.find(request.path_params["model"])
        return Answer((await self._parsed(RelationWork(model.stored), await self._body(request))).json)

    async def _train(self, request: Request) -> Answer:
        self.catalogue.find(request.path_params["model"])
        await self._body(request)
        return Answer(b"", TEXT, 204)

    async def _remove(self, request: Request) -> Answer:
        return self.arborator.remove(request.path_params["project"], request.path_params["model"])

    def _asked(self, answer: Callable[[Mapping[str, Any]], Awaitable[Answer]]) -> Handler:
        """Return the handler of requests in JSON."""

        async def handler(request: Request) -> Answer:
            return await answer(votes.asked(await self._body(request)))

        return handler

    async def _body(self, request: Request) -> bytes:
        headers = request.headers
        body = await self.limits.body(request.stream(), headers.get("content-length"), headers.get("expect"))
        request.state.watch.is_read = True
        if (coding := headers.get("content-encoding", "identity")) != "identity":
            raise RequestError(415, f"Unsupported content encoding '{coding[:80]}'; send the content as it is.")
        return body

    def _route(
        self, path: str, handler: Handler, *methods: str, told: Callable[[RequestError], Answer] = RequestError.told
    ) -> Route:
        async def endpoint(request: Request) -> Response:
            start = time.monotonic()
            self.metrics.begun()
            answer = Answer(b"", TEXT, 499)  # the client has gone, and nobody reads it
            request.state.watch = watch = DisconnectWatch(request.is_disconnected)
            try:
                with watch.cancelling():
                    answer = await _answered(handler, request, told)
            finally:
                self.metrics.answered(path, answer.status, time.monotonic() - start)
            return response_of(answer)

        return Route(path, endpoint, methods=list(methods))

    async def _other(self, request: Request, fault: Exception) -> Response:
        """Return the answer to an unknown path or method."""
        assert isinstance(fault, HTTPException)
        self.metrics.begun()
        self.metrics.answered("other", fault.status_code, 0.0)
        told = failure if request.url.path.startswith("/parser/models/") else RequestError.told
        response = response_of(told(RequestError(fault.status_code, f"{fault.detail}.")))
        response.headers.update(fault.headers or {})
        return response


def _plain(answer: Callable[[], Answer]) -> Handler:
    """Return the handler of requests that have no content."""

    async def handler(_: Request) -> Answer:
        return answer()

    return handler


async def _answered(handler: Handler, request: Request, told: Callable[[RequestError], Answer]) -> Answer:
    """Return the answer of a handler, or its fault as it is told: one sentence; a bug is told without content."""
    try:
        return await handler(request)
    except RequestError as refusal:
        return told(refusal)
    except ConfigError as lack:  # of a library that is not installed
        return told(RequestError(501, f"{lack}."))
    except InputError as fault:
        return told(RequestError(400, f"Cannot read input data: {fault}."))
    except TreevoteError as fault:  # of a model that is gone, for instance; it names paths
        print(f"treevote: {fault}", file=sys.stderr)
        return told(RequestError(503, "The server cannot do this now; its log tells why."))
    except UnicodeEncodeError:
        return told(RequestError(400, "Expected a text that can be UTF-8, found half of a character."))
    except ClientDisconnect:
        return told(RequestError(400, "The request broke off."))
    except Exception as bug:
        print(f"treevote: internal error: {place_of(bug)}", file=sys.stderr)
        return told(RequestError(500, "Internal error; the log of the server names the place."))


def response_of(answer: Answer) -> Response:
    """Return an answer with the headers that all have."""
    again = {"Retry-After": str(answer.wait)} if answer.wait else {}
    return Response(answer.body, answer.status, {**HEADERS, "Content-Type": answer.media_type, **again})


def run(server: Server, host: str, port: int, *, started: Callable[[str], object]) -> None:
    """Serve until a signal comes; then requests under way are finished, and no new ones are taken."""
    limits = server.limits
    with listening(host, port) as door:
        address, number = door.getsockname()[:2]
        url = f"http://{f'[{address}]' if ':' in address else address}:{number}/"
        config = uvicorn.Config(
            server.application(partial(started, url)),
            loop="auto",  # uvloop where it is installed
            http="h11",  # httptools, a little faster, has no limit on the size of headers
            ws="none",
            lifespan="on",  # it starts when signals are uvicorn's already
            log_config=LOG,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            limit_concurrency=limits.connections + 1,  # it refuses as soon as there are so many
            timeout_graceful_shutdown=limits.seconds,
        )
        try:
            server.queue.start()
            serving = uvicorn.Server(config)

            def stop(number: int, frame: FrameType | None) -> None:
                serving.should_exit = True

            hangup: Any = getattr(signal, "SIGHUP", None)
            is_ignored = hangup is None or signal.getsignal(hangup) is signal.SIG_IGN
            with nullcontext() if is_ignored else handled(hangup, stop):  # it ends the server as SIGTERM does
                serving.run([door])
        finally:
            server.queue.close()
            server.trainings.close()


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address, and sends without delay; ConfigError if that cannot be."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        door = socket.create_server((str(address[0]), port), family=family)
    except OSError as fault:
        reason = (fault.strerror or str(fault)).partition(" (")[0]  # behind it Python repeats the address
        problem = f"cannot listen at {host!r}, port {port}: {reason}"
        raise ConfigError(f"{problem}; choose another --host or --port") from None
    door.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # also of its connections: an answer has two parts
    return door
