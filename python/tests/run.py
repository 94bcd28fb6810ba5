"""Runs the tests of the package from a checkout, without an installation and without pytest:

    python3 python/tests/run.py [-v] [test_files.ReadsRuns ...]

Exit code 77, which ctest takes for skipped, where NumPy is missing. HEED_PROGRAM names the program that
some tests run; those of PyTorch, pandas and pip are skipped where these are missing."""
import importlib.util
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
sys.dont_write_bytecode = True

if __name__ == "__main__":
    if importlib.util.find_spec("numpy") is None:
        print("skipped: python3 has no numpy (Debian: apt install python3-numpy)")
        sys.exit(77)
    names = [name for name in sys.argv[1:] if not name.startswith("-")]
    loader = unittest.defaultTestLoader
    suite = loader.loadTestsFromNames(names) if names else loader.discover(str(HERE))
    result = unittest.TextTestRunner(verbosity=2 if "-v" in sys.argv else 1).run(suite)
    for test, reason in result.skipped:
        print(f"skipped {test.id()}: {reason}")
    sys.exit(0 if result.wasSuccessful() and result.testsRun else 1)
