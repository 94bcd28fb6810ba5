"""The models in PyTorch against the reference cases and, in every combination of options, against the
program."""
import dataclasses
import importlib.util
import json
import re
import sys
import unittest

import numpy as np

import heed
from helpers import CASES, ROOT, FolderTest, has, needs_program, needs_torch

if has("torch"):
    import torch

    import heed.torch


def example(model, dialogue):
    """Of a dialogue that is words with blanks between them."""
    *context, response = heed.torch.numbers(model.vocabulary, [turn["text"].split() for turn in dialogue["turns"]])
    conditions = []
    for label, _, values in (c.partition("=") for c in (model.config.sentiment, model.config.domain)):
        said = dialogue["turns"][-1].get("labels", {}).get(label, [])
        conditions.append([values.split("|").index(value) for value in said])
    return {"context": context, "response": response, "conditions": conditions,
            "distraction": [turn.get("distraction", False) for turn in dialogue["turns"][:-1]]}


def every_config():
    """All structures with all their options, small; with two layers, of different sizes."""
    for structure in heed.torch.STRUCTURES:
        for change in ({}, {"lstm_bias": True}, {"attention": "dot"}, {"attention": "general"},
                       {"attention": "additive"}, {"bidirectional": True, "lstm_bias": True}, {"input_feeding": False},
                       {"noise": "word"}, {"message_attention": False}, {"topics": 3},
                       {"whole_query": True},
                       {"generic_words": 30, "gate_weight": 0.5, "sentiment": "emotion=a|b", "domain": "topic=c"},
                       {"generic_words": 30, "gate_on_logits": True}):
            try:
                yield heed.torch.ModelConfig(structure, 40, 7, 8, 2, heads=4, **change)
            except heed.DataError:
                pass  # not of this structure


@needs_torch
class Reference(unittest.TestCase):
    def assert_close(self, found, expected, what):
        if expected is None or len(np.atleast_1d(expected)) == 0:  # of a model without attention
            self.assertTrue(found is None or found.numel() == 0, what)
            return
        found, expected = (torch.as_tensor(x, dtype=torch.float64) for x in (found, expected))
        self.assertLess((found - expected).abs().max().item(), 1e-9, what)

    def check_case(self, case):
        expected = json.loads((case / "expected.json").read_text())
        model = heed.torch.load_model(case, torch.float64)
        batch = [example(model, d) for d in heed.read_dialogues(case / "dialogs.jsonl")]
        pairs = []
        for one, wanted in zip(batch, expected["dialogs"]):
            out = model(one)
            for key in ("nll", "as_scores", "attention_loss"):
                self.assert_close(out[key].detach(), wanted[key], key)
            pairs.append((out["as_scores"].tolist(), one["distraction"]))
        self.assertEqual(len(pairs), len(expected["dialogs"]))
        for key, value in heed.das_summary(pairs).items():
            if key in expected:  # the reference has no das_above, das_bounded and das_ratio_long
                self.assert_close(value, expected[key], key)
        self.assert_close(heed.torch.perplexity(model, batch), expected["perplexity"], "perplexity")
        loss = heed.torch.batch_loss(model, batch)
        self.assert_close(loss.detach(), expected["loss"], "loss")
        loss.backward()
        norms = {name: p.grad.norm().item() for name, p in model.named_parameters()}
        self.assertEqual(set(norms), set(expected["grad_norm"]))
        for name, wanted in expected["grad_norm"].items():
            self.assert_close(norms[name] / max(1, wanted), wanted / max(1, wanted), name)

    def test_every_case(self):
        self.assertGreater(len(CASES), 15)
        for case in CASES:
            with self.subTest(case.name):
                self.check_case(case)

    def test_every_structure_of_the_program_is_there(self):
        source = (ROOT / "dialog" / "respond" / "structures.cc").read_text()
        rows = re.findall(r'\{"([\w-]+)",\s+Family|hred<LooksAt::\w+>\("([\w-]+)"', source)
        self.assertEqual(tuple(a or b for a, b in rows), heed.torch.STRUCTURES)


class Settings(unittest.TestCase):
    def test_every_setting_of_a_model_is_there(self):  # PyTorch or not
        spec = importlib.util.spec_from_file_location("heed_config", ROOT / "python" / "heed" / "torch" / "config.py")
        config = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(config)
        page = (ROOT / "docs" / "settings.md").read_text()  # made from the program
        table = page.partition("<!-- respond -->")[2].partition("<!-- /respond -->")[0]
        fields = [field.name for field in dataclasses.fields(config.ModelConfig)]
        self.assertEqual(re.findall(r"^\| [^|]+ \| `(\w+)` ", table, re.M), fields)
        with self.assertRaisesRegex(heed.DataError, "^embedding_scale: not a setting that these modules know"):
            config.ModelConfig.of_json({**dict.fromkeys(fields, 8), "embedding_scale": 2})
        # A new setting is a field, and nothing else: config.json has it where it is not the default.
        longer = dataclasses.make_dataclass("Longer", [("embedding_scale", float, 1.0)], bases=(config.ModelConfig,), frozen=True)
        always = {"structure": "static", "vocab_size": 9, "embedding_size": 8, "hidden_size": 8, "num_layers": 1,
                  "lstm_bias": False, "dropout": 0.2}
        sizes = {name: always[name] for name in fields[:5]}
        self.assertEqual(longer(**sizes).to_json(), always)
        self.assertEqual(longer(**sizes, embedding_scale=2.0).to_json(), {**always, "embedding_scale": 2.0})
        self.assertEqual(longer(**{**sizes, "structure": "transformer"}).to_json(),
                         {**always, "structure": "transformer", "heads": 2})


