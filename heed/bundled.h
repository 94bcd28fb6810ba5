// The bundled models and dialogues. They are in data/ of the checkout that the program was built
// in, or in share/heed beside the bin/ that it is installed in.
#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <vector>

namespace heed {

// The directory of a bundled model ("trained", "baseline") or of bundled dialogues
// ("ubuntu-sample"); empty if it does not exist.
std::optional<std::string> find_bundled_model(const std::string& name);
std::optional<std::string> find_bundled_data(const std::string& name);

// If `model` is empty, takes the bundled model that was trained with distractions, and its baseline
// if `baseline` is empty too. One line on standard error says so. Throws UsageError if none is
// found.
void take_bundled(std::string& model, std::string* baseline = nullptr);
// The same for the bundled model that is best in conversation.
void take_bundled_for_chat(std::string& model);
// The same for the bundled model that ranks.
void take_bundled_ranker(std::string& model);
// If `models` is empty, takes all bundled ones.
void take_bundled(std::vector<std::string>& models);

// If the command was given no --data, takes the bundled sample. Then check_exists() for each path
// (separated by commas where a command takes several).
enum class Corpora { kOne, kSeveral };
void find_data(std::string& data, const CLI::App& command, Corpora corpora = Corpora::kOne);
// Throws DataError if there is no such file or directory; the message says where the bundled sample
// is.
void check_exists(const std::string& data);

// The same, also for a folder without this part.
void check_dialogues(const std::string& data, const std::string& part);

// A word as a shell takes it: quoted if it holds more than letters, digits and ./_-+:
std::string shell_word(const std::string& word);

// Prints the output of `heed` without a command: the first commands to try.
std::string first_steps();

}  // namespace heed
