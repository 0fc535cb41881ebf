"""Arguments of a request: of its query, and of a form, URL-encoded or in parts; the last one of a name counts.

Everything is read in memory, and the bytes of a value stay as they are.
"""

from __future__ import annotations

from urllib.parse import parse_qsl

from treevote.errors import extra
from treevote.serve.answers import RequestError

with extra("serve", "a server needs python-multipart"):
    from python_multipart.exceptions import FormParserError
    from python_multipart.multipart import MultipartParser, parse_options_header

MAX_ARGUMENTS = 100


def arguments(query: bytes, content_type: str, body: bytes) -> dict[str, str]:
    """Return the arguments of a query and of the body; RequestError if they cannot be read, or are not UTF-8."""
    found = _encoded(query, "query")
    if not body:
        return found
    kind, options = parse_options_header(content_type)
    if kind == b"multipart/form-data" and options.get(b"boundary"):
        return found | _parts(options[b"boundary"], body)
    if kind == b"application/x-www-form-urlencoded":
        return found | _encoded(body, "form")
    raise RequestError(
        400,
        f"Unsupported content type '{content_type[:80]}'; send application/x-www-form-urlencoded, or "
        "multipart/form-data with its boundary.",
    )


def _encoded(text: bytes, where: str) -> dict[str, str]:
    if not text.isascii():
        remedy = "send it with --data-urlencode of curl, or as multipart/form-data"
        raise RequestError(400, f"Cannot read the {where}: expected percent-encoded text, found other bytes; {remedy}.")
    try:
        pairs = parse_qsl(text.decode(), True, errors="strict", max_num_fields=MAX_ARGUMENTS)
    except UnicodeDecodeError as error:
        raise _not_utf8(where, error) from None
    except ValueError:
        raise RequestError(400, f"Cannot read the {where}: expected at most {MAX_ARGUMENTS} arguments.") from None
    return dict(pairs)


def _parts(boundary: bytes, body: bytes) -> dict[str, str]:
    """Return the arguments of a form in parts, by the name in the header ``Content-Disposition``."""
    found: list[tuple[bytearray, bytearray]] = []  # headers as lines, value
    ended: list[bool] = []

    def begin() -> None:
        if len(found) == MAX_ARGUMENTS:
            raise ValueError
        found.append((bytearray(), bytearray()))

    callbacks = {
        "on_part_begin": begin,
        "on_header_field": lambda data, start, end: found[-1][0].extend(data[start:end]),
        "on_header_value": lambda data, start, end: found[-1][0].extend(b":" + data[start:end]),
        "on_header_end": lambda: found[-1][0].extend(b"\n"),
        "on_part_data": lambda data, start, end: found[-1][1].extend(data[start:end]),
        "on_end": lambda: ended.append(True),
    }
    try:
        parser = MultipartParser(boundary, callbacks)  # type: ignore[arg-type]
        parser.write(body)
        if not ended:
            raise ValueError
        return {_name(bytes(headers)): value.decode() for headers, value in found}
    except UnicodeDecodeError as error:
        raise _not_utf8("form", error) from None
    except (FormParserError, ValueError, LookupError):
        problem = f"Cannot read the form: expected at most {MAX_ARGUMENTS} whole parts with names."
        raise RequestError(400, problem) from None


def _not_utf8(where: str, error: UnicodeDecodeError) -> RequestError:
    byte = error.object[error.start]
    return RequestError(400, f"Cannot read the {where}: expected UTF-8, found the byte 0x{byte:02X}; convert the text.")


def _name(headers: bytes) -> str:
    for line in headers.splitlines():
        field, _, value = line.partition(b":")
        if field.strip().lower() == b"content-disposition":
            return parse_options_header(value)[1][b"name"].decode()
    raise ValueError
