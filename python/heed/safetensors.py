"""The safetensors container: 8 bytes with the length of the header, a JSON header, raw
little-endian numbers (docs/files.md). Our own 60 lines, as in `nn/safetensors.cc`: the package
`safetensors` would be one more thing to install, and it has no BF16 for NumPy."""
from __future__ import annotations

import json
import os
import struct
from typing import Any, Dict, Mapping, Optional

import numpy as np

from heed._files import DataError, PathLike, parse_json, read_bytes, written_whole

_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "I16": "<i2",
          "I8": "i1", "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "u1", "BOOL": "?"}
_NAMES = {np.dtype(code): name for name, code in _TYPES.items() if name != "BF16"}
_MAX_HEADER, _MAX_FILE = 100 << 20, 64 << 30  # bytes; the first is the limit of the format


def _tensor(name: str, entry: Any, raw: memoryview, where: str) -> np.ndarray:
    """One tensor of the bytes behind the header, copied."""
    def check(ok: bool, rule: str) -> None:
        if not ok:
            raise DataError(f"{where}: tensor {json.dumps(name)}: {rule}")

    check(isinstance(entry, dict), "its entry is not an object")
    code, shape, span = (entry.get(key) for key in ("dtype", "shape", "data_offsets"))
    check(isinstance(code, str) and code in _TYPES, f"unknown dtype {json.dumps(code)}")
    for what, values in (("shape", shape), ("data_offsets", span)):
        check(isinstance(values, list) and all(type(n) is int and n >= 0 for n in values),
              f'"{what}" must be a list of whole numbers')
    check(len(span) == 2 and span[0] <= span[1] <= len(raw), "its data_offsets do not lie in the file")
    dtype, count = np.dtype(_TYPES[code]), 1
    for n in shape:
        count *= n  # Python's integers do not overflow
    check(count * dtype.itemsize == span[1] - span[0], "its data_offsets do not fit its shape")
    try:
        x = np.frombuffer(raw[span[0]:span[1]], dtype).reshape(shape)
    except ValueError as error:  # more axes than NumPy has, or longer ones beside an empty one
        raise DataError(f"{where}: tensor {json.dumps(name)}: {error}") from None
    if code == "BF16":  # the upper half of an f32
        return (x.astype("<u4") << 16).view("<f4")
    return x.copy()


def read_safetensors(path: PathLike) -> Dict[str, np.ndarray]:
    """All tensors of a file by name; BF16 becomes float32. DataError where the file is not one."""
    where = os.fspath(path)
    data = memoryview(read_bytes(path, _MAX_FILE))
    size = struct.unpack("<Q", data[:8])[0] if len(data) >= 8 else 0
    if not 2 <= size <= min(_MAX_HEADER, len(data) - 8):
        raise DataError(f"{where}: not a safetensors file: no header of a length that fits")
    header = parse_json(bytes(data[8:8 + size]), f"{where}: header")
    if not isinstance(header, dict):
        raise DataError(f"{where}: header: expected a JSON object")
    header.pop("__metadata__", None)
    return {name: _tensor(name, entry, data[8 + size:], where) for name, entry in header.items()}


def _bf16(x: np.ndarray) -> np.ndarray:
    """The upper half of each finite f32, rounded to the nearest, of two as near to the even one."""
    bits = x.view("<u4")
    return ((bits + (0x7FFF + ((bits >> 16) & 1))) >> 16).astype("<u2")


def write_safetensors(path: PathLike, tensors: Mapping[str, Any],
                      metadata: Optional[Mapping[str, str]] = None, bf16: bool = False) -> None:
    """NumPy arrays, or what NumPy makes arrays of, by name; float64 stays float64. The file is
    there whole or not at all. `bf16`: float32 is rounded to BF16, half the size, which heed reads
    as any other file."""
    header: Dict[str, Any] = {"__metadata__": dict(metadata)} if metadata else {}
    blobs, at = [], 0
    for name, tensor in tensors.items():
        if name == "__metadata__":
            raise DataError(f"{os.fspath(path)}: tensor {json.dumps(name)}: this name is the metadata's")
        x = np.asarray(tensor)
        x = x.astype(x.dtype.newbyteorder("<"))
        if x.dtype not in _NAMES:
            raise DataError(f"{os.fspath(path)}: tensor {json.dumps(name)}: no safetensors type for {x.dtype}")
        kind = _NAMES[x.dtype]
        if bf16 and kind == "F32":
            if not np.isfinite(x).all():
                raise DataError(f"{os.fspath(path)}: tensor {json.dumps(name)}: bf16 is for finite numbers")
            kind, x = "BF16", _bf16(x)
        blobs.append(x.tobytes())
        header[name] = {"dtype": kind, "shape": list(x.shape),
                        "data_offsets": [at, at + len(blobs[-1])]}
        at += len(blobs[-1])
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with written_whole(path) as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for blob in blobs:
            file.write(blob)
