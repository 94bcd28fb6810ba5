"""The speed to beat: the five structures in PyTorch as a careful user would
write them (batched, packed sequences, one output projection for all steps).
bench/compare_torch.py runs it in turn with `heed bench`.

    python3 bench/bench_torch.py --structure dynamic --batch 64 --embed 256 --hidden 256 \
        --layers 2 --vocab 10000 --steps 5 [--lengths lengths.jsonl] [--device cuda] [--tf32] [--compile] [--matmul bf16] [--bucket]

One training step = forward, loss (NLL + attention loss), backward, clip at 5,
SGD.  Prints one JSON line: median seconds a step, tokens a second (context and
response, padding not counted) and peak resident memory.
--lengths: one dialogue a line, {"context": [utterance lengths], "response": n};
without it every dialogue has 6 utterances of 12 tokens and a response of 16.
Consecutive lines form a batch, in file order; --bucket sorts the lines that are used by length
first and shuffles the batches then, as trainers do to pad less.
--matmul bf16: forward and loss under torch.autocast with bfloat16.
"""
import argparse
import gzip
import json
import random
import resource
import statistics
import time

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

PAD, UNK, SOS, EOS, EOU = 0, 1, 2, 3, 4
STRUCTURES = ["non-hier", "static", "static-ui", "dynamic", "dynamic-ui"]


class FastModel(nn.Module):
    def __init__(self, structure, vocab, embed, hidden, layers, dropout):
        super().__init__()
        self.hierarchical, self.static = structure != "non-hier", structure.startswith("static")
        self.ui = structure.endswith("-ui")
        self.src = nn.Embedding(vocab, embed, padding_idx=PAD)
        self.tgt = nn.Embedding(vocab, embed, padding_idx=PAD)
        self.drop = nn.Dropout(dropout)
        self.encoder = nn.LSTM(embed, hidden, layers, bias=False, batch_first=True, dropout=dropout)
        if self.ui:
            self.integration = nn.LSTM(hidden, hidden, layers, bias=False, batch_first=True, dropout=dropout)
        self.decoder = nn.LSTM(embed + hidden, hidden, layers, bias=False, batch_first=True, dropout=dropout)
        self.combine = nn.Linear(2 * hidden, hidden, bias=False)
        self.output = nn.Linear(hidden, vocab, bias=False)

    def forward(self, b):
        packed = pack_padded_sequence(self.drop(self.src(b["tokens"])), b["m"], batch_first=True,
                                      enforce_sorted=False)
        out, state = self.encoder(packed)
        memory, _ = pad_packed_sequence(out, batch_first=True)
        valid = b["token_valid"]
        if self.hierarchical:
            memory = memory.gather(1, b["ends"].unsqueeze(2).expand(-1, -1, memory.size(2)))
            valid = b["utt_valid"]
        if self.ui:
            packed = pack_padded_sequence(memory, b["q"], batch_first=True, enforce_sorted=False)
            _, state = self.integration(packed)
        bias = torch.zeros_like(valid, dtype=memory.dtype).masked_fill(~valid, float("-inf"))

        def attend(h):
            w = torch.softmax(torch.bmm(memory, h.unsqueeze(2)).squeeze(2) + bias, 1)
            return w, torch.bmm(w.unsqueeze(1), memory).squeeze(1)

        if self.static:
            last = memory[torch.arange(memory.size(0), device=memory.device), b["q_dev"] - 1]
            static_w, static_c = attend(last)
        emb = self.drop(self.tgt(b["inputs"]))
        if self.static:                                  # c never changes: one call runs all steps
            N = emb.size(1)
            c = self.drop(static_c).unsqueeze(1).expand(-1, N, -1)
            hs, _ = self.decoder(torch.cat([emb, c], 2), state)
            cs, ws = static_c.unsqueeze(1).expand(-1, N, -1), static_w.unsqueeze(1).expand(-1, N, -1)
        else:
            _, c = attend(state[0][-1])
            hs, cs, ws = [], [], []
            for t in range(emb.size(1)):
                out, state = self.decoder(torch.cat([emb[:, t], self.drop(c)], 1).unsqueeze(1), state)
                w, c = attend(out[:, 0])
                hs.append(out[:, 0]), cs.append(c), ws.append(w)
            hs, cs, ws = torch.stack(hs, 1), torch.stack(cs, 1), torch.stack(ws, 1)
        z = torch.tanh(self.combine(torch.cat([cs, hs], 2)))
        keep = b["targets"] != PAD                       # predict real steps only
        nll = F.cross_entropy(self.output(z[keep]), b["targets"][keep], reduction="sum")
        mask = b["utt_mask"] if self.hierarchical else b["token_mask"]
        mse = ((ws * mask.unsqueeze(1)) ** 2).sum(2) / valid.sum(1, keepdim=True)
        return (nll + (mse * keep).sum()) / b["tokens"].size(0)


