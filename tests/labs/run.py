"""Runs the tests of the course (labs/), with Python's standard library only:

    python3 tests/labs/run.py BUILD [-v] [test_cutting.Functions ...]

BUILD is a build folder with the programs of the labs (target heed_lab_programs). What compiles a lab many times runs only where
it is asked for by name: the proofs, the attacks on the grader, the mistakes that the labs plant, and builds from nothing."""
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT / "labs"), str(HERE)]
sys.dont_write_bytecode = True
SLOW = ("test_attacks", "test_from_scratch", "test_hostile", "test_proofs", "test_slips")

if __name__ == "__main__":
    import helpers
    helpers.BUILD = Path(sys.argv[1]).resolve()
    helpers.forget_progress()
    names = [name for name in sys.argv[2:] if not name.startswith("-")]
    names = names or [path.stem for path in sorted(HERE.glob("test_*.py")) if path.stem not in SLOW]
    suite = unittest.defaultTestLoader.loadTestsFromNames(names)
    result = unittest.TextTestRunner(verbosity=2 if "-v" in sys.argv else 1).run(suite)
    sys.exit(0 if result.wasSuccessful() and result.testsRun else 1)
