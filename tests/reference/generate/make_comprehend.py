"""Writes what PyTorch makes, in float64, of three questions on two passages with the two turns before (Ohsugi et
al. 2019, Eqs. 2 to 9), question by question: logits, loss, gradients, and the loss of five steps of gradient descent.
tests/dialog/comprehend/span_reader_test.cc compares.

    python3 make_comprehend.py OUT_DIR

"parameters.NAME" and "gradients.NAME" by heed's names; start.I, end.I (T + 1 numbers, the last one of no answer) and
kinds.I of question I; "losses" of the steps.
"""
import sys
from pathlib import Path

import package  # noqa: F401
import heed
import numpy as np
import torch
from torch.nn import functional as F

WORDS, D, INNER, HEADS, LAYERS, PLACES, WIDTH, WINDOW, CLS, SEP = 20, 8, 12, 2, 2, 24, 5, 4, 1, 2
PASSAGES = [[5, 6, 7, 8, 9, 10, 11], [12, 13, 5]]  # the first one is read in two windows
# passage, then the question, two questions and two answers before it (latest first; nothing: zeros), begin, end, kind
QUESTIONS = [(0, [[14], [], [], [], []], 2, 4, 0),
             (1, [[15, 16], [14, 5], [], [17, 18], []], 3, 3, 3),
             (0, [[6, 19], [15], [14], [12], [13, 3, 4]], 0, 5, 1)]
PARTS, RATE = 5, 0.2


def shapes():
    e = "encoder.embeddings."
    result = {e + "word_embeddings.weight": (WORDS, D), e + "position_embeddings.weight": (PLACES, D),
              e + "token_type_embeddings.weight": (2, D), e + "LayerNorm.weight": (D,), e + "LayerNorm.bias": (D,)}
    for layer in range(LAYERS):
        for name, rows, columns in [("attention.self.query", D, D), ("attention.self.key", D, D),
                                    ("attention.self.value", D, D), ("attention.output.dense", D, D),
                                    ("intermediate.dense", INNER, D), ("output.dense", D, INNER)]:
            result[f"encoder.encoder.layer.{layer}.{name}.weight"] = (rows, columns)
            result[f"encoder.encoder.layer.{layer}.{name}.bias"] = (rows,)
        for name in ("attention.output", "output"):
            result[f"encoder.encoder.layer.{layer}.{name}.LayerNorm.weight"] = (D,)
            result[f"encoder.encoder.layer.{layer}.{name}.LayerNorm.bias"] = (D,)
    for name, width in (("gru1", PARTS * D), ("gru2", 2 * WIDTH)):
        for suffix in ("", "_reverse"):
            for part, shape in (("weight_ih", (3 * WIDTH, width)), ("weight_hh", (3 * WIDTH, WIDTH)),
                                ("bias_ih", (3 * WIDTH,)), ("bias_hh", (3 * WIDTH,))):
                result[f"{name}.{part}_l0{suffix}"] = shape
    for name, rows in (("start", 1), ("end", 1), ("kind", 4)):
        result[name + ".weight"], result[name + ".bias"] = (rows, PARTS * D + 2 * WIDTH), (rows,)
    return result


def bert(p, ids, types):
    def linear(name, x):
        return F.linear(x, p[name + ".weight"], p[name + ".bias"])

    def norm(name, x):
        return F.layer_norm(x, (D,), p[name + ".weight"], p[name + ".bias"], 1e-12)

    e = "encoder.embeddings."
    x = p[e + "word_embeddings.weight"][ids] + p[e + "position_embeddings.weight"][:len(ids)] \
        + p[e + "token_type_embeddings.weight"][types]
    x = norm(e + "LayerNorm", x)
    for layer in range(LAYERS):
        n = f"encoder.encoder.layer.{layer}."
        q, k, v = (linear(n + "attention.self." + part, x).reshape(len(ids), HEADS, -1).transpose(0, 1)
                   for part in ("query", "key", "value"))
        weights = torch.softmax(q @ k.transpose(1, 2) / (D / HEADS) ** 0.5, -1)
        context = (weights @ v).transpose(0, 1).reshape(len(ids), D)
        h = norm(n + "attention.output.LayerNorm", x + linear(n + "attention.output.dense", context))
        inner = F.gelu(linear(n + "intermediate.dense", h))
        x = norm(n + "output.LayerNorm", h + linear(n + "output.dense", inner))
    return x


def states(p, passage, query):
    if not query:
        return torch.zeros(len(passage) + 1, D, dtype=torch.float64)
    rows = []
    for at in range(0, len(passage), WINDOW):
        window = passage[at:at + WINDOW]
        ids = [CLS] + query + [SEP] + window + [SEP]
        types = [0] * (len(query) + 2) + [1] * (len(window) + 1)
        rows.append(bert(p, ids, types)[len(query) + 2:])
    return torch.cat([r[:-1] for r in rows[:-1]] + [rows[-1]])


def gru(p, name, x):
    weights = [p[f"{name}.{part}_l0{suffix}"] for suffix in ("", "_reverse")
               for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
    zeros = torch.zeros(2, 1, WIDTH, dtype=torch.float64)
    return torch.gru(x[:, None], zeros, weights, True, 1, 0.0, False, True, False)[0][:, 0]


def logits(p, question):
    passage, queries = PASSAGES[question[0]], question[1]
    g = torch.cat([states(p, passage, query) for query in queries], 1)
    m1 = gru(p, "gru1", g)
    m2 = gru(p, "gru2", m1)
    a, b = torch.cat([g, m1], 1), torch.cat([g, m2], 1)
    return (F.linear(a, p["start.weight"], p["start.bias"])[:, 0], F.linear(b, p["end.weight"], p["end.bias"])[:, 0],
            F.linear(b, p["kind.weight"], p["kind.bias"]))


def loss_of(p):
    losses = []
    for question in QUESTIONS:
        start, end, kinds = logits(p, question)
        _, _, begin, last, kind = question
        losses.append(-torch.log_softmax(start, 0)[begin] - torch.log_softmax(end, 0)[last]
                      - torch.log_softmax(kinds[last], 0)[kind])
    return torch.stack(losses).mean()


if __name__ == "__main__":
    random = np.random.default_rng(1)
    p = {name: torch.tensor(random.normal(0, 0.5, shape), requires_grad=True) for name, shape in shapes().items()}
    tensors = {"parameters." + name: value.detach().numpy().copy() for name, value in p.items()}
    for i, question in enumerate(QUESTIONS):
        for name, value in zip(("start", "end", "kinds"), logits(p, question)):
            tensors[f"{name}.{i}"] = value.detach().numpy().copy()
    steps = []
    for step in range(6):
        loss = loss_of(p)
        steps.append(loss.item())
        gradients = torch.autograd.grad(loss, list(p.values()))
        for (name, value), gradient in zip(p.items(), gradients):
            if step == 0:
                tensors["gradients." + name] = gradient.numpy().copy()
            value.data -= RATE * gradient
    tensors["losses"] = np.array(steps)
    heed.write_safetensors(str(Path(sys.argv[1]) / "reader.safetensors"), tensors)
