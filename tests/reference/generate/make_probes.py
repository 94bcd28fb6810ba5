"""Probe problems and what scikit-learn makes of them, for tests/dialog/stats/logistic_test.cc.

    python3 tests/reference/generate/make_probes.py OUT_DIR        needs scikit-learn

Every problem is a folder of features as `heed probe --features` reads it, with expected.json: of each
label the weights and the intercept of LogisticRegression(C=1, tol=1e-10) in float64 (none where all
training examples have it), the labels predicted for each test example, and the micro F1.
"""

import json
import sys
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.preprocessing import MultiLabelBinarizer

import package  # noqa: F401
import heed


def part(name, x, sets):
    return heed.Features(x, {"Task": [sorted(labels) for labels in sets]}, [f"{name}-{i}" for i in range(len(x))])


def expected(train_x, train, test_x, test):
    binariser = MultiLabelBinarizer()
    y = binariser.fit_transform(train)
    result = {"labels": list(binariser.classes_), "weights": [], "intercepts": []}
    predicted = np.zeros((len(test), y.shape[1]), dtype=int)
    for k in range(y.shape[1]):
        if y[:, k].all():
            result["weights"].append(None)
            result["intercepts"].append(None)
            predicted[:, k] = 1
            continue
        model = LogisticRegression(C=1, tol=1e-10, max_iter=1000000).fit(train_x.astype(np.float64), y[:, k])
        result["weights"].append(model.coef_[0].tolist())
        result["intercepts"].append(model.intercept_[0])
        predicted[:, k] = model.predict(test_x.astype(np.float64))
    known = [[label for label in labels if label in binariser.classes_] for labels in test]
    result["predictions"] = [np.flatnonzero(row).tolist() for row in predicted]
    result["f1"] = f1_score(binariser.transform(known), predicted, average="micro", zero_division=0)
    return result


def separable(rng):  # two labels that a line separates, which one dimension tells
    x = rng.normal(size=(120, 4)).astype(np.float32)
    x[:, 0] += np.where(x[:, 0] > 0, 0.5, -0.5)
    return x, [{"right"} if row[0] > 0 else {"left"} for row in x], 80


def imbalanced(rng):  # one in thirty, dimensions of very different sizes, a constant and an unseen label
    x = (rng.normal(size=(400, 6)) * [1, 30, 0.05, 1, 1, 1] + [0, 10, 0, 0, 0, 5]).astype(np.float32)
    rare = x[:, 0] + x[:, 1] / 30 + rng.normal(size=400) * 0.3 > 2.6
    sets = [{"always"} | ({"rare"} if r else set()) for r in rare]
    sets[310].add("unseen")
    sets[311] = {"always", "unseen"}
    return x, sets, 300


def sixty(rng):  # 60 labels, several an example, some of them in few examples
    x = rng.normal(size=(500, 16)).astype(np.float32)
    scores = x @ rng.normal(size=(16, 60)) + rng.normal(size=(500, 60)) - np.linspace(1, 7, 60)
    return x, [{f"label-{k:02d}" for k in np.flatnonzero(row > 0)} for row in scores], 350


def main():
    out = Path(sys.argv[1])
    for seed, problem in enumerate([separable, imbalanced, sixty]):
        x, sets, n = problem(np.random.default_rng(seed))
        folder = out / problem.__name__
        heed.write_features(folder, part("train", x[:n], sets[:n]), part("test", x[n:], sets[n:]))
        result = expected(x[:n], sets[:n], x[n:], sets[n:])
        (folder / "expected.json").write_text(json.dumps(result) + "\n")
        print(problem.__name__, len(result["labels"]), "labels, f1", result["f1"])


if __name__ == "__main__":
    main()
