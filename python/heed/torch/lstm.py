"""The five structures of Xing & Gulla (2022): `dialog/respond/models/lstm.h` once more, in PyTorch. It fixes
what the equations leave open, so that two programs can be compared number by number."""
from __future__ import annotations

from itertools import accumulate
from typing import Tuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from heed.torch import parts
from heed.torch.config import ModelConfig
from heed.torch.parts import AttentionScore, Example, Lstm, LstmState, Outputs, Responder


class LstmResponder(Responder):
    """memory        the m token states of an LSTM over the context (non-hier), or its q states at the
                     <eou>s (Eq. 2)
    integration   -ui: an LSTM over the q utterance states, whose state starts the decoder (Eq. 6)
    attention     softmax(score(memory, query)) (Eqs. 3-5); the query is h_t, of static structures H_q
    decoder       h_t = LSTM([embedding(y_{t-1}); c_{t-1}]), c_0 of the initial state
    output        logits = W_o tanh(W_c [c_t; h_t])

    Options: another score than the dot product; `bidirectional`, two directions of H / 2 cells, side
    by side, also in the states that start the decoder; without `input_feeding` no c_{t-1}."""

    def __init__(self, config: ModelConfig):
        super().__init__(config)
        c = config
        self.hierarchical = c.structure != "non-hier"
        self.static = c.structure.startswith("static")
        e, h = c.embedding_size, c.hidden_size
        self.encoder = nn.ModuleDict({
            "embedding": nn.Embedding(c.vocab_size, e),
            "lstm": Lstm(e, h // 2 if c.bidirectional else h, c.num_layers, c.lstm_bias, c.bidirectional)})
        if c.structure.endswith("-ui"):
            self.integration = nn.ModuleDict({"lstm": Lstm(h, h, c.num_layers, c.lstm_bias)})
        self.decoder = nn.ModuleDict({
            "embedding": nn.Embedding(c.vocab_size, e),
            "lstm": Lstm(e + h if c.input_feeding else e, h, c.num_layers, c.lstm_bias),
            "attention": AttentionScore(c.score, h),
            "combine": nn.Linear(2 * h, h, bias=False),
            "output": nn.Linear(h, c.vocab_size, bias=False)})

    def encode(self, example: Example) -> Tuple[Tensor, LstmState]:
        """The memory (M, H) and the state that starts the decoder."""
        tokens = parts.context_tokens(example)
        memory, state = self.encoder["lstm"](parts.embedded(self.encoder["embedding"], tokens))
        if self.config.bidirectional:  # (2 L, 1, H / 2) -> (L, 1, H)
            state = tuple(torch.cat([x[0::2], x[1::2]], -1) for x in state)
        if self.hierarchical:
            memory = memory[[end - 1 for end in accumulate(len(u) + 1 for u in example["context"])]]
        if hasattr(self, "integration"):
            _, state = self.integration["lstm"](memory)
        return memory, state

    def forward(self, example: Example) -> Outputs:
        memory, state = self.encode(example)
        static_query = memory[-1]  # H_q

        def attend(h: Tensor) -> Tuple[Tensor, Tensor]:
            query = static_query if self.static else h
            weights = torch.softmax(self.decoder["attention"](memory, query), 0)
            return weights, weights @ memory

        _, c = attend(state[0][-1, 0])  # c_0, of the top layer's state
        words = parts.embedded(self.decoder["embedding"], [parts.SOS, *example["response"]])
        z, attention = [], []
        for word in words:
            step = torch.cat([word, c]) if self.config.input_feeding else word
            y, state = self.decoder["lstm"](step[None], state)
            weights, c = attend(y[0])  # c_t: used here, and fed to the next step
            z.append(torch.tanh(self.decoder["combine"](torch.cat([c, y[0]]))))
            attention.append(weights)
        logits = self.decoder["output"](torch.stack(z))
        nll = F.cross_entropy(logits, parts.targets(example, logits), reduction="none")
        return parts.outputs(example, nll, torch.stack(attention), not self.hierarchical)
