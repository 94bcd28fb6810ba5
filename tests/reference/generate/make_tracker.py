"""Writes what PyTorch computes of small trackers in float64, turn by turn and without a batch: logits, loss,
gradients, and the parameters after five steps of Adam. tests/dialog/track/tracker_test.cc compares.

    python3 make_tracker.py OUT_DIR

dE/dy is PyTorch's own derivative of the energy (create_graph), not the closed form that heed computes, and the
loss is differentiated through it.
"""
import math
import sys
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits as bce, cross_entropy, linear

import package  # noqa: F401
import heed

torch.set_default_dtype(torch.float64)
V, E, H, ACTS, ACT, K, STEPS, RATE = 13, 5, 4, 3, 3, 3, 3, 0.3
SLOTS = [(0, 3), (3, 5), (5, 9)]  # their places in y
EOU = 4
# user, system, acts, right values; unequal lengths, also of the conversations
CONVERSATIONS = [
    [([5, 6, EOU], [EOU], [], [0, 3, 5]), ([7, EOU], [8, 9, 10, EOU], [0, 2], [1, 3, 6])],
    [([11, 12, 5, 6, EOU], [EOU], [], [2, 4, 8]), ([EOU], [9, EOU], [1], [2, 4, 8]),
     ([6, 6, 8, EOU], [12, 11, EOU], [2], [2, 3, 7])],
    [([9, 10, EOU], [EOU], [], [1, 4, 5])],
]
CASES = {"heads": ("heads", "acts"), "energy": ("energy", "acts"), "text": ("energy", "text"),
         "independent": ("energy", "none")}


def lstm(p, name, x, suffix=""):
    """x (n, in) -> (n, H)"""
    h = c = torch.zeros(H)
    rows = []
    for row in x:
        gates = p[f"{name}.weight_ih_l0{suffix}"] @ row + p[f"{name}.weight_hh_l0{suffix}"] @ h + p[f"{name}.bias_l0{suffix}"]
        i, f, g, o = gates.chunk(4)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
        rows.append(h)
    return torch.stack(rows)


def read(p, name, words):
    x = p["features.words.weight"][words]
    return torch.cat([lstm(p, name, x)[-1], lstm(p, name, x.flip(0), "_reverse")[-1]])


def features(p, machine, conversation):
    rows = []
    for user, system, acts, _ in conversation:
        row = [read(p, "features.reader.0", user)]
        if machine == "text":
            row.append(read(p, "features.reader.1", system))
        if machine == "acts":
            a = torch.zeros(ACTS)
            a[acts] = 1
            for layer in range(2):
                a = torch.tanh(linear(a, p[f"features.acts.{layer}.weight"], p[f"features.acts.{layer}.bias"]))
            row.append(a)
        rows.append(torch.cat(row))
    return lstm(p, "features.turns", torch.stack(rows))


def energy(p, y, f):
    e = y @ (p["energy.0.w"] @ f)
    return e + p["energy.0.w_2"] @ torch.tanh(p["energy.0.w_1"] @ y) if "energy.0.w_1" in p else e


def outputs(p, kind):
    """Logits of all turns, conversation by conversation, and the loss."""
    output, machine = kind
    logits, losses = [], []
    for conversation in CONVERSATIONS:
        for f, (_, _, _, gold) in zip(features(p, machine, conversation), conversation):
            if output == "heads":
                x = linear(f, p["heads.0.weight"], p["heads.0.bias"])
                losses.append(sum(cross_entropy(x[b:e][None], torch.tensor([g - b]))
                                  for (b, e), g in zip(SLOTS, gold)))
                logits.append(x)
                continue
            y, right, loss = torch.zeros(SLOTS[-1][1], requires_grad=True), torch.zeros(SLOTS[-1][1]), 0
            right[gold] = 1
            for k in range(1, STEPS + 1):
                (slope,) = torch.autograd.grad(energy(p, y, f), y, create_graph=True)
                y = y - p["energy.0.theta"][k - 1].exp() * slope
                loss = loss + bce(y, right, reduction="sum") / STEPS / (STEPS - k + 1)
            losses.append(loss)
            logits.append(y)
    return torch.stack(logits), torch.stack(losses).mean()


def shapes(kind):
    output, machine = kind
    result = {"features.words.weight": (V, E)}

    def add_lstm(name, size, suffixes):
        for s in suffixes:
            result[f"{name}.weight_ih_l0{s}"], result[f"{name}.weight_hh_l0{s}"] = (4 * H, size), (4 * H, H)
            result[f"{name}.bias_l0{s}"] = (4 * H,)

    for reader in range(2 if machine == "text" else 1):
        add_lstm(f"features.reader.{reader}", E, ["", "_reverse"])
    if machine == "acts":
        result["features.acts.0.weight"], result["features.acts.1.weight"] = (ACT, ACTS), (ACT, ACT)
        result["features.acts.0.bias"] = result["features.acts.1.bias"] = (ACT,)
    add_lstm("features.turns", 2 * H + {"acts": ACT, "text": 2 * H, "none": 0}[machine], [""])
    n = SLOTS[-1][1]
    if output == "heads":
        result["heads.0.weight"], result["heads.0.bias"] = (n, H), (n,)
        return result
    result["energy.0.w"], result["energy.0.theta"] = (n, H), (STEPS,)
    if machine != "none":
        result["energy.0.w_1"], result["energy.0.w_2"] = (K, n), (K,)
    return result


def make(kind, random):
    p = {name: torch.tensor(random.normal(0, 0.5, shape), requires_grad=True) for name, shape in shapes(kind).items()}
    if "energy.0.theta" in p:
        p["energy.0.theta"].data += math.log(RATE)
    tensors = {"parameters." + name: value.detach().numpy().copy() for name, value in p.items()}
    optimiser = torch.optim.Adam(p.values(), lr=0.01)
    for step in range(5):
        optimiser.zero_grad()
        logits, loss = outputs(p, kind)
        loss.backward()
        if step == 0:
            tensors["logits"], tensors["loss"] = logits.detach().numpy().copy(), np.array([loss.item()])
            tensors.update({"gradients." + name: value.grad.numpy().copy() for name, value in p.items()})
        optimiser.step()
    tensors.update({"after_five." + name: value.detach().numpy().copy() for name, value in p.items()})
    return tensors


if __name__ == "__main__":
    for number, (name, kind) in enumerate(CASES.items()):
        heed.write_safetensors(str(Path(sys.argv[1]) / (name + ".safetensors")), make(kind, np.random.default_rng(number)))
