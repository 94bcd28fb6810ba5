"""Dialogues, safetensors and features: what is written is read again, and what is wrong is named."""
import gzip
import json
import resource
import struct
from pathlib import Path

import numpy as np

import heed
from helpers import REFERENCE, ROOT, FolderTest

DIALOGUE = {"id": "d1", "turns": [{"speaker": "A", "text": "hello, über 🐧"}, {"text": "yes", "distraction": True}]}


class Dialogues(FolderTest):
    def test_what_is_written_is_read(self):
        for name in ("a.jsonl", "a.jsonl.gz"):
            path = self.folder / name
            heed.write_dialogues(path, [DIALOGUE, {"turns": [{"text": ""}], "labels": {"act": ["x"]}}])
            self.assertEqual(heed.read_dialogues(path), [DIALOGUE, {"id": "line-2", "turns": [{"text": ""}],
                                                                    "labels": {"act": ["x"]}}])
            self.assertEqual(path.read_bytes()[:2] == b"\x1f\x8b", name.endswith(".gz"))
        self.assertEqual(len(list(self.folder.iterdir())), 2)  # nothing temporary is left

    def test_as_the_program_reads_them(self):
        path = self.write("a.jsonl", b'\xef\xbb\xbf{"id": "", "turns": [{"text": "a"}]}\n{"id": 0, "turns": [{"text": "a"}]}\n')
        self.assertEqual([d["id"] for d in heed.read_dialogues(path)], ["line-1", 0])

    def test_the_bundled_ones(self):
        self.assertEqual(len(heed.read_dialogues(REFERENCE / "static" / "dialogs.jsonl")), 6)
        for path in (ROOT / "data" / "ubuntu-sample").glob("test.jsonl*"):
            self.assertGreater(len(heed.read_dialogues(path)), 100)

    def test_wrong_lines_are_named(self):
        good = json.dumps(DIALOGUE)
        for line, rule in (("{", "Expecting"), ("[]", "expected a JSON object"), ("{}", 'needs "turns"'),
                           ('{"turns": []}', 'needs "turns"'), ('{"turns": [{"text": 1}]}', "turn 1 must be"),
                           ('{"turns": ["a"]}', "turn 1 must be"), ('{"id": true, "turns": [{"text": ""}]}', '"id"'),
                           ('{"turns": [{"text": "", "distraction": 1}]}', '"distraction" must be'),
                           ('{"turns": [{"text": "", "speaker": 1}]}', '"speaker" must be'),
                           ('{"turns": [{"text": "a", "text": "b"}]}', '"text" is given twice'),
                           ('{"turns": [{"text": "a"}], "x": NaN}', "NaN is not JSON"),
                           ('{"id": 1.5e400, "turns": [{"text": ""}]}', '"id"'),
                           ('{"turns": [{"text": "\\ud800"}]}', "turn 1 must be"),
                           ("[" * 100000, "too deeply")):
            path = self.write("bad.jsonl", f"{good}\n\n{line}\n")
            self.fails("bad.jsonl:3: ", heed.read_dialogues, path)
            self.fails(rule, heed.read_dialogues, path)
        self.fails("empty.jsonl: holds no dialogue", heed.read_dialogues, self.write("empty.jsonl", "\n"))
        self.fails("bad.jsonl:1: not UTF-8 at byte 2", heed.read_dialogues, self.write("bad.jsonl", b'{"\xff"}'))

    def test_files_that_cannot_be_read(self):
        self.fails("none.jsonl: No such file", heed.read_dialogues, self.folder / "none.jsonl")
        self.fails("Is a directory", heed.read_dialogues, self.folder)
        packed = gzip.compress(json.dumps(DIALOGUE).encode())
        for damaged in (packed[:-9], packed[:12] + b"\xff\xff\xff\xff" + packed[16:], b"\x1f\x8b"):
            self.fails("bad.gz: ", heed.read_dialogues, self.write("bad.gz", damaged))

    def test_nothing_is_left_of_what_cannot_be_written(self):
        path = self.write("kept.jsonl", "before")
        for wrong in ({"turns": []}, {"turns": [{"text": "\ud83d"}]}, {**DIALOGUE, "x": float("nan")}):
            self.fails("dialogue 2: ", heed.write_dialogues, path, [DIALOGUE, wrong])
        self.assertEqual(path.read_text(), "before")
        self.assertEqual(list(self.folder.iterdir()), [path])
        self.fails("No such file", heed.write_dialogues, self.folder / "none" / "a.jsonl", [DIALOGUE])
        self.fails("dialogue 1: a dialogue must be an object", heed.write_dialogues, path, DIALOGUE)  # without a list
        for no_file in (self.folder, "/dev/null"):
            self.fails("exists and is not a regular file", heed.write_dialogues, no_file, [DIALOGUE])
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_FSIZE, limits)
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))  # as on a full disk
        self.fails("kept.jsonl: File too large", heed.write_dialogues, path, [DIALOGUE] * 1000)
        self.assertEqual(path.read_text(), "before")
        self.assertEqual(list(self.folder.iterdir()), [path])


