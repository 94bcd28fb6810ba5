#!/usr/bin/env python3
"""The speed of heed's BERT beside PyTorch (transformers) and ONNX Runtime on real texts: encoding, and fine-tuning.

    bench/compare_encoders.py --model FOLDER --data data/ubuntu-sample [--texts 2000] [--threads 1] [--rounds 5]
    bench/compare_encoders.py --model FOLDER --only tuning [--pairs 512] [--matmul bf16]

FOLDER is a model of Hugging Face's format that `heed import` has copied, such as all-MiniLM-L6-v2. The texts are turns of the test part,
drawn with a fixed seed. All programs sort them by length and compute in f32; PyTorch and ONNX Runtime pad each batch to its longest text,
with the fastest of some batch sizes (--batches). PyTorch runs as it is in inference_mode and, with --compile, through torch.compile as well.
ONNX Runtime gets the graph that its optimizer for transformers has fused. Time is of cutting into pieces, states and normalised means; for
heed the time of one text is taken off, which is that of loading the model. The rounds alternate, so that a busy machine slows all; the median
of the paired ratios and their range are printed. The vectors of all are compared.

Fine-tuning: one epoch on the last turns of so many dialogues (the last 96 pieces of each context, the first 48 of each response), 64 pairs a
step, with the others' responses as negatives, AdamW, clipped. Of heed the time of an epoch on 64 pairs is taken off; PyTorch's steps have
pairs of similar length.
"""
import argparse
import gzip
import json
import random
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy
import torch
from transformers import AutoModel, AutoTokenizer

LONGEST = 256  # pieces; that of all-MiniLM-L6-v2


def dialogues_of(data, part):
    path = Path(data) / f"{part}.jsonl"
    opened = gzip.open(f"{path}.gz", "rt") if not path.exists() else path.open()
    with opened as file:
        return [[turn["text"] for turn in json.loads(line)["turns"]] for line in file]


def texts_of(data, count):
    texts = [text for turns in dialogues_of(data, "test") for text in turns]
    random.Random(1).shuffle(texts)
    return texts[:count]


def processor_time():
    """Of this process and of the programs that it ran."""
    usage = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(u.ru_utime + u.ru_stime for u in usage)


clock = time.perf_counter


def seconds_of(run, *arguments):
    begin = clock()
    result = run(*arguments)
    return clock() - begin, result


def write_lines(path, objects):
    path.write_text("".join(json.dumps(o) + "\n" for o in objects))
    return path


# ---- encoding

