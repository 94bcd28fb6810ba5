// Answers out of a pool of texts, by a model that ranks.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "heed/commands.h"

namespace heed {

// `heed chat --pool`: a conversation in the terminal, each answer with the next best ones and the
// words that it has in common with the context.
void chat_from_pool(const Common& common, const std::string& model, const std::string& pool);

void add_pools(CLI::App& rank);  // heed rank whitelist, heed rank reply

}  // namespace heed
