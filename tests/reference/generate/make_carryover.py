"""Writes a file for each kind of slot carryover: probabilities, loss and gradients in float64, computed item by
item with PyTorch. tests/dialog/carry/carryover_test.cc compares.

    python3 make_carryover.py OUT_DIR

"parameters.NAME" and "gradients.NAME" by heed's names; "loss", the mean over items; "p" and "carry" of all
slots, item by item; "steps", the losses after each of five steps of Adam with the rate 0.01. Dialog: tokens with
the speakers 13 and 14, slots as (key, begin, end, distance).
"""
import sys
from pathlib import Path

import numpy as np
import torch

import package  # noqa: F401
import heed

WORDS, E, H, HEADS, SIZE, FAR = 13, 5, 4, 3, 2, 10
ITEMS = [  # tokens, intent, slots, those that hold
    ([14, 5, 6, 7, 4, 13, 8, 4], [9], [([10], 1, 3, 1), ([11, 12], 6, 7, 0)], [0]),
    ([13, 5, 9, 4, 14, 12, 4, 13, 7, 7, 6, 4], [5, 6],
     [([10], 1, 2, 2), ([10], 5, 6, 1), ([12, 5], 8, 11, 0), ([8], 0, 1, 2)], [0, 2, 3]),
    ([13, 11, 6, 4], [], [([9, 9, 7], 1, 3, 0)], []),
]
CASES = {  # decoder, value
    "pointer": ("pointer", "lstm"),
    "pointer-average": ("pointer", "average"),
    "self-attention": ("self-attention", "lstm"),
    "independent": ("independent", "lstm"),
}


def shapes(decoder, value):
    d, context, z = E + (2 * H if value == "lstm" else E) + 4, 2 * H + E, HEADS * SIZE
    result = {"embedding.weight": (WORDS + 2, E), "distance.weight": (FAR + 1, 4)}

    def lstm(name, width, suffixes):
        for suffix in suffixes:
            result[f"{name}.weight_ih_l0{suffix}"] = (4 * H, width)
            result[f"{name}.weight_hh_l0{suffix}"] = (4 * H, H)
            result[f"{name}.bias_l0{suffix}"] = (4 * H,)

    def linear(name, width, out, bias=True):
        result[name + ".weight"] = (out, width)
        if bias:
            result[name + ".bias"] = (out,)

    lstm("lstm", E, ["", "_reverse"])
    if decoder == "pointer":
        lstm("pointer.slots", d, ["", "_reverse"])
        lstm("pointer.steps", d, [""])
        linear("pointer.start_h", 2 * H, H)
        linear("pointer.start_c", 2 * H, H)
        linear("pointer.query", H + context, 2 * H, bias=False)
        result["pointer.ends"] = (2, d)
        return result
    attends = decoder == "self-attention"
    if attends:
        linear("attention.query", d + context, z, bias=False)
        linear("attention.key", d, z, bias=False)
        result["attention.bilinear"] = (HEADS, SIZE, SIZE)
        linear("attention.output", z, d)
    linear("hidden", d + (d if attends else 0) + context, 2 * H)
    linear("output", 2 * H, 1)
    return result


def cell(p, name, suffix, x, h, c):
    gates = p[f"{name}.weight_ih_l0{suffix}"] @ x + p[f"{name}.weight_hh_l0{suffix}"] @ h + p[f"{name}.bias_l0{suffix}"]
    i, f, g, o = gates.chunk(4)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


def bilstm(p, name, rows):
    """(n, in) -> states (n, 2H), last h and last c of both directions."""
    states, last_h, last_c = [], [], []
    for suffix in ["", "_reverse"]:
        h = c = torch.zeros(H, dtype=torch.float64)
        outputs = []
        for row in (rows.flip(0) if suffix else rows):
            h, c = cell(p, name, suffix, row, h, c)
            outputs.append(h)
        states.append(torch.stack(outputs[::-1] if suffix else outputs))
        last_h.append(h)
        last_c.append(c)
    return torch.cat(states, 1), torch.cat(last_h), torch.cat(last_c)


def linear(p, name, x):
    y = x @ p[name + ".weight"].T
    return y + p[name + ".bias"] if name + ".bias" in p else y


