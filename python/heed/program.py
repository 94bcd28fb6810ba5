"""Scores by the program heed. It is run, and its JSON read, instead of a library being loaded: the
tokenizer, the bounds of a run, the kernels of each processor and the messages are then those of the
command line, tested there, and there is no second binary interface to keep. What it costs is a
process a call (some ten milliseconds and the reading of the model), so score many dialogues in one."""
from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path
from typing import Iterable, List, Mapping, Optional, Sequence, Union

from heed._files import HeedError, PathLike, parse_json
from heed.dialogues import Dialogue, write_dialogues
from heed.results import Results, make_results


def find_program(program: Optional[PathLike] = None) -> str:
    """The program: the argument, else the environment's HEED_PROGRAM, else `heed` beside this Python
    (where a wheel puts it), else of the PATH."""
    wanted = os.fspath(program or os.environ.get("HEED_PROGRAM") or "heed")
    found = shutil.which(wanted, path=os.pathsep.join((sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath))))
    if not found:
        raise HeedError(f"no program {wanted}: `pip install .` in a clone brings it, `make install` too, or name it: "
                        "HEED_PROGRAM=build/release/bin/heed")
    return found


def _run(command: Sequence[str]) -> bytes:
    """Standard output; HeedError with what the program says where it fails."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False)
    except OSError as error:
        raise HeedError(f"{command[0]}: {error.strerror}") from None
    if done.returncode:
        said = [line for line in done.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
        raise HeedError(said[-1] if said else f"{command[0]} {command[1]} ended with {done.returncode}")
    return done.stdout


def score(model: PathLike, dialogues: Union[PathLike, Iterable[Union[Dialogue, Mapping[str, object]]]], *,
          attention: bool = True, dtype: str = "f32", options: Sequence[str] = (),
          program: Optional[PathLike] = None) -> Results:
    """What `heed score --json` says of dialogues (a file, a data directory, or dicts as
    `read_dialogues` gives them): the table per_example has for each example `nll` (of each
    predicted token), `as_scores` (of each utterance), `attention_loss`, `das_ratio` and, with
    `attention`, the weights of each step (steps, M). Words are split and dialogues cut as in the
    model's training.

    dtype    f32 or f64: the type of the arithmetic
    options  further ones of `heed score`, such as ["--examples", "last", "--threads", "1"]"""
    if not isinstance(dialogues, (str, os.PathLike)):
        with tempfile.TemporaryDirectory(prefix="heed-") as folder:
            path = Path(folder) / "dialogues.jsonl"
            write_dialogues(path, dialogues)
            return score(model, path, attention=attention, dtype=dtype, options=options, program=program)
    command: List[str] = [find_program(program), "score", f"--model={os.fspath(model)}",
                          f"--data={os.fspath(dialogues)}", "--json=-", f"--dtype={dtype}",
                          *(["--attention"] if attention else []), *options]
    where = f"{os.fspath(dialogues)}, scored"
    return make_results(where, parse_json(_run(command), where))
