"""Dialogues as JSON Lines, the format of docs/files.md."""
from __future__ import annotations

import json
import os
import sys
from typing import Any, Dict, Iterable, List, Mapping, Union

from heed._files import DataError, PathLike, read_json_lines, written_whole

# {"id": str, "turns": [{"text": str, "speaker": str, "distraction": bool, ...}, ...], ...}:
# of the keys only "turns", not empty, and "text" must be there; unknown ones are kept.
Dialogue = Dict[str, Any]


def _problem(dialogue: Mapping[str, Any]) -> str:
    """The rule that a dialogue breaks, or nothing."""
    def is_number(value: Any) -> bool:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= sys.float_info.max

    def is_text(value: Any) -> bool:  # no half of a surrogate pair, which UTF-8 cannot say
        return isinstance(value, str) and not any("\ud800" <= c <= "\udfff" for c in value)

    if not isinstance(dialogue, Mapping):
        return "a dialogue must be an object"
    name = dialogue.get("id", "")
    if not is_text(name) and not is_number(name):
        return '"id" must be a string or a number'
    turns = dialogue.get("turns")
    if not isinstance(turns, list) or not turns:
        return 'a dialogue needs "turns", a list that is not empty'
    for number, turn in enumerate(turns, 1):
        if not isinstance(turn, Mapping) or not is_text(turn.get("text")):
            return f'turn {number} must be an object with a string "text"'
        if not is_text(turn.get("speaker", "")):
            return f'turn {number}: "speaker" must be a string'
        if not isinstance(turn.get("distraction", False), bool):
            return f'turn {number}: "distraction" must be true or false'
    return ""


def read_dialogues(path: PathLike) -> List[Dialogue]:
    """The dialogues of a .jsonl file, plain or gzip. One without an id is called line-N, as heed
    calls it. DataError names file and line."""
    dialogues = []
    for where, dialogue in read_json_lines(path):
        problem = _problem(dialogue)
        if problem:
            raise DataError(f"{where}: {problem}")
        named = {key: value for key, value in dialogue.items() if (key, value) != ("id", "")}
        dialogues.append({"id": f"line-{where.rpartition(':')[2]}", **named})
    if not dialogues:
        raise DataError(f"{os.fspath(path)}: holds no dialogue")
    return dialogues


def write_dialogues(path: PathLike, dialogues: Iterable[Union[Dialogue, Mapping[str, Any]]]) -> None:
    """One dialogue a line; gzip where the name ends in .gz. The file is there whole or not at all."""
    with written_whole(path) as file:
        for number, dialogue in enumerate(dialogues, 1):
            problem = _problem(dialogue)
            if problem:
                raise DataError(f"dialogue {number}: {problem}")
            file.write(to_line(dialogue, f"dialogue {number}"))


def to_line(value: Mapping[str, Any], what: str) -> bytes:
    """A line of JSON Lines; DataError where JSON cannot say it."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False).encode() + b"\n"
    except (TypeError, ValueError) as error:  # UnicodeEncodeError, of half an emoji, is one too
        raise DataError(f"{what}: {error}") from None
