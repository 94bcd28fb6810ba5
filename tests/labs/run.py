"""Runs the tests of the course (labs/), with Python's standard library only:

    python3 tests/labs/run.py BUILD [-v] [test_cutting.Functions ...]

BUILD is a build folder with the programs of the labs (target heed_lab_programs). What compiles a lab many times runs only where
it is asked for by name: the proofs, the attacks on the grader, the mistakes that the labs plant, and builds from nothing."""
import argparse
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT / "labs"), str(HERE)]
sys.dont_write_bytecode = True
SLOW = ("test_attacks", "test_from_scratch", "test_hostile", "test_proofs", "test_slips")

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path, metavar="BUILD")
    parser.add_argument("names", nargs="*", metavar="TEST")
    parser.add_argument("-v", dest="verbosity", action="store_const", const=2, default=1, help="the name of each test")
    options = parser.parse_intermixed_args()
    if not (options.build / "compile_commands.json").is_file():
        parser.error(f"{options.build} is not a build folder")
    import helpers
    helpers.BUILD = options.build.resolve()
    helpers.forget_progress()
    names = options.names or [path.stem for path in sorted(HERE.glob("test_*.py")) if path.stem not in SLOW]
    suite = unittest.defaultTestLoader.loadTestsFromNames(names)
    result = unittest.TextTestRunner(verbosity=options.verbosity).run(suite)
    sys.exit(0 if result.wasSuccessful() and result.testsRun else 1)
