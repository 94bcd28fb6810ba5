"""Writes what PyTorch computes in float64 of a discriminator of words beside the generator of a case:

    python3 make_hredgan.py ../hred-attention ../hredgan

discriminator.safetensors   weights of chance, exact in float32
expected.json               scores, losses, gradients (norm and sum of each parameter), and five rounds of both players
"""
import argparse
import json
import math
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

import package  # noqa: F401
import heed.torch
from heed.torch import parts
from make_cases import clip

NO_WORDS = [parts.PAD, parts.SOS, parts.EOS, parts.EOU]
RATE, UNTIL, FROM = 0.1, 0.6, 0.6  # of the rounds: gates that open and shut


class WordDiscriminator(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.gru = nn.GRU(c.embedding_size, c.hidden_size, c.num_layers, bidirectional=True)
        self.output = nn.Linear(2 * c.hidden_size, 1)

    def forward(self, embedded, g):
        """The logits of p_j, for one answer (J, E) and the states (layers, H) of the context's network."""
        return self.output(self.gru(embedded, g.repeat_interleave(2, 0))[0])[:, 0]


def noise(i, steps, vocab_size):
    """That of word v in step t of dialogue i."""
    t, v = torch.arange(float(steps)), torch.arange(float(vocab_size))
    return 2 * torch.sin(3 * t[:, None] + v + 5 * i)


def fake(model, logits, kind, i):
    logits = logits[:-1].clone()  # the last one is that of <eos>
    logits[:, NO_WORDS] = -math.inf
    table = model.encoder["embedding"].weight
    if kind == "soft":
        return torch.softmax(logits, 1) @ table
    noisy = logits + noise(i, *logits.shape)
    hard = F.one_hot(noisy.argmax(1), logits.shape[1]).double()
    if kind == "straight-through":
        soft = torch.softmax(noisy, 1)
        return (hard + soft - soft.detach()) @ table
    return hard @ table


def tell(model, judge, dialogs, kind):
    """ln D of real and fake answers, and the mean of ln(1 - p) of the fake ones."""
    real, drawn, not_drawn = [], [], []
    for i, d in enumerate(dialogs):
        g = model.read(d)
        real.append(F.logsigmoid(judge(model.embedded(d["response"]), g)).mean())
        x = judge(fake(model, model.logits(d)[0], kind, i), g)
        drawn.append(F.logsigmoid(x).mean())
        not_drawn.append(F.logsigmoid(-x).mean())
    return torch.stack(real), torch.stack(drawn), torch.stack(not_drawn)


def loss_of(real, drawn, not_drawn, by_word=False):
    return -real.mean() - (not_drawn if by_word else torch.log(1 - torch.exp(drawn))).mean()


def right(real, drawn):
    half = math.log(0.5)
    return ((real > half).sum() + (drawn < half).sum()).item()


def gradients(loss, module):
    module.zero_grad()
    loss.backward()
    return {k: [0, 0] if p.grad is None else [p.grad.norm().item(), p.grad.sum().item()]
            for k, p in module.named_parameters()}


def rounds(model, judge, dialogs):
    """Five of both players in the mode soft, each by SGD with its own gradient clipped to 5."""
    lines = []
    for _ in range(5):
        line = {}
        taught = sum(model(d)["nll"].sum() for d in dialogs) / len(dialogs)
        real, drawn, _ = tell(model, judge, dialogs, "soft")
        line["heard"] = right(real, drawn) >= FROM * 2 * len(dialogs)
        loss = taught - drawn.mean() if line["heard"] else taught
        line["generator"] = step(loss, model)
        real, drawn, not_drawn = tell(model, judge, dialogs, "soft")
        line["told"] = right(real, drawn)
        line["made"] = line["told"] < UNTIL * 2 * len(dialogs)
        line["discriminator"] = step(loss_of(real, drawn, not_drawn), judge, line["made"])
        lines.append(line)
    return lines


def step(loss, module, made=True):
    module.zero_grad()
    loss.backward()
    clip(module, 5.0)
    for p in module.parameters():
        if made:
            p.data -= RATE * p.grad
    return loss.item()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_default_dtype(torch.float64)
    model = heed.torch.load_model(args.case, torch.float64)
    dialogs = []
    for d in heed.read_dialogues(args.case / "dialogs.jsonl"):
        *context, response = heed.torch.numbers(model.vocabulary, (t["text"].split() for t in d["turns"]))
        dialogs.append({"context": context, "response": response, "distraction": [False] * len(context)})
    judge = WordDiscriminator(model.config)
    for p in judge.parameters():
        p.data = (1.6 * torch.rand_like(p) - 0.8).float().double()
    expected = {}
    for kind in ("drawn", "soft", "straight-through"):
        real, drawn, not_drawn = tell(model, judge, dialogs, kind)
        expected[kind] = {"real": real.tolist(), "fake": drawn.tolist(), "not_fake": not_drawn.tolist(), "right": right(real, drawn),
                          "loss": loss_of(real, drawn, not_drawn).item(),
                          "loss_by_word": loss_of(real, drawn, not_drawn, True).item(),
                          "discriminator": gradients(loss_of(*tell(model, judge, dialogs, kind)), judge),
                          "generator": gradients(-tell(model, judge, dialogs, kind)[1].mean(), model)}
    args.out.mkdir(exist_ok=True)
    heed.write_safetensors(args.out / "discriminator.safetensors",
                           {k: p.detach().float() for k, p in judge.named_parameters()}, {"format": "pt"})
    expected["rounds"] = {"rate": RATE, "until": UNTIL, "from": FROM, "lines": rounds(model, judge, dialogs)}
    (args.out / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main()
