"""Runs, results and tables, those that are kept in docs/results among them."""
import json
import math
import unittest
import zlib

import numpy as np

import heed
from helpers import ROOT, FolderTest, has, needs_pandas

EXPERIMENT = ROOT / "docs" / "results" / "experiment"
SCORED = {"heed": {"command": "score"}, "per_example": [{"id": "a", "nll": [1.0, 2.0], "das_ratio": None},
                                                         {"id": "b", "nll": [3.0, 4.0], "das_ratio": 0.5}]}


class ReadsRuns(FolderTest):
    def test_a_bundled_model(self):
        run = heed.read_run(ROOT / "data" / "models" / "trained")
        self.assertEqual(run.config["structure"], "static-ui")
        self.assertEqual(run.settings["insert_prob"], 0.7)
        self.assertEqual(run.log["epoch"].tolist(), list(range(1, len(run.log["epoch"]) + 1)))
        self.assertEqual(run.log["valid_perplexity"].dtype, np.float64)
        self.assertEqual(run.parameters()["decoder.output.weight"].shape, (len(run.vocabulary()), 128))
        self.assertIsNone(run.evaluation)

    def test_a_published_run(self):
        run = heed.read_run(EXPERIMENT / "static-ui-p0.7-seed1")
        self.assertEqual(run.config, {})
        self.assertEqual(len(run.log["loss"]), 4)
        sets = run.evaluation.table("test_sets")
        self.assertEqual(sets["test_set"][0], "none")
        self.assertTrue(math.isnan(sets["das_ratio"][0]))
        np.testing.assert_allclose(sets["as_distraction"][1:] / sets["as_history"][1:], sets["das_ratio"][1:])

    def test_what_is_no_run(self):
        self.fails("no run: it holds none of config.json", heed.read_run, self.folder)
        self.write("log.jsonl", '{"epoch": 1}\n{"epoch": \n')
        self.fails("log.jsonl:2: ", heed.read_run, self.folder)
        self.write("config.json", "[]")
        self.fails("config.json: expected a JSON object", heed.read_run, self.folder)
        self.write("vocab.txt", "a\nb\n")
        self.fails("vocab.txt: a vocabulary begins with <pad>", heed.read_vocabulary, self.folder)


    def test_words_that_changed_places(self):
        words = ["<pad>", "<unk>", "<sos>", "<eos>", "<eou>", "käse", "b"]
        lines = ["".join(f"{word}\n" for word in some) for some in (words, words[:5] + words[:4:-1])]
        self.write("config.json", json.dumps({"words_fingerprint": zlib.crc32(lines[0].encode())}))
        self.write("vocab.txt", lines[0])
        self.assertEqual(heed.read_vocabulary(self.folder), words)
        self.write("vocab.txt", lines[1])
        self.fails("vocab.txt: not the words that the model was trained with", heed.read_vocabulary, self.folder)
        self.write("config.json", "{}")  # of an older version
        self.assertEqual(heed.read_vocabulary(self.folder)[5], "b")


class ReadsResults(FolderTest):
    def result(self, value):
        return heed.read_results(self.write("r.json", json.dumps(value)))

    def test_score(self):
        scored = self.result(SCORED)
        self.assertEqual(scored.command, "score")
        self.assertEqual(scored.table()["nll"].tolist(), [[1, 2], [3, 4]])
        self.assertEqual(scored.table()["nll"].dtype, object)
        np.testing.assert_array_equal(scored.table("per_example")["das_ratio"], [np.nan, 0.5])

    def test_evaluate(self):
        result = self.result({"test_sets": {"none": {"perplexity": 9.5, "dialogues": 2, "heads": [{"layer": 1}],
                                                     "per_example": [{"id": "a"}, {"id": "b"}]},
                                            "rare:end": {"perplexity": None, "dialogues": 2}}})
        self.assertEqual(list(result.tables), ["test_sets", "per_example"])
        self.assertEqual(list(result.table("test_sets")), ["test_set", "perplexity", "dialogues"])
        self.assertEqual(result.table("per_example")["test_set"].tolist(), ["none", "none"])
        self.fails("which table? It has test_sets, per_example", result.table)
        self.fails("not rows", result.table, "rows")

    def test_probe_and_compare(self):
        probed = self.result({"tasks": {"T": {"f1": 0.5, "interval": [0.4, 0.6]}},
                              "baselines": {"length": {"T": {"f1": 0.1, "interval": None}}}})
        self.assertEqual(probed.table("tasks")["low"].tolist(), [0.4])
        self.assertEqual(probed.table("baselines")["baseline"].tolist(), ["length"])
        compared = self.result({"comparisons": 1, "rows": [{"test_set": "none", "measure": "perplexity", "runs": [
            {"name": "a", "estimate": {"value": 5.0, "low": 4, "high": 6}},
            {"name": "b", "estimate": {"value": 4.0, "low": 3, "high": 5},
             "change": {"value": -1.0, "low": -2, "high": 0, "p": 0.01, "p_holm": 0.02}}]}]})
        rows = compared.table("comparisons")
        np.testing.assert_array_equal(rows["value"], [5, 4])
        np.testing.assert_array_equal(rows["change"], [np.nan, -1])
        np.testing.assert_array_equal(rows["p_holm"], [np.nan, 0.02])
        without = self.result({"comparisons": 0, "rows": [{"test_set": "rare:end", "measure": "das_ratio", "runs": [
            {"name": "a", "estimate": {"value": 0.5, "low": 0.4, "high": 0.6}}, {"name": "b", "estimate": None}]}]})
        np.testing.assert_array_equal(without.table()["value"], [0.5, np.nan])  # b has no attention

    def test_the_kept_tables(self):
        for path in sorted((EXPERIMENT / "tables").glob("*.json")):
            if path.name == "claims.json":
                self.fails("expected a JSON object", heed.read_results, path)
                continue
            self.assertGreater(len(heed.read_results(path).table()["value"]), 20, path.name)

    def test_what_does_not_fit(self):
        for value in ({"test_sets": []}, {"test_sets": {"none": 1}}, {"per_example": 3}, {"tasks": {"T": []}},
                      {"comparisons": 1, "rows": [{}]}, {"columns": [], "rows": [1]}, {"per_example": [1]},
                      {"tasks": {"T": {"interval": [1]}}}):
            with self.subTest(value):
                self.fails("is not as docs/files.md says", self.result, value)
        self.assertEqual(self.result({"anything": 1}).tables, {})
        self.fails("which table? It has none", self.result({}).table)

    def test_numbers_that_numpy_cannot_hold(self):
        found = self.result({"per_example": [{"a": 10**400, "b": 2**63 - 1, "c": True}]}).table()
        self.assertEqual([found[key].dtype.kind for key in "abc"], ["O", "i", "b"])


class Pandas(FolderTest):
    @needs_pandas
    def test_frames(self):
        frame = heed.read_run(EXPERIMENT / "static-ui-p0.7-seed1").to_pandas()
        self.assertEqual(frame.shape, (4, 8))
        scored = heed.read_results(self.write("r.json", json.dumps(SCORED))).to_pandas()
        self.assertEqual(scored.nll[1], [3.0, 4.0])

    @unittest.skipIf(has("pandas"), "pandas is there")
    def test_without_it(self):
        self.fails("which is not installed: pip install pandas", heed.to_pandas, {})
