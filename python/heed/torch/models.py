"""A model directory as a torch.nn.Module, and what is measured of it."""
from __future__ import annotations

from pathlib import Path
from typing import Dict, Iterable, List, Mapping, Optional, Sequence

import numpy as np
import torch
from torch import Tensor

from heed._files import DataError, PathLike, read_json
from heed.results import Results
from heed.runs import read_vocabulary
from heed.safetensors import read_safetensors
from heed.torch.config import WITH_TABLES, ModelConfig
from heed.torch.hred import LOOKS_AT, HredResponder
from heed.torch.keywords import KeywordResponder
from heed.torch.lstm import LstmResponder
from heed.torch.parts import UNK, Example, Responder
from heed.torch.seq2seq import READING, Seq2SeqResponder
from heed.torch.thred import FORMS, ThredResponder
from heed.torch.transformer import TransformerResponder
from heed.torch.two_vocabulary import TwoVocabularyResponder


def make_model(config: ModelConfig, tables: Optional[Mapping[str, np.ndarray]] = None) -> Responder:
    """A model with PyTorch's first weights, and with what tables.safetensors holds where its structure has tables.
    model(example) gives nll, attention, attention_loss and as_scores (`Outputs`); its parameters have heed's names."""
    if config.structure == "transformer":
        return TransformerResponder(config)
    if config.structure in FORMS:
        return ThredResponder(config, tables or {})
    if config.structure == "keywords":
        return KeywordResponder(config, tables or {})
    if config.structure == "two-vocabulary":
        return TwoVocabularyResponder(config)
    if config.structure in LOOKS_AT:
        return HredResponder(config)
    return Seq2SeqResponder(config) if config.structure in READING else LstmResponder(config)


def _check_sizes(config: ModelConfig, tensors: Mapping[str, np.ndarray]) -> None:
    """Before anything is allocated: the file bounds the sizes."""
    width = config.hidden_size if config.structure == "transformer" else config.embedding_size
    read = config.hidden_size + (config.embedding_size if config.structure in FORMS else 0)
    if config.structure == "keywords":
        read += config.hidden_size
    for name, shape in (("encoder.embedding.weight", (config.vocab_size, width)),
                        ("decoder.output.weight", (config.generic_words or config.vocab_size, read))):
        if name not in tensors or tensors[name].shape != shape:
            found = tensors[name].shape if name in tensors else "none"
            raise DataError(f"{name} must be {shape} after config.json, the file has {found}")
    if config.num_layers > len(tensors):
        raise DataError(f"{config.num_layers} layers after config.json, but only {len(tensors)} tensors")


def _check_names(model: Responder, tensors: Mapping[str, np.ndarray]) -> None:
    wanted = {name: tuple(p.shape) for name, p in model.named_parameters()}
    for name, shape in wanted.items():
        if name not in tensors:
            raise DataError(f"no tensor {name}")
        if tensors[name].shape != shape:
            raise DataError(f"{name} must be {shape} after config.json, the file has {tensors[name].shape}")
    for name in tensors:
        if name not in wanted:
            raise DataError(f"{name} is no parameter of {model.config.structure}")


def load_model(directory: PathLike, dtype: torch.dtype = torch.float32) -> Responder:
    """The model of a run or model directory, in evaluation mode, with `config` (ModelConfig) and
    `vocabulary` (a list of words). DataError where the files do not fit."""
    where = Path(directory)
    try:
        config = ModelConfig.of_json(read_json(where / "config.json"))
    except DataError as error:
        text = str(error)
        raise DataError(text if text.startswith(str(where)) else f"{where / 'config.json'}: {text}") from None
    vocabulary = read_vocabulary(where)
    if len(vocabulary) != config.vocab_size:
        raise DataError(f"{where / 'vocab.txt'}: {len(vocabulary)} words, config.json says {config.vocab_size}")
    tensors = read_safetensors(where / "model.safetensors")
    tables = read_safetensors(where / "tables.safetensors") if config.structure in WITH_TABLES else {}
    try:
        _check_sizes(config, tensors)
        model = make_model(config, tables).to(dtype)
        _check_names(model, tensors)
    except DataError as error:
        raise DataError(f"{where / 'model.safetensors'}: {error}") from None
    with torch.no_grad():
        for name, p in model.named_parameters():
            p.copy_(torch.from_numpy(tensors[name]))
    model.vocabulary = vocabulary
    return model.eval()


def numbers(vocabulary: Sequence[str], tokens: Iterable[Sequence[str]]) -> List[List[int]]:
    """Lists of words as lists of their numbers; unknown words are <unk>."""
    places: Dict[str, int] = {word: i for i, word in enumerate(vocabulary)}
    return [[places.get(token, UNK) for token in words] for words in tokens]


def examples(model: Responder, scored: Results) -> List[Example]:
    """The examples of a result of `heed score` (`heed.score`), as the program reads them: its
    tokens, its bounds. There is no second tokenizer here."""
    found: List[Example] = []
    for entry in scored.data.get("per_example", ()):
        try:
            *context, response = numbers(model.vocabulary, (words[:-1] for words in  # without <eou>, <eos>
                                                            [*entry["utterances"], entry["tokens"]]))
            found.append({"context": context, "response": response, "distraction": entry["distraction"],
                          "conditions": entry.get("conditions", [[], []])})
        except (KeyError, TypeError):
            raise DataError(f"{scored.path}: not a result of `heed score`: an example needs "
                            "utterances, tokens and distraction") from None
    return found


def batch_loss(model: Responder, batch: Sequence[Example], attention_weight: float = 1.0) -> Tensor:
    """The training's loss: nll, attention loss and what a model adds, summed over steps, mean over the B dialogues."""
    outs = [model(example) for example in batch]
    losses = [out["nll"].sum() + attention_weight * out["attention_loss"].sum() + out.get("added", 0) for out in outs]
    return torch.stack(losses).sum() / len(batch)


def perplexity(model: Responder, batch: Iterable[Example]) -> float:
    """exp(total NLL / number of predicted tokens, <eos> counted)."""
    with torch.no_grad():
        nll = torch.cat([model(example)["nll"] for example in batch])
    return torch.exp(nll.double().mean()).item()
