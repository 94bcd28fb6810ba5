#!/usr/bin/env python3
"""Memory of the ranks that `mpirun` starts on this machine: python3 bench/ranks_memory.py RANKS DATA [HEED]

Trains some steps of the preset smoke, with distractions, and reads /proc/PID/smaps_rollup of each rank. Private is what only
this rank has, pss adds its part of what it shares, and peak is the most pss that all had together, while they read.
"""
import os
import signal
import subprocess
import sys
import tempfile
import time

SECONDS = 10  # of training that are looked at


def children_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            children = [int(child) for child in file.read().split()]
    except OSError:
        return []
    return children + [found for child in children for found in children_of(child)]


def is_program(pid, path):
    try:
        return os.readlink(f"/proc/{pid}/exe") == path
    except OSError:
        return False


def memory_of(pid):
    """{"Rss": KiB, "Pss": ...}, empty of a process that has ended."""
    try:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            rows = [line.split() for line in file if line.rstrip().endswith(" kB")]
    except OSError:
        return {}
    return {row[0].rstrip(":"): int(row[1]) for row in rows}


def measure(ranks, data, heed):
    with tempfile.TemporaryDirectory() as out:
        run = os.path.join(out, "run")
        command = ["mpirun", "--oversubscribe", "--allow-run-as-root", "--mca", "btl", "self,vader", "-n", str(ranks), heed,
                   "train", "--data", data, "--out", run, "--preset", "smoke", "--examples", "last", "--insert-prob", "0.7",
                   "--threads", "1", "--epochs", "1", "--log-steps", "1"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        begin, first_step, peak, seen = time.time(), None, 0, {}
        while process.poll() is None and (first_step is None or time.time() < first_step + SECONDS):
            pids = [pid for pid in children_of(process.pid) if is_program(pid, heed)]
            now = {pid: memory for pid in pids if (memory := memory_of(pid))}
            peak = max(peak, sum(memory["Pss"] for memory in now.values()))
            if first_step is None and os.path.exists(os.path.join(run, "steps.jsonl")) and os.path.getsize(run + "/steps.jsonl"):
                first_step = time.time()
            if first_step and len(now) == ranks:
                seen = now
            time.sleep(0.2)
        process.send_signal(signal.SIGTERM)
        process.wait()
    if not seen:
        sys.exit("the training ended before it was looked at")
    return begin, first_step, peak, [seen[pid] for pid in sorted(seen)]


def main():
    ranks, data = int(sys.argv[1]), sys.argv[2]
    heed = os.path.realpath(sys.argv[3] if len(sys.argv) > 3 else "build/release/bin/heed")
    begin, first_step, peak, memory = measure(ranks, data, heed)
    private = [(m["Private_Clean"] + m["Private_Dirty"]) // 1024 for m in memory]
    pss = [m["Pss"] // 1024 for m in memory]
    print(f"{ranks} ranks, MiB: private {min(private)} to {max(private)}, pss {min(pss)} to {max(pss)}, all together {sum(pss)}, "
          f"peak {peak // 1024}; first step after {first_step - begin:.0f} s")


main()
