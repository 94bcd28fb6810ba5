"""Results: what `--json FILE` of evaluate, score, probe and compare writes, evaluation.json of an
experiment's runs, and the tables of an experiment (docs/files.md, "Results")."""
from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple

from heed._files import DataError, PathLike, read_json
from heed.tables import Columns, to_columns, to_pandas

Row = Dict[str, Any]


@dataclass
class Results:
    """A result file: `data` is all of it, `tables` what it holds in rows, by name, as columns.

    test_sets    evaluate, evaluation.json: a row a test set
    per_example  score, and evaluate --per-example: a row an example (with its test_set)
    tasks        probe: a row a task;  baselines: a row a baseline and task
    comparisons  compare: a row a test set, measure and run, with value, low, high and from the
                 second run on change, change_low, change_high, p, p_holm
    cells        a table of an experiment: a row a cell, with the labels of its row, `column`, `key`,
                 value, low, high, ...
    """

    path: Path
    data: Dict[str, Any]
    tables: Dict[str, Columns]

    @property
    def command(self) -> Optional[str]:
        """The command that made it: evaluate, score, probe, compare, ..."""
        made = self.data.get("heed")
        return made.get("command") if isinstance(made, dict) else None

    def table(self, name: Optional[str] = None) -> Columns:
        """The columns of a table; without a name of the only one."""
        if name is None and len(self.tables) == 1:
            return next(iter(self.tables.values()))
        if name not in self.tables:
            known = ", ".join(self.tables) or "none"
            raise DataError(f"{self.path}: which table? It has {known}" + (f", not {name}" if name else ""))
        return self.tables[name]

    def to_pandas(self, name: Optional[str] = None) -> Any:
        """The same as a pandas.DataFrame."""
        return to_pandas(self.table(name))


def _without_lists(row: Row) -> Row:
    """A row of numbers: what has its own table, or is long, stays in `data`."""
    return {key: value for key, value in row.items() if not isinstance(value, (list, dict))}


def _test_sets(data: Row) -> List[Row]:
    return [{"test_set": name, **_without_lists(row)} for name, row in data["test_sets"].items()]


def _per_example(data: Row) -> List[Row]:
    if "test_sets" not in data:
        return list(data["per_example"])
    return [{"test_set": name, **row} for name, part in data["test_sets"].items()
            for row in part.get("per_example", [])]


def _task_rows(tasks: Row) -> List[Row]:
    rows = []
    for task, row in tasks.items():
        low, high = row.get("interval") or (None, None)
        rows.append({"task": task, **_without_lists(row), "low": low, "high": high})
    return rows


def _baselines(data: Row) -> List[Row]:
    return [{"baseline": name, **row} for name, tasks in data["baselines"].items() for row in _task_rows(tasks)]


def _comparisons(data: Row) -> List[Row]:
    rows = []
    for row in data["rows"]:
        for run in row["runs"]:
            change = run.get("change") or {}
            rows.append({"test_set": row["test_set"], "measure": row["measure"], "run": run["name"],
                         **(run["estimate"] or dict.fromkeys(("value", "low", "high"))), "change": change.get("value"),
                         "change_low": change.get("low"), "change_high": change.get("high"), "p": change.get("p"),
                         "p_holm": change.get("p_holm")})
    return rows


def _cells(data: Row) -> List[Row]:
    rows = []
    for row in data["rows"]:
        labels = {key: value for key, value in row.items() if key not in ("cells", "sources")}
        for column, cell in zip(data["columns"], row["cells"]):
            rows.append({**labels, "column": column["name"], "key": column["key"], **cell})
    return rows


# name of the table, keys that a file with it has, what makes its rows
_TABLES: Tuple[Tuple[str, Tuple[str, ...], Callable[[Row], List[Row]]], ...] = (
    ("test_sets", ("test_sets",), _test_sets),
    ("per_example", ("test_sets",), _per_example),
    ("per_example", ("per_example",), _per_example),
    ("tasks", ("tasks",), lambda data: _task_rows(data["tasks"])),
    ("baselines", ("baselines",), _baselines),
    ("comparisons", ("comparisons", "rows"), _comparisons),
    ("cells", ("columns", "rows"), _cells))


def read_results(path: PathLike) -> Results:
    """A result file, plain or gzip. One of another command has no tables, only `data`. DataError
    where a table is not what docs/files.md says."""
    return make_results(path, read_json(path))


def make_results(path: PathLike, data: Row) -> Results:
    """Results of JSON that is read already; `path` is for messages."""
    tables = {}
    for name, keys, rows_of in _TABLES:
        if not all(key in data for key in keys):
            continue
        try:
            columns = to_columns(rows_of(data))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise DataError(f"{os.fspath(path)}: \"{keys[0]}\" is not as docs/files.md says "
                            f"({type(error).__name__}: {error})") from None
        if columns:
            tables[name] = columns
    return Results(Path(path), data, tables)