TABLES = {"keywords": {"ppmi.query": np.arange(5, 35, dtype=np.int32), "ppmi.response": np.arange(39, 9, -1, dtype=np.int32),
                       "ppmi.value": np.linspace(1, 3, 30, dtype=np.float32)},
          **dict.fromkeys(("thred-topics", "ta-seq2seq"), {"topics.counts": np.array([0, 9, 1, 30, 2, 0, 5], np.int32)})}


@needs_torch
class AgainstTheProgram(FolderTest):
    @needs_program
    def test_every_option(self):
        torch.manual_seed(1)
        static = next(case for case in CASES if case.name == "static-ui")
        words = heed.read_vocabulary(static)[:40]
        dialogues = heed.read_dialogues(static / "dialogs.jsonl")[:2]
        structures = set()
        for config in every_config():
            with self.subTest(config):
                structures.add(config.structure)
                self.write("config.json", json.dumps(config.to_json()))
                self.write("vocab.txt", "\n".join(words) + "\n")
                tables = TABLES.get(config.structure, {})
                if "topics.counts" in tables:  # of as many topics
                    tables = {"topics.counts": np.resize(tables["topics.counts"], (40, config.topics))}
                heed.write_safetensors(self.folder / "tables.safetensors", tables)
                made = heed.torch.make_model(config, tables)
                heed.write_safetensors(self.folder / "model.safetensors",
                                       {name: 3 * p.detach().numpy() for name, p in made.named_parameters()})
                self.compare(dialogues)
        self.assertEqual(structures, set(heed.torch.STRUCTURES))

    def compare(self, dialogues):
        scored = heed.score(self.folder, dialogues, dtype="f64", options=["--examples", "all", "--threads", "1"])
        model = heed.torch.load_model(self.folder, torch.float64)
        entries = scored.data["per_example"]
        self.assertGreater(len(entries), len(dialogues))
        for entry, one in zip(entries, heed.torch.examples(model, scored)):
            out = model(one)
            for key in ("nll", "as_scores", "attention_loss", "attention"):
                if len(entry.get(key, [])) == 0:  # of a model without attention
                    self.assertEqual(out[key].numel(), 0, key)
                    continue
                wanted = torch.tensor(entry[key], dtype=torch.float64)
                self.assertEqual(out[key].shape, wanted.shape)
                self.assertLess((out[key] - wanted).abs().max().item(), 1e-9, key)


@needs_torch
class Loading(FolderTest):
    def setUp(self):
        super().setUp()
        self.case = next(case for case in CASES if case.name == "static")
        for name in ("config.json", "vocab.txt", "model.safetensors"):
            self.write(name, (self.case / name).read_bytes())
        self.config = json.loads((self.case / "config.json").read_text())

    def test_what_does_not_fit(self):
        for change, rule in (({"structure": "x"}, "structure: expected one of non-hier"),
                             ({"hidden_size": 0}, "hidden_size: expected 1 to"),
                             ({"num_layers": True}, "num_layers: expected 1 to"),
                             ({"lstm_bias": 1}, "lstm_bias: expected true or false"),
                             ({"attention": "x"}, "attention: expected one of"),
                             ({"bidirectional": True}, "bidirectional: is for"),
                             ({"input_feeding": False}, "input_feeding: false is for"),
                             ({"system": "adversarial"}, "does not write responses"),
                             ({"vocab_size": 10}, "words, config.json says 10"),
                             ({"hidden_size": 1 << 24}, "decoder.output.weight must be"),
                             ({"num_layers": 1 << 24}, "layers after config.json"),
                             ({"num_layers": 3}, "no tensor encoder.lstm.weight_ih_l2"),
                             ({"structure": "static-ui"}, "no tensor integration.lstm"),
                             ({"structure": "lstm"}, "decoder.lstm.weight_ih_l0 must be")):
            self.write("config.json", json.dumps({**self.config, **change}))
            self.fails(rule, heed.torch.load_model, self.folder)
            self.fails(str(self.folder), heed.torch.load_model, self.folder)
        self.write("config.json", '{"structure": "static"}')
        self.fails("missing 4 required", heed.torch.load_model, self.folder)

    def test_a_tensor_too_many(self):
        tensors = heed.read_safetensors(self.case / "model.safetensors")
        tensors["more"] = tensors["decoder.combine.weight"]
        heed.write_safetensors(self.folder / "model.safetensors", tensors)
        self.fails("more is no parameter of static", heed.torch.load_model, self.folder)

    def test_only_scores_have_examples(self):
        model = heed.torch.load_model(self.folder)
        result = heed.read_results(self.write("r.json", '{"per_example": [{"id": "a"}]}'))
        self.fails("not a result of `heed score`", heed.torch.examples, model, result)


@unittest.skipIf(has("torch"), "torch is there")
class WithoutTorch(FolderTest):
    def test_it_says_so(self):
        with self.assertRaisesRegex(heed.HeedError, "this needs torch, which is not installed: pip install torch$"):
            importlib.import_module("heed.torch")
