"""Writes layers.safetensors: what PyTorch's Transformer layers and GRU compute in float64 from
padded batches, without the padding. tests/nn/transformer_test.cc and tests/nn/gru_test.cc compare.

    python3 make_layers.py OUT.safetensors

Of each case CASE: "CASE.parameters.NAME" by heed's names, inputs and outputs, and the gradients of
sum(y * CASE.r): "CASE.gradients.NAME" and those of inputs.
"""
import sys

import torch
import torch.nn as nn

import package  # noqa: F401
import heed

WIDTH, HEADS, HIDDEN = 6, 2, 10
LENGTHS, MEMORY_LENGTHS = [4, 2, 3], [3, 5, 1]
tensors = {}


def pad(rows, lengths):
    return nn.utils.rnn.pad_sequence(list(rows.split(lengths)), batch_first=True)


def padding_mask(lengths):
    return torch.arange(max(lengths))[None, :] >= torch.tensor(lengths)[:, None]


def unpad(padded, lengths):
    return torch.cat([padded[b, :n] for b, n in enumerate(lengths)])


def causal_mask():
    return torch.ones(max(LENGTHS), max(LENGTHS), dtype=torch.bool).triu(1)


def pairs(weights, lengths, memory_lengths, causal):
    """(B, heads, n, m) -> (heads, P): of each query the rows that it sees."""
    parts = [weights[b, :, i, :i + 1 if causal else m]
             for b, (n, m) in enumerate(zip(lengths, memory_lengths)) for i in range(n)]
    return torch.cat(parts, dim=1)


def rows(*shape):
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


def randomize(module):
    module.double()
    for p in module.parameters():
        nn.init.normal_(p, std=0.5)
    return module


def attention_parts(name, attention):
    """PyTorch keeps query, key and value as one matrix."""
    weight, bias = attention.in_proj_weight, attention.in_proj_bias
    for part, kind in enumerate(["query", "key", "value"]):
        at = slice(part * WIDTH, (part + 1) * WIDTH)
        yield f"{name}.{kind}.weight", weight, at
        yield f"{name}.{kind}.bias", bias, at
    yield f"{name}.output.weight", attention.out_proj.weight, slice(None)
    yield f"{name}.output.bias", attention.out_proj.bias, slice(None)


def layer_parts(module, attentions):
    for name, attention in attentions.items():
        yield from attention_parts(name, attention)
    for part in ["linear1", "linear2"]:
        for kind in ["weight", "bias"]:
            yield f"feed_forward.{part}.{kind}", getattr(getattr(module, part), kind), slice(None)
    for i in range(len(attentions) + 1):
        for kind in ["weight", "bias"]:
            yield f"norm{i + 1}.{kind}", getattr(getattr(module, f"norm{i + 1}"), kind), slice(None)


def write_case(case, parts, inputs, outputs):
    """outputs["y"] is what the loss is made of."""
    r = torch.randn_like(outputs["y"])
    (outputs["y"] * r).sum().backward()
    for name, p, at in parts:
        tensors[f"{case}.parameters.{name}"], tensors[f"{case}.gradients.{name}"] = p[at], p.grad[at]
    for name, x in inputs.items():
        tensors[f"{case}.{name}"], tensors[f"{case}.d{name}"] = x, x.grad
    for name, y in outputs.items():
        tensors[f"{case}.{name}"] = y
    tensors[f"{case}.r"] = r


def encoder(case, activation, causal):
    layer = randomize(nn.TransformerEncoderLayer(WIDTH, HEADS, HIDDEN, dropout=0, batch_first=True,
                                                 activation=activation, norm_first=True))
    x = rows(sum(LENGTHS), WIDTH)
    padded, hidden = pad(x, LENGTHS), padding_mask(LENGTHS)
    mask = causal_mask() if causal else None
    y = layer(padded, src_mask=mask, src_key_padding_mask=hidden)
    normed = layer.norm1(padded)
    weights = layer.self_attn(normed, normed, normed, attn_mask=mask, key_padding_mask=hidden,
                              average_attn_weights=False)[1]
    write_case(case, layer_parts(layer, {"attention": layer.self_attn}), {"x": x},
               {"y": unpad(y, LENGTHS), "weights": pairs(weights, LENGTHS, LENGTHS, causal)})


def decoder(case):
    layer = randomize(nn.TransformerDecoderLayer(WIDTH, HEADS, HIDDEN, dropout=0, batch_first=True,
                                                 activation="relu", norm_first=True))
    x, memory = rows(sum(LENGTHS), WIDTH), rows(sum(MEMORY_LENGTHS), WIDTH)
    y = layer(pad(x, LENGTHS), pad(memory, MEMORY_LENGTHS), tgt_mask=causal_mask(),
              tgt_key_padding_mask=padding_mask(LENGTHS),
              memory_key_padding_mask=padding_mask(MEMORY_LENGTHS))
    attentions = {"self_attention": layer.self_attn, "attention": layer.multihead_attn}
    write_case(case, layer_parts(layer, attentions), {"x": x, "memory": memory},
               {"y": unpad(y, LENGTHS)})


def gru(case):
    layers, hidden, lengths = 2, 4, [4, 3, 1]  # longest first
    module = randomize(nn.GRU(3, hidden, layers, bidirectional=True))
    x, h0 = rows(sum(lengths), 3), rows(2 * layers, len(lengths), hidden)  # x time-major, packed
    sizes = torch.tensor([sum(n > t for n in lengths) for t in range(lengths[0])])
    out, h = module(nn.utils.rnn.PackedSequence(x, sizes), h0)
    parts = [(name, p, slice(None)) for name, p in module.named_parameters()]
    write_case(case, parts, {"x": x, "h0": h0}, {"y": torch.cat([out.data.flatten(), h.flatten()])})


if __name__ == "__main__":
    torch.manual_seed(1)
    encoder("encoder", "gelu", causal=False)
    encoder("causal_encoder", "relu", causal=True)
    decoder("decoder")
    gru("gru")
    heed.write_safetensors(sys.argv[1], {name: t.detach() for name, t in tensors.items()})
