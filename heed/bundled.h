// What heed brings along: models and dialogues to begin with. They are in data/ of the checkout
// that the program was built in, or in share/heed beside the bin/ that it is installed in.
#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <vector>

namespace heed {

// The directory of a model ("trained", "baseline"), or of dialogues ("ubuntu-sample"); none where
// there is no such one.
std::optional<std::string> find_bundled_model(const std::string& name);
std::optional<std::string> find_bundled_data(const std::string& name);

// Where `model` is empty, the bundled one that was trained with distractions; and its baseline, if
// there is none either. A line on standard error says so. Throws UsageError where none is found.
void take_bundled(std::string& model, std::string* baseline = nullptr);
// The one that talks best, in the same way.
void take_bundled_for_chat(std::string& model);
// The bundled model that ranks, in the same way.
void take_bundled_ranker(std::string& model);
// Where `models` is empty, all bundled ones, in the same way.
void take_bundled(std::vector<std::string>& models);

// Where the command was given no --data, the bundled sample, in the same way; then check_exists(),
// of several with commas for each.
enum class Corpora { kOne, kSeveral };
void find_data(std::string& data, const CLI::App& command, Corpora corpora = Corpora::kOne);
// Throws DataError, which says where the bundled sample is, if there is no such file or directory.
void check_exists(const std::string& data);

// A word as a shell takes it: in quotes where it holds more than letters, digits and ./_-+:
std::string shell_word(const std::string& word);

// What `heed` alone says: what to try first.
std::string first_steps();

}  // namespace heed
