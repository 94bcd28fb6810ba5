#include "heed/train_flags.h"

namespace heed {

void TrainFlags::declare(CLI::App& c) {
  c.add_option("--preset", preset, "Sizes: paper, laptop or smoke")->capture_default_str();
  const char* sizes = "Sizes (instead of the preset's)";
  c.add_option("--layers", layers, "LSTM layers")->group(sizes);
  c.add_option("--hidden", hidden, "Hidden size")->group(sizes);
  c.add_option("--embed", embed, "Embedding size, the hidden size if not given")->group(sizes);
  c.add_option("--vocab", vocab, "Vocabulary size, special tokens included")->group(sizes);
  c.add_option("--batch", batch, "Dialogues in a batch")->group(sizes);
  c.add_option("--dropout", dropout, "Dropout probability")->group(sizes);
  c.add_option("--epochs", epochs, "Epochs at most")->group(sizes);
  const char* data = "Examples";
  c.add_option("--examples", examples,
               "last: a dialogue's last turn is the response; all: every turn from the third on")
      ->check(CLI::IsMember({"last", "all"}))
      ->capture_default_str()
      ->group(data);
  c.add_option("--max-turns", bounds.max_turns, "Utterances of context kept, 0: all")
      ->capture_default_str()
      ->group(data);
  c.add_option("--max-utterance", bounds.max_utterance_tokens, "Tokens of an utterance, 0: all")
      ->capture_default_str()
      ->group(data);
  c.add_option("--max-response", bounds.max_response_tokens, "Tokens of a response, 0: all")
      ->capture_default_str()
      ->group(data);
  c.add_option("--limit", limit, "Read only the first dialogues of each part, 0: all")
      ->capture_default_str()
      ->group(data);
  const char* optimizer = "Optimiser";
  c.add_option("--rate", schedule.rate, "Learning rate of SGD")
      ->capture_default_str()
      ->group(optimizer);
  c.add_option("--max-norm", max_norm, "Global-norm clipping of the gradient")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group(optimizer);
  c.add_option("--patience", schedule.patience,
               "Halve the rate after this many epochs without a better validation perplexity")
      ->capture_default_str()
      ->group(optimizer);
  c.add_option("--min-rate", schedule.min_rate, "Stop when the rate would fall below")
      ->capture_default_str()
      ->group(optimizer);
  c.add_option("--halve-after", schedule.halve_after,
               "Also halve the rate in every epoch after this one, 0: never")
      ->capture_default_str()
      ->group(optimizer);
}

TrainSettings TrainFlags::settings() const {
  const Preset chosen = find_preset(preset);
  TrainSettings s;
  s.model.num_layers = layers.value_or(chosen.layers);
  s.model.hidden_size = hidden.value_or(chosen.hidden);
  s.model.embedding_size = embed.value_or(s.model.hidden_size);
  s.model.vocab_size = vocab.value_or(chosen.vocabulary);
  s.model.dropout = dropout.value_or(chosen.dropout);
  s.batch_size = batch.value_or(chosen.batch);
  s.max_epochs = epochs.value_or(chosen.max_epochs);
  s.examples = bounds;
  s.examples.all_positions = examples == "all";
  s.max_norm = max_norm;
  s.schedule = schedule;
  return s;
}

}  // namespace heed
