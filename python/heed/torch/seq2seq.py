"""HRED and its kin, the models of the probe tasks: `dialog/respond/models/seq2seq.h` once more, in PyTorch."""
from __future__ import annotations

from typing import Sequence, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from heed.torch import parts
from heed.torch.config import ModelConfig
from heed.torch.parts import AttentionScore, Example, Lstm, LstmState, Outputs, Responder

# structure -> how it reads the context, and whether its decoder attends
READING = {"lstm": ("forward", False), "lstm-attention": ("forward", True), "bilstm-attention": ("both", True),
           "hred": ("utterances", True), "hred-stacked": ("stacked", True)}


class Seq2SeqResponder(Responder):
    """encoder  forward: an LSTM over the context; both: in two directions, added up; stacked: another
             one over its outputs; utterances: another one over the last output of each utterance
    decoder  weights = softmax(score(memory, s_{t-1})), s_t = LSTM(W [embedding(y_{t-1}); weights . memory] + b)
    output   logits = W_o s_t"""

    def __init__(self, config: ModelConfig):
        super().__init__(config)
        c = config
        e, h = c.embedding_size, c.hidden_size
        self.reading, self.attends = READING[c.structure]
        self.encoder = nn.ModuleDict({"embedding": nn.Embedding(c.vocab_size, e),
                                      "lstm": Lstm(e, h, c.num_layers, c.lstm_bias, self.reading == "both")})
        if self.reading in ("stacked", "utterances"):
            self.context = nn.ModuleDict({"lstm": Lstm(h, h, c.num_layers, c.lstm_bias)})
        self.decoder = nn.ModuleDict({"embedding": nn.Embedding(c.vocab_size, e)})
        if self.attends:
            self.decoder["attention"] = AttentionScore(c.score, h)
            self.decoder["combine"] = nn.Linear(e + h, e)
        self.decoder["lstm"] = Lstm(e, h, c.num_layers, c.lstm_bias)
        self.decoder["output"] = nn.Linear(h, c.vocab_size, bias=False)

    def _read(self, tokens: Sequence[int]) -> Tuple[Tensor, LstmState]:
        return self.encoder["lstm"](parts.embedded(self.encoder["embedding"], tokens))

    def encode(self, example: Example) -> Tuple[Tensor, LstmState]:
        """The memory (M, H) and the state that starts the decoder."""
        if self.reading == "utterances":
            last = [self._read([*utterance, parts.EOU])[0][-1] for utterance in example["context"]]
            return self.context["lstm"](torch.stack(last))
        memory, state = self._read(parts.context_tokens(example))
        if self.reading == "stacked":
            return self.context["lstm"](memory)
        if self.reading == "both":
            forward, backward = memory.chunk(2, -1)
            return forward + backward, (state[0][0::2] + state[0][1::2], state[1][0::2] + state[1][1::2])
        return memory, state

    def forward(self, example: Example) -> Outputs:
        memory, state = self.encode(example)
        weights = memory[:0, 0]
        states, attention = [], []
        for step in parts.embedded(self.decoder["embedding"], [parts.SOS, *example["response"]]):
            if self.attends:
                weights = torch.softmax(self.decoder["attention"](memory, state[0][-1, 0]), 0)  # s_{t-1}
                step = self.decoder["combine"](torch.cat([step, weights @ memory]))
            y, state = self.decoder["lstm"](step[None], state)
            states.append(y[0])
            attention.append(weights)
        logits = self.decoder["output"](torch.stack(states))
        nll = F.cross_entropy(logits, parts.targets(example, logits), reduction="none")
        return parts.outputs(example, nll, torch.stack(attention), self.reading != "utterances")