def pointer(p, x, context, gold):
    eos, bos = p["pointer.ends"]
    e, last_h, last_c = bilstm(p, "pointer.slots", torch.cat([eos[None], x]))

    def run(choose):
        h, c = linear(p, "pointer.start_h", last_h), linear(p, "pointer.start_c", last_c)
        left, fed = list(range(len(e))), bos
        for step in range(len(e)):
            h, c = cell(p, "pointer.steps", "", fed, h, c)
            scores = e[left] @ linear(p, "pointer.query", torch.cat([h, context]))
            chosen = choose(step, left, torch.log_softmax(scores, 0))
            if chosen == 0:
                return
            left.remove(chosen)
            fed = x[chosen - 1]

    losses, found = [], {}

    def right(step, left, log_p):
        chosen = gold[step] + 1 if step < len(gold) else 0
        losses.append(-log_p[left.index(chosen)])
        return chosen

    def best(_, left, log_p):
        chosen = left[int(log_p.argmax())]
        if chosen:
            found[chosen - 1] = float(log_p.max().exp())
        return chosen

    run(right)
    run(best)
    return sum(losses), [found.get(i, 0.0) for i in range(len(x))], [float(i in found) for i in range(len(x))]


def others(p, x, context, gold):
    every = context.expand(len(x), -1)
    parts = [x, every]
    if "attention.key.weight" in p:
        q = linear(p, "attention.query", torch.cat(parts, 1)).reshape(len(x), HEADS, SIZE)
        k = linear(p, "attention.key", x).reshape(len(x), HEADS, SIZE)
        heads = []
        for z in range(HEADS):
            a = torch.softmax(q[:, z] @ p["attention.bilinear"][z] @ k[:, z].T, 1)
            heads.append(a @ k[:, z])
        parts.insert(1, linear(p, "attention.output", torch.cat(heads, 1)))
    y = linear(p, "output", torch.relu(linear(p, "hidden", torch.cat(parts, 1))))[:, 0]
    truth = torch.tensor([float(i in gold) for i in range(len(x))], dtype=torch.float64)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(y, truth, reduction="sum")
    prob = torch.sigmoid(y).tolist()
    return loss, prob, [float(v >= 0.5) for v in prob]


def item(p, value, tokens, intent, slots, gold):
    embed = p["embedding.weight"]
    states, last_h, _ = bilstm(p, "lstm", embed[tokens])
    of_intent = embed[intent].mean(0) if intent else torch.zeros(E, dtype=torch.float64)
    values = states if value == "lstm" else embed[tokens]
    x = torch.stack([torch.cat([embed[key].mean(0), values[begin:end].mean(0), p["distance.weight"][min(far, FAR)]])
                     for key, begin, end, far in slots])
    return x, torch.cat([last_h, of_intent]), gold


def outputs(p, decoder, value):
    """The loss, and p and carry of all slots."""
    loss, probabilities, carried = 0, [], []
    for one in ITEMS:
        part, prob, carry = (pointer if decoder == "pointer" else others)(p, *item(p, value, *one))
        loss = loss + part / len(ITEMS)
        probabilities += prob
        carried += carry
    return loss, probabilities, carried


def make(decoder, value, random):
    p = {name: torch.tensor(random.normal(0, 0.7, shape), requires_grad=True)
         for name, shape in shapes(decoder, value).items()}
    loss, probabilities, carried = outputs(p, decoder, value)
    loss.backward()
    tensors = {"loss": np.array([loss.item()]), "p": np.array(probabilities), "carry": np.array(carried)}
    for name, weight in p.items():
        tensors["parameters." + name] = weight.detach().numpy().copy()
        tensors["gradients." + name] = weight.grad.numpy().copy()
    optimiser, steps = torch.optim.Adam(p.values(), lr=0.01), []
    for _ in range(5):
        optimiser.step()
        optimiser.zero_grad()
        loss, _, _ = outputs(p, decoder, value)
        loss.backward()
        steps.append(loss.item())
    tensors["steps"] = np.array(steps)
    return tensors


if __name__ == "__main__":
    for number, (name, (decoder, value)) in enumerate(CASES.items()):
        heed.write_safetensors(str(Path(sys.argv[1]) / (name + ".safetensors")),
                               make(decoder, value, np.random.default_rng(number)))
