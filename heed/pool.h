// Answers out of a pool of texts, by a model that ranks.
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

  // The best `count` texts for a context, oldest utterance first. What was said in it comes last: a
  // ranker likes the words of the context best, and would say the same again and again.
  std::vector<retrieve::Choice> choose(const std::vector<std::string>& context,
                                       size_t count = 3) const;
};
// A model and the texts of `file`, or where that is empty those that the model's directory holds
// (pool.txt or pool.txt.gz). Throws UsageError and DataError.
PoolRanker open_pool(const std::string& model, const std::string& file, Device device);

// `heed chat --pool`: a conversation in the terminal, each answer with the next best ones, the
// words that it has in common with the context, and where the model looked.
void chat_from_pool(const Common& common, const std::string& model, const std::string& pool);

void add_pools(CLI::App& rank);  // heed rank whitelist, heed rank reply

}  // namespace heed
