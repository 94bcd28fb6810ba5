"""Writes discriminator.safetensors: what PyTorch computes of the discriminator of Bruni & Fernandez
(2017) in float64, without dropout. tests/dialog/discriminate/discriminator_test.cc compares.

    python3 make_discriminator.py OUT.safetensors

"tokens" are the sequences one after the other, of "lengths"; "real" is what they are. "parameters.NAME"
by heed's names, "gradients.NAME" of the mean loss, "after.NAME" and "losses" of five steps of Adam.
PyTorch's LSTM has two biases; the second one stays 0 here, so that there is one as in heed.
"""
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F

import package  # noqa: F401
import heed

WORDS, EMBEDDING, HIDDEN = 12, 5, 4
EOU, SOS = 4, 2
tensors = {}


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, EMBEDDING)
        self.lstm = nn.LSTM(EMBEDDING, HIDDEN, bidirectional=True, batch_first=True)
        self.attention = nn.Linear(2 * HIDDEN, 2 * HIDDEN)
        self.query = nn.Linear(2 * HIDDEN, 1, bias=False)
        self.output = nn.Linear(2 * HIDDEN, 1)

    def forward(self, tokens):
        """One passage, (T) -> logit, attention (T), [fwd_T; bwd_1]."""
        h, (last, _) = self.lstm(self.embedding(tokens)[None])
        a = F.softmax(self.query(torch.tanh(self.attention(h[0])))[:, 0], dim=0)
        return self.output(a @ h[0])[0], a, last[:, 0].flatten()


def named(model):
    """Pairs of heed's name and the parameter, without what stays 0."""
    for name, p in model.named_parameters():
        if "bias_hh" in name:
            continue
        yield name.replace("query.", "attention.query.").replace("bias_ih", "bias"), p


def loss_of(model, passages, real):
    logits = torch.stack([model(p)[0] for p in passages])
    return F.binary_cross_entropy_with_logits(logits, real), torch.sigmoid(logits)


if __name__ == "__main__":
    torch.manual_seed(1)
    torch.set_default_dtype(torch.float64)
    model = Discriminator()
    for name, p in model.named_parameters():
        nn.init.zeros_(p) if "bias_hh" in name else nn.init.normal_(p, std=0.5)
        p.requires_grad = "bias_hh" not in name
    passages = [torch.tensor([5, 6, 7, EOU, 8, 9, EOU, SOS, 10, 5, EOU]),
                torch.tensor([8, EOU, 11, EOU, SOS, 7, 7, 7, EOU]),
                torch.tensor([SOS, 9, EOU]),
                torch.tensor([6, 5, EOU, 10, 11, 6, EOU, SOS, 8, EOU, ])]
    real = torch.tensor([1.0, 0.0, 0.0, 1.0])
    tensors["tokens"] = torch.cat(passages).int()
    tensors["lengths"] = torch.tensor([len(p) for p in passages]).int()
    tensors["real"] = real
    for name, p in named(model):
        tensors["parameters." + name] = p.detach().clone()
    loss, p_real = loss_of(model, passages, real)
    loss.backward()
    tensors["loss"], tensors["p_real"] = loss[None], p_real
    tensors["attention"] = torch.cat([model(p)[1] for p in passages])
    tensors["last"] = torch.stack([model(p)[2] for p in passages])
    for name, p in named(model):
        tensors["gradients." + name] = p.grad.clone()
    adam = torch.optim.Adam([p for _, p in named(model)], lr=0.01)
    losses = []
    for _ in range(5):
        adam.zero_grad()
        loss, _ = loss_of(model, passages, real)
        losses.append(loss.detach())
        loss.backward()
        adam.step()
    tensors["losses"] = torch.stack(losses)
    for name, p in named(model):
        tensors["after." + name] = p.detach().clone()
    heed.write_safetensors(sys.argv[1], {name: t.detach() for name, t in tensors.items()})
