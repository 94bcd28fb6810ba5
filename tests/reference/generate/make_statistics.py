#!/usr/bin/env python3
"""Writes what SciPy makes of small samples, with ties and without (tests/experiments/engine/hypothesis_test.cc):

    python3 tests/reference/generate/make_statistics.py tests/reference/statistics/scipy.json

Needs SciPy (1.17 made the file)."""

import json
import sys

import numpy
from scipy import stats


def rank_sum(x, y, method):
    result = stats.mannwhitneyu(x, y, alternative="two-sided", method=method)
    return {"x": list(map(float, x)), "y": list(map(float, y)), "exact": method == "exact",
            "u": float(result.statistic), "p": float(result.pvalue)}


def rank_sums(random):
    cases = []
    for n1, n2 in [(1, 1), (1, 5), (3, 4), (8, 5), (12, 20), (20, 20)]:
        values = random.permutation(n1 + n2) + 0.25  # no ties
        cases.append(rank_sum(values[:n1], values[n1:], "exact"))
        values[:n1].sort()
        cases.append(rank_sum(numpy.sort(values)[n2:], numpy.sort(values)[:n2], "exact"))
    for n1, n2, levels in [(6, 7, 3), (15, 15, 4), (20, 21, 1000000), (40, 25, 10), (150, 150, 5), (21, 4, 2)]:
        x, y = random.integers(0, levels, n1), random.integers(0, levels + 1, n2)
        cases.append(rank_sum(x, y, "asymptotic"))
        cases.append(rank_sum(x / 8 + 0.125, y / 8, "asymptotic"))
    return cases


def binomial():
    cases = []
    for k, n, p in [(34, 60, 0.5), (38, 60, 0.5), (42, 60, 0.5), (175, 300, 0.5), (203, 300, 0.5), (221, 300, 0.5),
                    (0, 7, 0.5), (7, 7, 0.5), (3, 7, 0.5), (30, 60, 0.5), (2, 20, 0.3), (11, 20, 0.3), (5, 5, 1.0),
                    (4, 5, 1.0), (0, 3, 0.0), (4900, 10000, 0.5)]:
        cases.append({"k": k, "n": n, "p": p, "two_sided": float(stats.binomtest(k, n, p).pvalue),
                      "at_least": float(stats.binomtest(k, n, p, alternative="greater").pvalue)})
    return cases


def main():
    random = numpy.random.default_rng(20170)
    with open(sys.argv[1], "w") as file:
        cases = {"rank_sum": rank_sums(random), "binomial": binomial()}
        file.write("{\n" + ",\n".join(
            f' "{name}": [\n' + ",\n".join("  " + json.dumps(case) for case in rows) + "\n ]"
            for name, rows in cases.items()) + "\n}\n")


if __name__ == "__main__":
    main()
