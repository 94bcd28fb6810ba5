"""Time of `heed probe` beside scikit-learn's LogisticRegression, one against rest, on the same made-up
representations: a probe of the size of MultiWOZ with the values of all slots as labels. Both stop at a
largest gradient component; scikit-learn's is of the mean loss, so its tolerance is divided by the number
of examples. Of scikit-learn every --every'th label is fitted, and the time multiplied.

    python3 bench/probe_speed.py --heed build/release/bin/heed        needs numpy and scikit-learn
"""

import argparse
import json
import os
import struct
import subprocess
import tempfile
import time
from pathlib import Path


def save_part(folder, part, x, sets):
    header = json.dumps({"x": {"dtype": "F32", "shape": list(x.shape), "data_offsets": [0, x.nbytes]}}).encode()
    header += b" " * (-len(header) % 8)
    (folder / f"{part}.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + x.tobytes())
    with open(folder / f"{part}.jsonl", "w") as out:
        for i, labels in enumerate(sets):
            out.write(json.dumps({"id": f"{part}-{i}", "labels": {"T": labels}}) + "\n")


def problem(n, d, k, seed=1):
    """Correlated dimensions, as states of an encoder are; labels from a third of the examples down to few."""
    import numpy as np

    rng = np.random.default_rng(seed)
    spectrum = np.linspace(1, d, d) ** -0.5
    x = np.tanh((rng.normal(size=(n, d)) * spectrum) @ rng.normal(size=(d, d))).astype(np.float32)
    scores = x @ rng.normal(size=(d, k)) / 4 + rng.normal(size=(n, k))
    shares = 0.35 / np.arange(1, k + 1)
    y = scores > np.quantile(scores, 1 - np.maximum(shares, 20 / n), axis=0).diagonal()
    return x, y


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--heed", default="build/release/bin/heed")
    parser.add_argument("--examples", type=int, default=57000)
    parser.add_argument("--dims", type=int, default=256)
    parser.add_argument("--labels", type=int, default=500)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--every", type=int, default=25)
    parser.add_argument("--standardise", action="store_true")
    a = parser.parse_args()
    for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"]:
        os.environ[name] = str(a.threads)
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    x, y = problem(a.examples, a.dims, a.labels)
    if a.standardise:
        x = ((x - x.mean(axis=0)) / x.std(axis=0)).astype(np.float32)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sets = [[str(label) for label in np.flatnonzero(row)] for row in y]
        save_part(folder, "train", x, sets)
        save_part(folder, "test", x[:100], sets[:100])
        begin = time.time()
        subprocess.run([a.heed, "probe", "--features", name, "--threads", str(a.threads),
                        "--json", str(folder / "p.json")], check=True)
        ours = time.time() - begin
        result = json.loads((folder / "p.json").read_text())["tasks"]["T"]
    theirs, iterations = 0.0, 0
    wide = x.astype(np.float64)
    for k in range(0, a.labels, a.every):
        begin = time.time()
        model = LogisticRegression(max_iter=1000, tol=1e-4 / a.examples).fit(wide, y[:, k])
        theirs += time.time() - begin
        iterations = max(iterations, int(model.n_iter_[0]))
    theirs *= a.labels / len(range(0, a.labels, a.every))
    print(f"{a.examples} x {a.dims}, {a.labels} labels, {a.threads} threads: heed {ours:.1f} s (reading included, "
          f"{result['iterations']} iterations at most, {result['unconverged']} labels not converged), scikit-learn "
          f"{theirs:.1f} s ({iterations}); ratio {theirs / ours:.1f}")


if __name__ == "__main__":
    main()
