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
  c.add_option("--optimizer", this->optimizer, "sgd or adam (instead of the preset's)")
      ->check(CLI::IsMember({"sgd", "adam"}))
      ->group(optimizer);
  c.add_option("--rate", rate, "Learning rate (instead of the preset's)")->group(optimizer);
  c.add_option("--warm-up", warm_up, "Steps in which the rate grows to its full size")
      ->group(optimizer);
  c.add_option("--weight-decay", weight_decay,
               "Part of each parameter that a step takes away, times the rate")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->group(optimizer);
  c.add_option("--max-norm", max_norm, "Global-norm clipping of the gradient")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group(optimizer);
  c.add_option("--patience", patience,
               "Halve the rate after this many epochs without a better validation perplexity")
      ->capture_default_str()
      ->group(optimizer);
  c.add_option("--min-rate", min_rate, "Stop when the rate would fall below; a 1000th of --rate")
      ->group(optimizer);
  c.add_option("--halve-after", halve_after,
               "Also halve the rate in every epoch after this one, 0: never")
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
  s.optimizer.name = optimizer.value_or(chosen.optimizer);
  s.optimizer.weight_decay = weight_decay;
  // Another optimiser than the preset's has a rate and a schedule of its own kind.
  const bool own = s.optimizer.name == chosen.optimizer;
  s.optimizer.warm_up = warm_up.value_or(own ? chosen.warm_up : 0);
  s.schedule.rate = rate.value_or(own ? chosen.rate : default_rate(s.optimizer.name));
  s.schedule.min_rate = min_rate.value_or(s.schedule.rate / 1000);
  s.schedule.halve_after = halve_after.value_or(own ? chosen.halve_after : 0);
  s.schedule.patience = patience;
  s.max_norm = max_norm;
  return s;
}

}  // namespace heed
