#!/usr/bin/env python3
"""Encodes real texts with `heed encode` and with PyTorch (transformers), and prints the ratio of their times.

    bench/compare_encoders.py --model FOLDER --data data/ubuntu-sample [--texts 2000] [--threads 1] [--rounds 5]

FOLDER is a model of Hugging Face's format, such as all-MiniLM-L6-v2. The texts are turns of the test part. Both sort them by length and
compute 64 at a time, f32; PyTorch pads each batch to its longest text. Time is of cutting into pieces, states and normalised means; for heed the
time of one text is taken off, which is loading the model. The rounds alternate, so that a busy machine slows both; the median of the paired
ratios is printed. The vectors of both are compared.
"""
import argparse
import gzip
import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path


def texts_of(data, count):
    texts = []
    with gzip.open(Path(data) / "test.jsonl.gz", "rt") as file:
        for line in file:
            texts += [turn["text"] for turn in json.loads(line)["turns"]]
    return texts[:count]


def heed_seconds(program, model, texts, threads, folder):
    path, out = folder / "texts.jsonl", folder / "vectors.npy"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    begin = time.perf_counter()
    subprocess.run([program, "encode", "--model", model, "--in", path, "--out", out, "--threads", str(threads)], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begin, out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--data", default="data/ubuntu-sample")
    parser.add_argument("--program", default="build/release/bin/heed")
    parser.add_argument("--texts", type=int, default=2000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    import numpy
    import torch
    from transformers import AutoModel, AutoTokenizer

    torch.set_num_threads(args.threads)
    tokenizer, model = AutoTokenizer.from_pretrained(args.model), AutoModel.from_pretrained(args.model).eval()
    texts = texts_of(args.data, args.texts)

    def torch_vectors():
        pieces = tokenizer(texts, truncation=True, max_length=256)["input_ids"]
        order = sorted(range(len(texts)), key=lambda i: -len(pieces[i]))
        vectors = torch.empty(len(texts), model.config.hidden_size)
        with torch.inference_mode():
            for at in range(0, len(order), 64):
                some = order[at:at + 64]
                batch = tokenizer.pad({"input_ids": [pieces[i] for i in some]}, return_tensors="pt")
                states = model(**batch).last_hidden_state
                mask = batch["attention_mask"][..., None].to(states.dtype)
                vectors[some] = torch.nn.functional.normalize((states * mask).sum(1) / mask.sum(1), dim=-1)
        return vectors

    ours, theirs, ratios = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        torch_vectors()
        for _ in range(args.rounds):
            loading, _ = heed_seconds(args.program, args.model, texts[:1], args.threads, folder)
            seconds, out = heed_seconds(args.program, args.model, texts, args.threads, folder)
            begin = time.perf_counter()
            vectors = torch_vectors()
            theirs.append(time.perf_counter() - begin)
            ours.append(seconds - loading)
            ratios.append(theirs[-1] / ours[-1])
        difference = numpy.abs(numpy.load(out) - vectors.numpy()).max()
    print(f"{len(texts)} texts, {args.threads} thread{'s' * (args.threads > 1)}: heed {statistics.median(ours):.2f} s, PyTorch "
          f"{torch.__version__} {statistics.median(theirs):.2f} s; heed is {statistics.median(ratios):.2f} times as fast "
          f"(median of {args.rounds} pairs); largest difference of a number {difference:.1e}")


if __name__ == "__main__":
    main()
