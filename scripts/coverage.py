#!/usr/bin/env python3
"""Adds up the JSON lines of gcov (standard input): covered lines and branches of heed's own code."""
import collections
import json
import os
import sys

FOLDERS = ["base", "emulator", "tensor", "autograd", "nn", "optim", "train", "dialog", "experiments", "heed"]


def read(root, stream):
    """File -> line -> [count, branch counts], summed over all programs and template instances."""
    files = collections.defaultdict(dict)
    for text in stream:
        for file in json.loads(text)["files"]:
            name = os.path.relpath(os.path.join(root, "build", "x", file["file"]), root)
            if os.path.isabs(file["file"]) or name.startswith(".."):
                name = os.path.relpath(file["file"], root)
            if name.split("/")[0] not in FOLDERS:
                continue
            for line in file["lines"]:
                seen = files[name].setdefault(line["line_number"], [0, []])
                seen[0] += line["count"]
                # exceptions leave every call by a branch of their own, which says nothing
                counts = [b["count"] for b in line["branches"] if not b["throw"]]
                if len(counts) == len(seen[1]):
                    seen[1] = [a + b for a, b in zip(seen[1], counts)]
                elif not seen[1]:
                    seen[1] = counts
    return files


def totals(lines):
    branches = [count for _, counts in lines for count in counts]
    return (sum(count > 0 for count, _ in lines), len(lines),
            sum(count > 0 for count in branches), len(branches))


def row(name, lines):
    hit, all_lines, taken, branches = totals(lines)
    share = lambda part, whole: f"{100 * part / whole:.1f} %" if whole else "-"
    return f"| {name} | {all_lines} | {share(hit, all_lines)} | {branches} | {share(taken, branches)} |"


def ranges(numbers):
    """[1, 2, 3, 7] -> "1-3, 7" """
    parts = []
    for n in sorted(numbers):
        if parts and n == parts[-1][1] + 1:
            parts[-1][1] = n
        else:
            parts.append([n, n])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def main():
    files = read(sys.argv[1], sys.stdin)
    print("| folder | lines | run | branches | taken |\n| --- | ---: | ---: | ---: | ---: |")
    for folder in FOLDERS:
        lines = [l for name, f in files.items() if name.startswith(folder + "/") for l in f.values()]
        if lines:
            print(row(f"`{folder}/`", lines))
    print(row("**all**", [l for f in files.values() for l in f.values()]))
    print("\nLines that no test runs:\n")
    for name in sorted(files):
        missed = [n for n, (count, _) in files[name].items() if count == 0]
        if missed:
            print(f"- `{name}`: {ranges(missed)}")


if __name__ == "__main__":
    main()
