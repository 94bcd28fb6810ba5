"""Rows of JSON as columns: NumPy arrays by name, and pandas frames of them."""
from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping

import numpy as np

from heed._files import extra

Columns = Dict[str, np.ndarray]


def _is_number(value: Any) -> bool:
    return isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63)


def _column(values: List[Any]) -> np.ndarray:
    """int64, or float64 with NaN for null; bool; everything else as objects."""
    present = [v for v in values if v is not None]
    if present and all(_is_number(v) for v in present):
        whole = len(present) == len(values) and all(isinstance(v, int) for v in present)
        return np.array([np.nan if v is None else v for v in values], dtype=np.int64 if whole else np.float64)
    if len(present) == len(values) and all(isinstance(v, bool) for v in values):
        return np.array(values, dtype=bool)
    if not present and values:
        return np.full(len(values), np.nan)
    column = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):  # one at a time: NumPy would make an array of equal lists
        column[i] = value
    return column


def to_columns(rows: Iterable[Mapping[str, Any]]) -> Columns:
    """Columns in the order in which the rows name them; a value that a row lacks is null."""
    listed = list(rows)
    names = dict.fromkeys(name for row in listed for name in row)
    return {name: _column([row.get(name) for row in listed]) for name in names}


def to_pandas(columns: Columns) -> Any:
    """The pandas.DataFrame of columns; HeedError where pandas is missing."""
    return extra("pandas").DataFrame(columns)
