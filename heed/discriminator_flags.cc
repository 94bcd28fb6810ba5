#include "heed/discriminator_flags.h"

#include "heed/checks.h"
#include "heed/shared_options.h"

namespace heed {

static void declare_sizes(CLI::App& c, DiscriminatorFlags& o) {
  const char* sizes = "Sizes (instead of the preset's)";
  const CLI::Validator size = whole_number(1, 1 << 24);
  c.add_option("--hidden", o.hidden, "Hidden size")->check(size)->group(sizes);
  c.add_option("--embed", o.embed, "Embedding size; that of --hidden if only that is given")
      ->check(size)
      ->group(sizes);
  c.add_option("--vocab", o.vocab, "Vocabulary size, special tokens included")
      ->check(whole_number(kSpecialTokens + 1, Vocabulary::kMaxSize))
      ->group(sizes);
  c.add_option("--batch", o.batch, "Dialogues in a batch: here passages, real ones and fake ones")
      ->check(whole_number(1, kMaxBatch))
      ->group(sizes);
  c.add_option("--dropout", o.dropout, "Dropout probability")->group(sizes);
  c.add_option("--epochs", o.epochs, "Epochs at most")->group(sizes);
  c.add_option("--rate", o.rate, "Learning rate (instead of the preset's)")->group(sizes);
}

void DiscriminatorFlags::declare(CLI::App& c) {
  c.add_option("--preset", preset,
               "Sizes and an optimiser that belong together\n" + adversarial::preset_table())
      ->check(one_of({"paper", "laptop", "smoke"}))
      ->capture_default_str();
  c.add_option("--context", context, "Utterances before the response, 1 or 2")
      ->check(whole_number(1, 2))
      ->capture_default_str();
  c.add_option("--limit", limit, "Read only the first dialogues, of each part; 0: all")
      ->capture_default_str();
  declare_sizes(c, *this);
}

adversarial::Settings DiscriminatorFlags::settings(uint64_t seed) const {
  adversarial::Settings s = adversarial::find_preset(preset).settings;
  s.preset = preset;
  s.model.passages.context = context;
  s.model.hidden_size = hidden.value_or(s.model.hidden_size);
  s.model.embedding_size = embed.value_or(hidden.value_or(s.model.embedding_size));
  s.model.vocab_size = vocab.value_or(s.model.vocab_size);
  s.model.dropout = dropout.value_or(s.model.dropout);
  s.limit = limit;
  s.loop.batch_size = batch.value_or(s.loop.batch_size);
  s.loop.max_epochs = epochs.value_or(s.loop.max_epochs);
  s.loop.schedule.rate = rate.value_or(s.loop.schedule.rate);
  s.loop.seed = seed;
  s.check();
  return s;
}

}  // namespace heed
