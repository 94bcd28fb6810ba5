"""heed's models as PyTorch modules: every structure of `dialog/respond/structures.cc`, one dialogue
at a time, number by number as heed (docs/python.md). They are the specification that heed is tested
against (tests/reference)."""
from heed._files import extra

extra("torch")

from heed.torch.config import STRUCTURES, ModelConfig  # noqa: E402
from heed.torch.models import (batch_loss, examples, load_model, make_model, numbers,  # noqa: E402
                               perplexity)
from heed.torch.parts import EOS, EOU, PAD, SOS, UNK, Example, Outputs, Responder  # noqa: E402

__all__ = ["EOS", "EOU", "Example", "ModelConfig", "Outputs", "PAD", "Responder", "SOS", "STRUCTURES", "UNK", "batch_loss",
           "examples", "load_model", "make_model", "numbers", "perplexity"]
