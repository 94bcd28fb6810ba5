"""What would go wrong silently in scripts/build_times.py, coverage.py, make_sample.py and unicode_tables.py."""
import gzip
import json
import re
import subprocess
import sys
import unicodedata
import unittest

import build_times
import coverage
import make_sample
from helpers import ROOT, SCRIPTS, FolderTest


class BuildTimes(FolderTest):
    def test_the_last_time_of_each_output_is_added_to_its_part(self):
        rows = [(0, 9000, "CMakeFiles/heed_core.dir/base/file.cc.o"),  # built twice
                (0, 1500, "CMakeFiles/heed_core.dir/base/file.cc.o"), (1500, 3500, "CMakeFiles/heed_core.dir/nn/lstm.cc.o"),
                (100, 4100, "CMakeFiles/heed_kernels_v3.dir/tensor/kernels/gemm.cc.o"), (0, 2000, "bin/heed"),
                (0, 6000, "tests/CMakeFiles/op_table_test.dir/op_table_test.cc.o")]
        log = self.write(".ninja_log", "# ninja log v5\n" + "".join(f"{begin}\t{end}\t0\t{output}\tabc\n" for begin, end, output in rows))
        self.assertEqual(build_times.table(log).splitlines()[2:],
                         ["| linking | 1 | 2 |", "| kernels, once for each of three levels | 1 | 4 |", "| base to optim | 2 | 4 |",
                          "| tests | 1 | 6 |", "| **all** | 5 | 16 |"])


def gcov(name, *lines):
    """A line of gcov: (number, count, the counts of branches, those that an exception takes)."""
    return json.dumps({"files": [{"file": name, "lines": [
        {"line_number": number, "count": count, "branches": [{"count": c, "throw": False} for c in branches] +
         [{"count": c, "throw": True} for c in thrown]} for number, count, branches, thrown in lines]}]})


class Coverage(unittest.TestCase):
    def test_programs_add_up(self):
        files = coverage.read("/heed", [
            gcov("../../nn/lstm.cc", (1, 0, [], []), (2, 3, [3, 0], [0]), (4, 0, [], [])),
            gcov("/heed/nn/lstm.cc", (1, 0, [], []), (2, 1, [0, 1], [0]), (4, 2, [], [])),
            gcov("/usr/include/vector", (1, 1, [], [])), gcov("../../tests/main.cc", (1, 0, [], []))])
        self.assertEqual(files, {"nn/lstm.cc": {1: [0, []], 2: [4, [3, 1]], 4: [2, []]}})
        self.assertEqual(coverage.row("nn", list(files["nn/lstm.cc"].values())), "| nn | 3 | 66.7 % | 2 | 100.0 % |")
        self.assertEqual(coverage.row("none", []), "| none | 0 | - | 0 | - |")

    def test_ranges(self):
        self.assertEqual(coverage.ranges([7, 2, 1, 3, 9, 10]), "1-3, 7, 9-10")


class MakeSample(FolderTest):
    def test_lines_are_kept_as_they_are_and_in_their_order(self):
        lines = ['{"id": "slice/2",  "turns": []}\n', '{"id": "other/linked/1", "turns": []}\n', '{"id": "linked/1", "turns": ["ä"]}\n']
        with gzip.open(self.folder / "in.gz", "wt", encoding="utf-8") as file:
            file.writelines(lines)
        kept = make_sample.sample(self.folder / "in.gz", self.folder / "out.gz")
        self.assertEqual([dialogue["id"] for dialogue in kept], ["slice/2", "linked/1"])
        self.assertEqual(gzip.decompress((self.folder / "out.gz").read_bytes()).decode(), lines[0] + lines[2])
        self.assertEqual((self.folder / "out.gz").read_bytes()[3:8], bytes(5))  # neither a name nor a time


class UnicodeTables(unittest.TestCase):
    @unittest.skipUnless(unicodedata.unidata_version == "14.0.0", "this Python has another Unicode")
    def test_the_header_and_the_checksum_are_those_it_makes(self):
        done = subprocess.run([sys.executable, SCRIPTS / "unicode_tables.py"], capture_output=True, text=True, check=True)
        header = (ROOT / "dialog/text/unicode_tables.h").read_text()
        self.assertEqual("".join(done.stdout.split()), "".join(header.split()))  # but for the layout
        checksum = re.search("0x[0-9A-F]{8}", done.stderr)[0]
        self.assertIn(f"{checksum}u)", (ROOT / "tests/dialog/text/tokenizer_test.cc").read_text())
