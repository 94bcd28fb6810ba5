"""What the program says of files that the package writes, and the package of what the program says."""
import json
import os
import subprocess

import numpy as np

import heed
from heed.program import find_program
from helpers import CASES, FolderTest, needs_program

STATIC = next(case for case in CASES if case.name == "static-ui")


class Scores(FolderTest):
    @needs_program
    def test_reference_numbers(self):
        for case in (STATIC, STATIC.parent / "non-hier"):
            expected = json.loads((case / "expected.json").read_text())
            scored = heed.score(case, heed.read_dialogues(case / "dialogs.jsonl"), dtype="f64",
                                options=["--examples", "last", "--threads", "1"])
            self.assertEqual(scored.command, "score")
            found = scored.table()
            for i, wanted in enumerate(expected["dialogs"]):
                for key in ("nll", "as_scores", "attention_loss"):
                    np.testing.assert_allclose(found[key][i], wanted[key], rtol=0, atol=1e-9)
                np.testing.assert_allclose(np.sum(found["attention"][i], axis=1), 1)
            self.assertAlmostEqual(scored.data["das_ratio"], expected["das_ratio"], delta=1e-9)

    @needs_program
    def test_errors_of_the_program(self):
        self.fails("heed: ", heed.score, self.folder, STATIC / "dialogs.jsonl")
        self.fails("--batch", heed.score, STATIC, STATIC / "dialogs.jsonl", options=["--batch", "x"])

    def test_errors_before_it(self):
        self.fails("no program /none/heed", heed.score, STATIC, STATIC / "dialogs.jsonl", program="/none/heed")
        self.fails("turn 1 must be", heed.score, STATIC, [{"turns": [{}]}])

    def test_a_program_that_dies(self):
        program = self.write("heed", "#!/bin/sh\nkill -9 $$\n")
        os.chmod(program, 0o755)
        self.fails("score ended with -9", heed.score, STATIC, STATIC / "dialogs.jsonl", program=program)
        program.write_text("no program")
        self.fails("Exec format error", heed.score, STATIC, STATIC / "dialogs.jsonl", program=program)


class Probes(FolderTest):
    @needs_program
    def test_reads_what_is_written(self):
        rng = np.random.default_rng(1)
        x = rng.normal(size=(200, 3))
        part = [heed.Features(rows, {"Sign": [["plus" if row[0] > 0 else "minus"] for row in rows]})
                for rows in (x[:150], x[150:])]
        heed.write_features(self.folder / "f", *part)
        subprocess.run([find_program(), "probe", "--features", self.folder / "f", "--json", self.folder / "p.json"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        tasks = heed.read_results(self.folder / "p.json").table("tasks")
        self.assertEqual(tasks["task"].tolist(), ["Sign"])
        self.assertGreater(tasks["f1"][0], 0.9)
        self.assertLessEqual(tasks["low"][0], tasks["f1"][0])
