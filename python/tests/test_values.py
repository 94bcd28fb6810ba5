"""Values, not only presence: numbers by hand, bounds at their edge, second uses."""
import json
import os
import struct
from unittest import mock

import numpy as np

import heed
from heed import _files
from heed.measures import das_ratio, das_summary
from heed.results import make_results
from heed.tables import to_columns
from helpers import CASES, FolderTest, needs_program

DIALOGUE = {"turns": [{"text": "a"}]}


class Files(FolderTest):
    def test_the_header_of_safetensors_ends_at_a_multiple_of_8(self):
        for name in ("x", "xx", "xxx", "a longer name"):
            path = self.folder / "x.safetensors"
            heed.write_safetensors(path, {name: np.ones(3, "f4")})
            self.assertEqual(struct.unpack("<Q", path.read_bytes()[:8])[0] % 8, 0, name)

    def test_what_is_read_can_be_written_to(self):
        path = self.folder / "x.safetensors"
        heed.write_safetensors(path, {"x": np.ones((2, 2), "f4")})
        x = heed.read_safetensors(path)["x"]
        x[1, 0] = 7
        self.assertEqual(x.tolist(), [[1, 1], [7, 1]])
        self.assertEqual(heed.read_safetensors(path)["x"].tolist(), [[1, 1], [1, 1]])

    def test_what_a_file_cannot_hold_is_said_before_it_is_written(self):
        one = np.ones(1, "f4")
        self.fails("__metadata__", heed.write_safetensors, self.folder / "x", {"__metadata__": one})
        self.fails('"id"', heed.write_dialogues, self.folder / "x", [{"id": 10**400, **DIALOGUE}])
        good, bad = heed.Features([one], {"t": [["a"]]}), heed.Features([one], {"t": [["a"], ["b"]]})
        self.fails("test: 2 labels", heed.write_features, self.folder / "x", good, bad)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_file_of_exactly_the_bound_is_read(self):
        path = self.write("x", b"12345")
        self.assertEqual(_files.read_bytes(path, 5), b"12345")
        self.fails("more than", _files.read_bytes, path, 4)

    def test_blank_lines_count_in_the_names_of_dialogues(self):
        line = json.dumps(DIALOGUE)
        read = heed.read_dialogues(self.write("x.jsonl", f"{line}\n\n{line}\n"))
        self.assertEqual([d["id"] for d in read], ["line-1", "line-3"])

    def test_gzip_does_not_depend_on_the_clock(self):
        made = []
        for time in (1.0, 1e9):
            with mock.patch("time.time", return_value=time):
                heed.write_dialogues(self.folder / "x.jsonl.gz", [DIALOGUE])
            made.append((self.folder / "x.jsonl.gz").read_bytes())
        self.assertEqual(*made)

    def test_files_have_the_permissions_of_the_umask(self):
        before = os.umask(0o027)
        try:
            heed.write_dialogues(self.folder / "x.jsonl", [DIALOGUE])
        finally:
            os.umask(before)
        self.assertEqual((self.folder / "x.jsonl").stat().st_mode & 0o777, 0o640)


class Measures(FolderTest):
    def test_no_attention_on_the_history_has_no_ratio(self):
        self.assertIsNone(das_ratio([0.0, 1.0, 2.0], [False, True, False]))
        self.assertEqual(das_ratio([2.0, 1.0, 0.0], [False, True, False]), 0.5)

    def test_a_summary_by_hand(self):
        found = das_summary([([1.5, 1.0, 2.5, 9.0], [False, True, False, False]),  # D 1, H 2 of two
                             ([4.0, 0.0, 9.0], [False, True, False]),   # D 0, H 4: the ratio is 0
                             ([0.0, 3.0, 9.0], [False, True, False]),   # D 3, H 0: no ratio
                             ([5.0, 5.0, 9.0], [True, True, False]),    # no history
                             ([5.0, 5.0, 9.0], [False, False, False])])  # no distraction
        self.assertEqual(found, {"as_distraction": 4 / 3, "as_history": 2.0, "das_ratio": 2 / 3,
                                 "mean_das_ratio": 0.25, "das_above": 1 / 3,
                                 "das_bounded": (1 / 3 + 0 + 1) / 3, "das_ratio_long": 0.5})


class Tables(FolderTest):
    def test_whole_numbers_at_the_edge_of_64_bits(self):
        for value, kind in ((2**63 - 1, np.int64), (-2**63 + 1, np.int64), (2**63, object), (-2**64, object)):
            column = to_columns([{"x": value}])["x"]
            self.assertEqual((column.dtype, column[0]), (np.dtype(kind), value))

    def test_numbers_among_texts_are_objects(self):
        column = to_columns([{"x": 1}, {"x": "a"}, {"x": None}])["x"]
        self.assertEqual((column.dtype, column.tolist()), (np.dtype(object), [1, "a", None]))

    def test_both_bounds_of_a_change(self):
        estimate = {"value": 3.0, "low": 2.0, "high": 5.0}
        change = {"value": -1.0, "low": -2.0, "high": 0.5, "p": 0.01, "p_holm": 0.02}
        rows = make_results("x", {"comparisons": 1, "rows": [
            {"test_set": "none", "measure": "perplexity",
             "runs": [{"name": "b", "estimate": estimate, "change": change}]}]}).table("comparisons")
        self.assertEqual([rows[key][0] for key in ("value", "low", "high", "change", "change_low", "change_high")],
                         [3.0, 2.0, 5.0, -1.0, -2.0, 0.5])


class Program(FolderTest):
    @needs_program
    def test_attention_only_where_it_is_asked_for(self):
        case = next(case for case in CASES if case.name == "static")
        for attention in (True, False):
            rows = heed.score(case, case / "dialogs.jsonl", attention=attention, options=["--threads", "1"]).table()
            self.assertEqual("attention" in rows, attention)
