// Answers from a pool of texts, by a model that ranks.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "dialog/retrieve/pool.h"
#include "dialog/system.h"
#include "heed/commands.h"

namespace heed {

struct PoolRanker {
  LoadedSystem loaded;
  std::vector<std::string> pool;

  // The best three texts for a context, oldest utterance first (dialog/retrieve/pool.h).
  std::vector<retrieve::Choice> choose(const std::vector<std::string>& context) const;
};
// A model and the texts of `file`, or, if that is empty, of pool.txt or pool.txt.gz in the model's
// directory. Throws UsageError and DataError.
PoolRanker open_pool(const std::string& model, const std::string& file, Device device);

// `heed chat --pool`: a conversation in the terminal. Each answer comes with the next best ones,
// the words that it shares with the conversation, and the places that the model looked at.
void chat_from_pool(const Common& common, const std::string& model, const std::string& pool);

void add_pools(CLI::App& rank);  // heed rank whitelist, keep and reply

}  // namespace heed
