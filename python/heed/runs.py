"""Runs: what `heed train --out DIR` makes (docs/files.md, "A run directory")."""
from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional

import numpy as np

from heed._files import DataError, PathLike, read_bytes, read_json, read_json_lines
from heed.results import Results, read_results
from heed.safetensors import read_safetensors
from heed.tables import Columns, to_columns, to_pandas

_MAX_VOCABULARY = 1 << 30  # bytes


@dataclass
class Run:
    """A run or model directory. What a folder lacks (published runs have no weights) is empty."""

    path: Path
    config: Dict[str, Any]  # config.json: structure and sizes
    settings: Dict[str, Any]  # settings.json: everything that decides the training
    log: Columns  # log.jsonl, a value an epoch: epoch, loss, valid_perplexity, rate, ...
    evaluation: Optional[Results]  # evaluation.json of an experiment's runs

    def to_pandas(self) -> Any:
        """The log as a pandas.DataFrame, a row an epoch."""
        return to_pandas(self.log)

    def vocabulary(self) -> List[str]:
        return read_vocabulary(self.path)

    def parameters(self) -> Dict[str, np.ndarray]:
        """The weights by name, float32 (model.safetensors)."""
        return read_safetensors(self.path / "model.safetensors")


def read_vocabulary(directory: PathLike) -> List[str]:
    """The tokens of a model directory, words or pieces of words; a token's place is its number
    (0 <pad>, 1 <unk>, 2 <sos>, 3 <eos>, 4 <eou>)."""
    path = Path(directory) / "vocab.txt"
    try:
        words = read_bytes(path, _MAX_VOCABULARY).decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not UTF-8 at byte {error.start}") from None
    if words and words[-1] == "":
        words.pop()
    if words[:5] != ["<pad>", "<unk>", "<sos>", "<eos>", "<eou>"]:
        raise DataError(f"{path}: a vocabulary begins with <pad>, <unk>, <sos>, <eos>, <eou>, one a line")
    config = path.with_name("config.json")
    trained = read_json(config).get("words_fingerprint") if config.exists() else None
    if trained not in (None, zlib.crc32("".join(f"{word}\n" for word in words).encode())):
        raise DataError(f"{path}: not the words that the model was trained with, in their order "
                        f"(by words_fingerprint in {config.name})")
    return words


def read_run(directory: PathLike) -> Run:
    """A run, a model directory, or a run as published (log and evaluation only). DataError names
    the file (and the line) and the rule."""
    path = Path(directory)
    names = ("config.json", "settings.json", "log.jsonl", "evaluation.json")
    there = {name for name in names if (path / name).exists()}
    if not there:
        raise DataError(f"{path}: no run: it holds none of {', '.join(names)}")
    return Run(path,
               read_json(path / "config.json") if "config.json" in there else {},
               read_json(path / "settings.json") if "settings.json" in there else {},
               to_columns(row for _, row in read_json_lines(path / "log.jsonl")) if "log.jsonl" in there else {},
               read_results(path / "evaluation.json") if "evaluation.json" in there else None)
