"""What the tests share."""
import importlib.util
import tempfile
import unittest
from pathlib import Path

import heed

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "tests" / "reference"
CASES = sorted(path.parent for path in REFERENCE.glob("*/config.json"))


def has(name):
    return importlib.util.find_spec(name) is not None


def has_program():
    try:
        heed.program.find_program()
    except heed.HeedError:
        return False
    return True


needs_program = unittest.skipUnless(has_program(), "no program heed (HEED_PROGRAM)")
needs_torch = unittest.skipUnless(has("torch"), "python3 has no torch")
needs_pandas = unittest.skipUnless(has("pandas"), "python3 has no pandas")


class FolderTest(unittest.TestCase):
    """With a folder of its own."""

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="heed-")
        self.addCleanup(self._folder.cleanup)
        self.folder = Path(self._folder.name)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def fails(self, expected, function, *arguments, **options):
        """DataError or HeedError, one line with `expected` in it."""
        with self.assertRaises(heed.HeedError) as caught:
            function(*arguments, **options)
        message = str(caught.exception)
        self.assertIn(expected, message)
        self.assertEqual(len(message.splitlines()), 1, message)
