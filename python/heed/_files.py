"""What all readers and writers share: errors, strict JSON, files that are written whole or not at all."""
from __future__ import annotations

import gzip
import importlib
import itertools
import json
import os
import tempfile
import zlib
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO, Dict, Iterator, List, NoReturn, Tuple, Union

PathLike = Union[str, "os.PathLike[str]"]

MAX_LINE = 16 << 20  # bytes of a line of JSON Lines, as dialog/data/corpus.cc has it
MAX_JSON = 1 << 30  # bytes of a file that is one JSON value


class HeedError(Exception):
    """Everything that this package raises on its own account."""


class DataError(HeedError):
    """A file or a value that breaks a rule: one line with the file (and the line) and the rule."""


def extra(name: str) -> ModuleType:
    """The optional package `name`; HeedError says how to install it where it is missing."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        if error.name != name:
            raise
        raise HeedError(f"this needs {name}, which is not installed: pip install {name}") from None


def _unique(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f'"{next(n for n in names if names.count(n) > 1)}" is given twice')
    return found


def _not_json(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def parse_json(text: Union[str, bytes], where: str) -> Any:
    """The value; DataError begins with `where` for text that is not UTF-8 or not strict JSON
    (NaN, keys given twice, depths that Python cannot follow)."""
    try:
        text = text if isinstance(text, str) else text.decode("utf-8-sig")  # heed skips it, too
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_not_json)
    except RecursionError:
        raise DataError(f"{where}: nested too deeply") from None
    except UnicodeDecodeError as error:
        raise DataError(f"{where}: not UTF-8 at byte {error.start}") from None
    except ValueError as error:
        raise DataError(f"{where}: {error}") from None


@contextmanager
def opened(path: PathLike) -> Iterator[BinaryIO]:
    """For reading; gzip is told by the first bytes, not by the name. DataError for what the
    system or a damaged gzip file answers, in the block as well."""
    try:
        with open(path, "rb") as file:
            magic = file.read(2)
            file.seek(0)
            yield gzip.GzipFile(fileobj=file) if magic == b"\x1f\x8b" else file  # type: ignore[misc]
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{os.fspath(path)}: {getattr(error, 'strerror', None) or error}") from None


def read_bytes(path: PathLike, most: int) -> bytes:
    """All of a file; DataError where that is more than `most` bytes."""
    data = bytearray()
    with opened(path) as file:
        for piece in iter(lambda: file.read(1 << 20), b""):  # read(most) would reserve as much at once
            data += piece
            if len(data) > most:
                raise DataError(f"{os.fspath(path)}: more than {most >> 20} MiB")
    return bytes(data)


def read_json(path: PathLike) -> Dict[str, Any]:
    """A file that is one JSON object."""
    value = parse_json(read_bytes(path, MAX_JSON), os.fspath(path))
    if not isinstance(value, dict):
        raise DataError(f"{os.fspath(path)}: expected a JSON object")
    return value


def read_json_lines(path: PathLike) -> Iterator[Tuple[str, Dict[str, Any]]]:
    """Pairs of FILE:LINE, for messages, and the object of that line. Blank lines are skipped."""
    with opened(path) as file:
        for number in itertools.count(1):
            where = f"{os.fspath(path)}:{number}"
            line = file.readline(MAX_LINE + 1)
            if not line:
                return
            if len(line) > MAX_LINE:
                raise DataError(f"{where}: longer than {MAX_LINE >> 20} MiB")
            if not line.strip():
                continue
            value = parse_json(line, where)
            if not isinstance(value, dict):
                raise DataError(f"{where}: expected a JSON object")
            yield where, value


@contextmanager
def written_whole(path: PathLike) -> Iterator[BinaryIO]:
    """A file for writing that takes its name when the block ends without an error, and else
    leaves nothing: written beside it, synced, renamed. gzip where the name ends in .gz."""
    target = Path(path)
    try:
        if target.exists() and not target.is_file():
            raise DataError(f"{target}: exists and is not a regular file")
        handle, name = tempfile.mkstemp(prefix=f"{target.name}.tmp-", dir=target.parent)
    except OSError as error:
        raise DataError(f"{target}: {error.strerror}") from None
    try:
        with os.fdopen(handle, "wb") as file:
            if target.suffix == ".gz":
                with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
                    yield packed  # type: ignore[misc]
            else:
                yield file
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)  # mkstemp() makes files that only their owner can read
        os.replace(name, target)
    except BaseException as error:
        if os.path.exists(name):
            os.unlink(name)
        if isinstance(error, OSError) and error.filename in (None, name):  # a full disk
            raise DataError(f"{target}: {error.strerror}") from None
        raise
