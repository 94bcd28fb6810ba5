"""Features and labels for `heed probe --features DIR` (docs/files.md, "Features and labels")."""
from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence, Tuple

import numpy as np

from heed._files import DataError, PathLike, written_whole
from heed.dialogues import to_line
from heed.safetensors import write_safetensors

_MAX_NAME = 1024  # bytes of a task and of a label, as dialog/probe/label_file.cc has it


@dataclass
class Features:
    """One part of a probe problem.

    x       (n, d): row i is what an encoder makes of example i
    labels  for each task n sequences of labels, perhaps empty, each label once
    ids     n different strings; without them example-1, example-2, ...
    keys    n strings: examples with the same one get the same label in the control task;
            without them the ids
    """

    x: Any
    labels: Mapping[str, Sequence[Sequence[str]]]
    ids: Optional[Sequence[str]] = None
    keys: Optional[Sequence[str]] = None


def _check_names(part: str, what: str, names: Sequence[Any], longest: Optional[int] = None) -> None:
    for name in names:
        if not isinstance(name, str) or not name:
            raise DataError(f"{part}: {what} must be a string that is not empty, got {name!r}")
        if longest and len(name.encode("utf-8", "replace")) > longest:
            raise DataError(f"{part}: {what} must have at most {longest} bytes, got {name[:20]!r}...")
    if len(set(names)) < len(names):
        raise DataError(f"{part}: {what} is given twice")


def _matrix(part: str, x: Any) -> np.ndarray:
    rows = np.asarray(x)
    if rows.ndim != 2 or rows.size == 0 or rows.dtype.kind not in "fiu":
        raise DataError(f"{part}: x must be numbers (n, d) of n > 0 examples, got {rows.dtype} {rows.shape}")
    if rows.dtype != np.float64:
        rows = rows.astype(np.float32)
    if not np.isfinite(rows).all():
        row, column = np.argwhere(~np.isfinite(rows))[0]
        raise DataError(f"{part}: x is not finite in row {row}, column {column} (from 0)")
    return rows


def _checked(part: str, features: Features) -> Tuple[np.ndarray, bytes]:
    """What the two files of a part hold."""
    x = _matrix(part, features.x)
    n = len(x)
    ids = list(features.ids) if features.ids is not None else [f"example-{i + 1}" for i in range(n)]
    keys = list(features.keys) if features.keys is not None else ids
    for what, values in (("ids", ids), ("keys", keys), *((f"labels of {t!r}", v) for t, v in features.labels.items())):
        if len(values) != n:
            raise DataError(f"{part}: {len(values)} {what}, but x has {n} rows")
    if not features.labels:
        raise DataError(f"{part}: labels must have a task")
    _check_names(part, "an id", ids)
    _check_names(part, "the name of a task", list(features.labels), _MAX_NAME)
    for key in keys:
        _check_names(part, "a key", [key])
    for task, sets in features.labels.items():
        for labels in sets:
            if isinstance(labels, str):
                raise DataError(f"{part}: the labels of an example are a list, got the string {labels!r}")
            _check_names(part, f"a label of {task!r}", list(labels), _MAX_NAME)
    lines = []
    for i, (name, key) in enumerate(zip(ids, keys)):
        line = {"id": name, **({"key": key} if key != name else {}),
                "labels": {task: sorted(sets[i]) for task, sets in features.labels.items()}}
        lines.append(to_line(line, f"{part}: example {i + 1}"))
    return x, b"".join(lines)


def write_features(directory: PathLike, train: Features, test: Features,
                   valid: Optional[Features] = None) -> None:
    """Makes the directory if it is missing, and in it PART.safetensors and PART.jsonl for each
    part. x is written as float32, float64 as it is. DataError names the part and the rule; then
    nothing is written."""
    where = Path(directory)
    parts = {"train": train, "test": test, **({"valid": valid} if valid is not None else {})}
    for part, features in parts.items():
        if set(features.labels) != set(train.labels):
            raise DataError(f"{part}: its tasks are {sorted(features.labels)}, those of train {sorted(train.labels)}")
    checked = {part: _checked(part, features) for part, features in parts.items()}
    try:
        where.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"{where}: {error.strerror}") from None
    for part, (x, lines) in checked.items():
        with written_whole(where / f"{part}.jsonl") as file:
            file.write(lines)
        write_safetensors(where / f"{part}.safetensors", {"x": x})