def make_batch(lengths, vocab, gen, device):
    B = len(lengths)
    ids = lambda n: torch.randint(5, vocab, (n,), generator=gen)
    M = max(sum(l["context"]) + len(l["context"]) for l in lengths)
    Q = max(len(l["context"]) for l in lengths)
    N = max(l["response"] for l in lengths) + 1
    b = {"tokens": torch.zeros(B, M, dtype=torch.long), "ends": torch.zeros(B, Q, dtype=torch.long),
         "token_valid": torch.zeros(B, M, dtype=torch.bool), "utt_valid": torch.zeros(B, Q, dtype=torch.bool),
         "token_mask": torch.zeros(B, M), "utt_mask": torch.zeros(B, Q),
         "inputs": torch.zeros(B, N, dtype=torch.long), "targets": torch.zeros(B, N, dtype=torch.long)}
    m, q = [], []
    for i, l in enumerate(lengths):
        at = 0
        for k, n in enumerate(l["context"]):
            b["tokens"][i, at:at + n + 1] = torch.cat([ids(n), torch.tensor([EOU])])
            if k == 0 and len(l["context"]) > 2:
                b["utt_mask"][i, k] = 1
                b["token_mask"][i, at:at + n + 1] = 1
            at += n + 1
            b["ends"][i, k] = at - 1
        r = ids(l["response"])
        b["inputs"][i, :len(r) + 1] = torch.cat([torch.tensor([SOS]), r])
        b["targets"][i, :len(r) + 1] = torch.cat([r, torch.tensor([EOS])])
        b["token_valid"][i, :at] = True
        b["utt_valid"][i, :len(l["context"])] = True
        m.append(at), q.append(len(l["context"]))
    b = {k: v.to(device) for k, v in b.items()}
    b["m"], b["q"], b["q_dev"] = torch.tensor(m), torch.tensor(q), torch.tensor(q).to(device)
    b["count"] = sum(m) + int((b["targets"] != PAD).sum())
    return b


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--structure", choices=STRUCTURES, default="dynamic")
    for name, value in [("batch", 64), ("embed", 256), ("hidden", 256), ("layers", 2), ("vocab", 10000),
                        ("steps", 5), ("threads", 0)]:
        p.add_argument("--" + name, type=int, default=value)
    p.add_argument("--dropout", type=float, default=0.2)
    p.add_argument("--lengths")
    p.add_argument("--device", default="cpu")
    p.add_argument("--tf32", action="store_true")
    p.add_argument("--compile", action="store_true")
    p.add_argument("--matmul", choices=["f32", "bf16"], default="f32")
    p.add_argument("--bucket", action="store_true")
    a = p.parse_args()
    if a.threads:
        torch.set_num_threads(a.threads)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = a.tf32
    torch.manual_seed(1)
    gen = torch.Generator().manual_seed(1)
    if a.lengths:
        opened = gzip.open if a.lengths.endswith(".gz") else open
        rows = [json.loads(line) for line in opened(a.lengths, "rt")]
        rows = rows[:a.batch * (a.steps + 1)]
        if a.bucket:
            rows.sort(key=lambda row: (sum(row["context"]), row["response"]))
        batches = [rows[i:i + a.batch] for i in range(0, len(rows), a.batch)]
        if a.bucket:
            random.Random(1).shuffle(batches)
    else:
        batches = [[{"context": [12] * 6, "response": 16}] * a.batch]
    batches = [make_batch(l, a.vocab, gen, a.device) for l in batches]
    model = FastModel(a.structure, a.vocab, a.embed, a.hidden, a.layers, a.dropout).to(a.device).train()
    for w in model.parameters():
        nn.init.uniform_(w, -0.1, 0.1)
    if a.compile:
        model = torch.compile(model)
    opt = torch.optim.SGD(model.parameters(), lr=1.0)
    sync = torch.cuda.synchronize if a.device.startswith("cuda") else (lambda: None)
    times, tokens, loss_value = [], [], None
    for i in range(a.steps + 1):
        b = batches[i % len(batches)]
        sync()
        start = time.perf_counter()
        opt.zero_grad(set_to_none=True)
        with torch.autocast(a.device.split(":")[0], torch.bfloat16, enabled=a.matmul == "bf16"):
            loss = model(b)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
        sync()
        if i:                                            # the first step is the warm-up
            times.append(time.perf_counter() - start)
            tokens.append(b["count"])
        loss_value = loss.item()
    print(json.dumps({
        "torch": torch.__version__, "structure": a.structure, "device": a.device,
        "matmul": a.matmul, "bucket": a.bucket, "threads": torch.get_num_threads(), "median_step_s": round(statistics.median(times), 4),
        "tokens_per_s": round(sum(tokens) / sum(times), 1), "loss": round(loss_value, 3),
        "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}))


if __name__ == "__main__":
    main()