class Safetensors(FolderTest):
    def test_every_type(self):
        path = self.folder / "x.safetensors"
        tensors = {"empty": np.zeros((0, 3), "f4"), "scalar": np.array(2.5), "big": np.arange(6, dtype=">i4"),
                   **{code: np.arange(6).reshape(2, 3).astype(code)
                      for code in ("f8", "f4", "f2", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "?")}}
        heed.write_safetensors(path, tensors, {"made": "here"})
        found = heed.read_safetensors(path)
        self.assertEqual(list(found), list(tensors))
        for name, x in tensors.items():
            np.testing.assert_array_equal(found[name], x)
            self.assertEqual(found[name].dtype, x.dtype.newbyteorder("<"), name)
        self.fails("no safetensors type for complex128", heed.write_safetensors, path, {"x": np.array(1j)})

    def test_bf16_becomes_f32(self):
        header = json.dumps({"x": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]}}).encode()
        raw = struct.pack("<Q", len(header)) + header + struct.pack("<HH", 0x3F80, 0xC049)
        x = heed.read_safetensors(self.write("x", raw))["x"]
        np.testing.assert_array_equal(x, np.array([1.0, -3.140625], "f4"))

    def test_f32_is_rounded_to_bf16(self):
        # 1, between 1 and its neighbour 1 + 2^-7: below half, half (to the even 1), above; half of the next (up)
        numbers = np.array([1, 1 + 2**-9, 1 + 2**-8, 1 + 2**-8 + 2**-23, 1 + 3 * 2**-8, -3.14159, 0], "f4")
        path = self.folder / "x.safetensors"
        heed.write_safetensors(path, {"x": numbers.reshape(7, 1), "y": np.array(2.5)}, bf16=True)
        found = heed.read_safetensors(path)
        nearest = [1, 1, 1, 1 + 2**-7, 1 + 2**-6, -3.140625, 0]
        np.testing.assert_array_equal(found["x"], np.array(nearest, "f4").reshape(7, 1))
        self.assertEqual(found["y"].dtype, np.dtype("f8"))
        self.fails("bf16 is for finite numbers", heed.write_safetensors, path, {"x": np.array([np.inf], "f4")}, bf16=True)

    def test_hostile_files(self):
        def file(entry, data=b"\0" * 8):
            header = (entry if isinstance(entry, str) else json.dumps({"x": entry})).encode()
            return self.write("x", struct.pack("<Q", len(header)) + header + data)
        good = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
        heed.read_safetensors(file(good))
        for change, rule in (({"dtype": "F33"}, "unknown dtype"), ({"dtype": [1]}, "unknown dtype"),
                             ({"shape": [-2]}, "whole numbers"), ({"shape": [True]}, "whole numbers"),
                             ({"shape": [3]}, "do not fit its shape"), ({"shape": [2**62, 2**62]}, "do not fit"),
                             ({"data_offsets": [0, 9]}, "do not lie in the file"),
                             ({"data_offsets": [8, 0]}, "do not lie in the file"),
                             ({"data_offsets": [0]}, "do not lie"), ({"data_offsets": None}, "whole numbers"),
                             ({"shape": [2**40, 2**40, 0], "data_offsets": [0, 0]}, "x: tensor \"x\": "),
                             ({"shape": [1] * 70, "data_offsets": [0, 4]}, "x: tensor \"x\": ")):
            self.fails(rule, heed.read_safetensors, file({**good, **change}))
        self.fails("its entry is not an object", heed.read_safetensors, file([]))
        self.fails("header: expected a JSON object", heed.read_safetensors, file("[1]"))
        self.fails("x: header: Expecting", heed.read_safetensors, file("{]"))
        for raw in (b"", b"\x01", b"\xff" * 8, struct.pack("<Q", 2**40) + b"{}"):
            self.fails("not a safetensors file", heed.read_safetensors, self.write("x", raw))


class WritesFeatures(FolderTest):
    def features(self, **change):
        return heed.Features(**{"x": [[1, 2], [3, 4]], "labels": {"Task": [["a"], []]}, **change})

    def test_lines_and_rows(self):
        heed.write_features(self.folder / "f", self.features(keys=["k", "k"], x=np.ones((2, 3))), self.features())
        lines = [json.loads(line) for line in (self.folder / "f" / "train.jsonl").read_text().splitlines()]
        self.assertEqual(lines[1], {"id": "example-2", "key": "k", "labels": {"Task": []}})
        self.assertEqual(heed.read_safetensors(self.folder / "f" / "train.safetensors")["x"].dtype, np.float64)
        self.assertEqual(heed.read_safetensors(self.folder / "f" / "test.safetensors")["x"].dtype, np.float32)

    def test_rules(self):
        where: Path = self.folder / "f"
        for change, rule in (({"x": [1, 2]}, "must be numbers (n, d)"),
                             ({"x": [[1, np.nan], [1, 1]]}, "row 0, column 1"),
                             ({"x": [["a"], ["b"]]}, "must be numbers"), ({"ids": ["a"]}, "1 ids, but x has 2 rows"),
                             ({"ids": ["a", "a"]}, "an id is given twice"), ({"keys": ["", "a"]}, "a key must be"),
                             ({"keys": [["a"], "a"]}, "a key must be"),
                             ({"labels": {}}, "must have a task"),
                             ({"labels": {"Task": [["a"]]}}, "1 labels of 'Task'"),
                             ({"labels": {"Task": [["a", "a"], []]}}, "is given twice"),
                             ({"labels": {"Task": ["ab", []]}}, "got the string 'ab'"),
                             ({"labels": {"Task": [["a" * 1025], []]}}, "at most 1024 bytes"),
                             ({"labels": {"": [[], []]}}, "the name of a task must be")):
            wrong = self.features(**change)
            self.fails(rule, heed.write_features, where, wrong, heed.Features([[1]], {t: [[]] for t in wrong.labels}))
        self.fails("test: its tasks are ['Other']", heed.write_features, where, self.features(),
                   self.features(labels={"Other": [[], []]}))
        self.assertFalse(list(where.glob("*.safetensors")))
        self.fails("file: File exists", heed.write_features, self.write("file", ""), self.features(), self.features())