class Heed:
    name = "heed"

    def __init__(self, args, folder):
        self.command = [args.program, "encode", "--model", args.model, "--threads", str(args.threads)]
        self.folder = folder

    def run(self, texts):
        path, out = write_lines(self.folder / "texts.jsonl", [{"text": t} for t in texts]), self.folder / "vectors.npy"
        subprocess.run([*self.command, "--in", path, "--out", out], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return numpy.load(out)

    def seconds(self, texts):
        loading, _ = seconds_of(self.run, texts[:1])
        seconds, vectors = seconds_of(self.run, texts)
        return seconds - loading, vectors


class Padded:
    """Batches of texts of similar length; states_of(ids, mask) has those of a batch."""

    def __init__(self, name, tokenizer, states_of):
        self.name, self.tokenizer, self.states_of, self.batch = name, tokenizer, states_of, 64

    def run(self, texts):
        pieces = self.tokenizer(texts, truncation=True, max_length=LONGEST)["input_ids"]
        order = sorted(range(len(texts)), key=lambda i: -len(pieces[i]))
        vectors = [None] * len(texts)
        for at in range(0, len(order), self.batch):
            some = order[at:at + self.batch]
            ids, mask = padded([pieces[i] for i in some])
            for i, vector in zip(some, means_of(self.states_of(ids, mask), mask)):
                vectors[i] = vector.numpy()
        return numpy.stack(vectors)

    def seconds(self, texts):
        return seconds_of(self.run, texts)

    def choose_batch(self, sizes, texts):
        def tried(size):
            self.batch = size
            self.run(texts[:size])  # what is done once for a shape is not timed
            return min(self.seconds(texts)[0] for _ in range(2))
        self.batch = min(sizes, key=tried)


def padded(pieces):
    longest = max(map(len, pieces))
    ids = torch.zeros(len(pieces), longest, dtype=torch.long)
    mask = torch.zeros(len(pieces), longest, dtype=torch.long)
    for i, row in enumerate(pieces):
        ids[i, :len(row)], mask[i, :len(row)] = torch.tensor(row), 1
    return ids, mask


def means_of(states, mask):
    weights = mask[..., None].to(states.dtype)
    return torch.nn.functional.normalize((states * weights).sum(1) / weights.sum(1), dim=-1)


def torch_states(model):
    def states(ids, mask):
        with torch.inference_mode():
            return model(input_ids=ids, attention_mask=mask).last_hidden_state
    return states


def onnx_states(args, folder):
    import onnxruntime
    from onnxruntime.transformers.optimizer import optimize_model

    class States(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = AutoModel.from_pretrained(args.model, attn_implementation="eager").eval()

        def forward(self, ids, mask):
            return self.model(input_ids=ids, attention_mask=mask).last_hidden_state

    states, path = States(), str(folder / "model.onnx")
    axes = {0: "texts", 1: "pieces"}
    torch.onnx.export(states, padded([[101, 102], [101, 102]]), path, input_names=["ids", "mask"], output_names=["states"],
                      dynamic_axes={"ids": axes, "mask": axes, "states": axes}, opset_version=17, dynamo=False)
    config = states.model.config
    fused = optimize_model(path, model_type="bert", num_heads=config.num_attention_heads, hidden_size=config.hidden_size)
    fused.save_model_to_file(path)
    print("ONNX Runtime", onnxruntime.__version__, "fused:",
          {name: n for name, n in fused.get_fused_operator_statistics().items() if n})
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.intra_op_num_threads, options.inter_op_num_threads = args.threads, 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return lambda ids, mask: torch.from_numpy(session.run(["states"], {"ids": ids.numpy(), "mask": mask.numpy()})[0])


def multiply_adds(config, lengths):
    """Of the products of all layers."""
    width, inner, layers = config.hidden_size, config.intermediate_size, config.num_hidden_layers
    return layers * sum(n * (4 * width * width + 2 * width * inner) + 2 * n * n * width for n in lengths)


def compare_encoding(args, folder):
    texts = texts_of(args.data, args.texts)
    tokenizer, model = AutoTokenizer.from_pretrained(args.model), AutoModel.from_pretrained(args.model).eval()
    others = [Padded("PyTorch " + torch.__version__, tokenizer, torch_states(model))]
    if args.compile:
        others.append(Padded("torch.compile", tokenizer, torch_states(torch.compile(model, dynamic=True))))
    if not args.no_onnx:
        others.append(Padded("ONNX Runtime", tokenizer, onnx_states(args, folder)))
    for other in others:
        other.choose_batch(args.batches, texts[:400])
    everyone = [Heed(args, folder), *others]
    seconds = {program.name: [] for program in everyone}
    for _ in range(args.rounds):
        vectors = {}
        for program in everyone:
            taken, vectors[program.name] = program.seconds(texts)
            seconds[program.name].append(taken)
    lengths = [len(row) for row in tokenizer(texts, truncation=True, max_length=LONGEST)["input_ids"]]
    work = 2e-9 * multiply_adds(model.config, lengths)
    print(f"{len(texts)} texts, {sum(lengths)} pieces, {args.threads} thread{'s' * (args.threads > 1)}, {args.rounds} rounds")
    ours = seconds["heed"]
    print(f"  heed: {statistics.median(ours):.2f} s, {work / statistics.median(ours):.1f} GFLOP/s")
    for other in others:
        theirs = seconds[other.name]
        difference = numpy.abs(vectors["heed"] - vectors[other.name]).max()
        print(f"  {other.name}, batches of {other.batch}: {statistics.median(theirs):.2f} s, {work / statistics.median(theirs):.1f} GFLOP/s; "
              f"heed is {ratio_text(theirs, ours)}; largest difference of a number {difference:.1e}")


def ratio_text(theirs, ours):
    ratios = [t / o for t, o in zip(theirs, ours)]
    return f"{statistics.median(ratios):.2f} times as fast ({min(ratios):.2f} to {max(ratios):.2f})"


# ---- fine-tuning

STEP, CONTEXT, RESPONSE = 64, 96, 48  # pairs in a step; pieces


class HeedTuning:
    def __init__(self, args, folder, dialogues):
        self.folder = folder
        for name, some in (("all", dialogues), ("one", dialogues[:STEP])):
            (folder / name).mkdir()
            for part, turns in (("train", some), ("valid", dialogues[:2])):
                write_lines(folder / name / f"{part}.jsonl",
                            [{"turns": [{"speaker": "AB"[k % 2], "text": t} for k, t in enumerate(d)]} for d in turns])
        self.command = [args.program, "train", "retrieval", "--preset", "pretrained", "--init", args.model, "--max-context", str(CONTEXT),
                        "--max-response", str(RESPONSE), "--matmul", args.matmul, "--threads", str(args.threads)]

    def run(self, name):
        with tempfile.TemporaryDirectory() as out:
            subprocess.run([*self.command, "--data", self.folder / name, "--out", Path(out) / "run"], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def seconds(self):
        one, _ = seconds_of(self.run, "one")
        return seconds_of(self.run, "all")[0] - one


class TorchTuning:
    def __init__(self, args, dialogues):
        self.model = AutoModel.from_pretrained(args.model).train()
        for part in self.model.modules():
            if isinstance(part, torch.nn.Dropout):
                part.p = 0.0  # as heed's
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=5e-5, weight_decay=0.01, fused=True)
        self.bf16 = args.matmul == "bf16"
        tokenizer = AutoTokenizer.from_pretrained(args.model, truncation_side="left")
        contexts = tokenizer([" ".join(d[:-1]) for d in dialogues], truncation=True, max_length=CONTEXT)["input_ids"]
        tokenizer.truncation_side = "right"
        responses = tokenizer([d[-1] for d in dialogues], truncation=True, max_length=RESPONSE)["input_ids"]
        pairs = sorted(zip(contexts, responses), key=lambda pair: len(pair[0]))
        self.steps = [pairs[i:i + STEP] for i in range(0, len(pairs), STEP)]

    def vectors(self, pieces):
        ids, mask = padded(pieces)
        return means_of(self.model(input_ids=ids, attention_mask=mask).last_hidden_state.float(), mask)

    def step(self, pairs):
        self.optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=self.bf16):
            contexts, responses = (self.vectors(side) for side in zip(*pairs))
            scores = 20 * contexts @ responses.T
        torch.nn.functional.cross_entropy(scores.float(), torch.arange(len(pairs))).backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()

    def seconds(self):
        return sum(seconds_of(self.step, step)[0] for step in self.steps)


def compare_tuning(args, folder):
    dialogues = [d for d in dialogues_of(args.data, "test") if len(d) > 1]
    random.Random(2).shuffle(dialogues)
    dialogues = dialogues[:args.pairs // STEP * STEP]
    # Without the pairs of the epoch that is taken off: both have the same work.
    ours, theirs = HeedTuning(args, folder, dialogues), TorchTuning(args, dialogues[STEP:])
    theirs.step(theirs.steps[0])
    pairs = [(ours.seconds(), theirs.seconds()) for _ in range(args.rounds)]
    steps = len(dialogues) // STEP - 1
    heed, pytorch = ([pair[i] for pair in pairs] for i in (0, 1))
    print(f"{steps} steps of {STEP} pairs, {args.matmul}, {args.threads} thread{'s' * (args.threads > 1)}, {args.rounds} rounds\n"
          f"  heed: {statistics.median(heed) / steps:.2f} s a step\n  PyTorch {torch.__version__}: {statistics.median(pytorch) / steps:.2f} s a step; "
          f"heed is {ratio_text(pytorch, heed)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--data", default="data/ubuntu-sample")
    parser.add_argument("--program", default="build/release/bin/heed")
    parser.add_argument("--only", choices=["encoding", "tuning"])
    parser.add_argument("--texts", type=int, default=2000)
    parser.add_argument("--pairs", type=int, default=320)
    parser.add_argument("--batches", type=int, nargs="+", default=[16, 32, 64, 128])
    parser.add_argument("--matmul", choices=["f32", "bf16"], default="f32", help="of fine-tuning")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--processor-time", action="store_true", help="instead of the clock's: on a busy machine, with one thread")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--no-onnx", action="store_true")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    if args.processor_time:
        global clock
        clock = processor_time
    for kind, compare in (("encoding", compare_encoding), ("tuning", compare_tuning)):
        if args.only in (None, kind):
            with tempfile.TemporaryDirectory() as folder:
                compare(args, Path(folder))


if __name__ == "__main__":
    main()
