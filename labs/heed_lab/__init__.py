"""The tool of heed's course (docs/teaching.md): Python's standard library only."""
import contextlib
import fcntl


class LabError(Exception):
    """What a user can mend: one line that names the file and the rule."""


def text_of(path):
    """A file of text, without the mark that some editors put before it."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise LabError(f"{path} is no text in UTF-8") from None


@contextlib.contextmanager
def one_at_a_time(folder):
    """While this lasts, no other process comes here with the same folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
