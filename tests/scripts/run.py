"""Runs the tests of scripts/*.py, which need nothing but Python:

    python3 tests/scripts/run.py [-v] [test_mutants ...]"""
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "scripts")]

if __name__ == "__main__":
    names = [name for name in sys.argv[1:] if not name.startswith("-")]
    loader = unittest.defaultTestLoader
    suite = loader.loadTestsFromNames(names) if names else loader.discover(str(HERE))
    result = unittest.TextTestRunner(verbosity=2 if "-v" in sys.argv else 1).run(suite)
    sys.exit(0 if result.wasSuccessful() and result.testsRun else 1)
