// heed info --card: the facts that people ask about a model they are given.
#include "heed/card.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/error.h"
#include "base/list.h"
#include "base/path.h"
#include "dialog/describe/info_json.h"
#include "dialog/respond/run.h"
#include "dialog/text/terminal.h"
#include "dialog/text/vocabulary.h"
#include "heed/bundled.h"
#include "heed/results.h"
#include "heed/system_flags.h"
#include "train/number_json.h"
#include "train/run_log.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

// Escapes the text of a file so that Markdown shows it literally.
std::string plain(const std::string& text) {
  std::string result;
  for (const char c : printable(text)) {
    if (std::string_view("\\`*_[]<>|#&~!").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string text_of(const Json& value) {
  if (value.is_null()) return "unknown";
  if (value.is_string()) return plain(value.get<std::string>());
  if (!value.is_number_float()) return plain(value.dump());
  return six_digits(value.get<double>());
}

std::string row(const std::string& name, const std::string& text) {
  return "| " + name + " | " + text + " |\n";
}

std::string model_section(const Json& info) {
  const Json &model = info["model"], &parameters = info["parameters"];
  std::string text = "## Model\n\n| | |\n| --- | --- |\n";
  for (const auto& [key, value] : model.items()) {
    if (!value.is_structured()) text += row(plain(key), text_of(value));
  }
  if (parameters.is_object()) {
    text += row("parameters", text_of(parameters["numbers"]));
    text += row("model.safetensors", text_of(parameters["size"]) + ", fingerprint (CRC-32) " +
                                         text_of(parameters["fingerprint"]));
  }
  return text + "\n";
}

// The option as it is typed in a command; empty if it has no value.
std::string option_text(const std::string& name, const Json& value) {
  if (value.is_null() || value == "" || value == false) return "";
  if (value == true) return " --" + name;
  const std::string values = value.is_string() ? value.get<std::string>() : value.dump();
  if (name != "group") return " --" + name + " " + shell_word(shown_path(values));
  std::string text;  // an option that may be given several times
  for (const std::string& word : split(values, ' ')) text += " --group " + shell_word(word);
  return text;
}

// What heed train makes of these options.
Json options_after(const std::string& command_line) {
  CLI::App command;
  SystemFlags flags(systems()[0]);
  flags.declare_form(command);
  flags.declare(command, flags.system.is_option, /*folders=*/false);
  command.parse(command_line);
  return as_options(response_settings(flags));
}

// The command that repeats this training: its preset, and the options that differ from it. Empty if
// an older version did not keep the preset, or if the run is of another system.
std::string command_of(const std::string& run, const Json& info) {
  if (info["model"].value("system", Json("respond")) != "respond") return "";
  for (const char* learned_beside : {"adversary.json", "discriminator.json"}) {
    if (has_file(run, learned_beside)) return "";
  }
  const TrainSettings s = load_settings(run);
  if (!s.preset || !s.vocabulary) return "";
  const Json options = as_options(s);
  std::string command =
      "--preset " + *s.preset + " --structure " + std::string(s.model.structure.name);
  Json defaults = options_after(command);
  for (const char* name : {"optimizer", "hidden"}) {  // others follow from these
    if (options[name] != defaults[name]) command += option_text(name, options[name]);
  }
  defaults = options_after(command);
  defaults["seed"] = 1;
  command.insert(0, "heed train --data DATA --out RUN ");
  for (const auto& [name, value] : options.items()) {
    if (value != defaults[name]) command += option_text(name, value);
  }
  return command;
}

std::string training_section(const std::string& run, const Json& info) {
  const Json& settings = info["settings"];
  std::string text = "## Data\n\n" + std::string("| | |\n| --- | --- |\n");
  text += row("name, source, language", "**to be filled in by you**");
  text += row("fingerprint of what was read (CRC-32)",
              text_of(settings.value("data_fingerprint", Json())));
  for (const char* key : {"limit", "vocabulary"}) {
    if (settings.contains(key)) text += row(key, text_of(settings[key]));
  }
  const Json examples = settings.value("examples", Json::object());
  for (const auto& [key, value] : examples.items()) text += row(plain(key), text_of(value));
  text += "\n## Training\n\n";
  if (const std::string command = command_of(run, info); !command.empty()) {
    text += "    " + printable(command) + "\n\n";
  }
  text += "| | |\n| --- | --- |\n";
  text += row("state", text_of(info["state"]["status"]) +
                           ", epochs: " + text_of(info["state"]["epochs"]) + " of " +
                           text_of(info["state"]["max_epochs"]));
  const Json made = info["begun_with"].is_object() ? info["begun_with"] : Json::object();
  for (const auto& [key, value] : made.items()) {
    if (!value.is_null()) text += row(plain(key), text_of(value));
  }
  return text + "\n";
}

// The last epochs of the log, which has at least one row.
std::string numbers_section(const RunLog& log, const Json& best, bool responds) {
  constexpr size_t kMost = 30;
  std::string text = "## Numbers\n\n", line = "\n|";
  for (const std::string& column : log.columns) {
    text += (text.back() == '\n' ? "| " : " | ") + plain(column);
    line += " ---: |";
  }
  text += " |" + line + "\n";
  const size_t from = log.rows.size() - std::min(log.rows.size(), kMost);
  for (size_t r = from; r < log.rows.size(); ++r) {
    text += "|";
    for (const double value : log.rows[r]) {
      text += " " + (std::isfinite(value) ? text_of(json_number(value)) : "-") + " |";
    }
    text += "\n";
  }
  if (best.is_object()) {
    text += "\nThe weights are those of epoch " + text_of(best["epoch"]) +
            ", the best one on the validation dialogues: " + plain(std::next(best.begin()).key()) +
            " " + text_of(*std::next(best.begin())) + ".\n";
  }
  return text + "\nOn test dialogues: **to be measured by you**" +
         (responds ? ", for example with\n\n    heed evaluate --model MODEL --data DATA\n\n"
                   : ".\n\n");
}

std::string limits_section(const Json& info, bool responds) {
  std::string text = "## Limits\n\n";
  if (responds) {
    text +=
        "- It imitates its training dialogues, with their mistakes, opinions and rude words; "
        "nothing checks that its answers are true or kind. Do not use it to give advice.\n";
  }
  const Json vocabulary = info.value("vocabulary", Json::object());
  if (vocabulary.value("kind", "") == name_of(TokenKind::kWords)) {
    text += "- It knows " + text_of(vocabulary["tokens"]) +
            " words, in the language of its data; it reads all others as `<unk>`.\n";
  }
  const Json examples = info.value("settings", Json::object()).value("examples", Json::object());
  const Json turns = examples.value("max_turns", Json(0));
  if (turns.is_number_integer() && turns != 0) {
    text += "- It reads at most the last " + text_of(turns) + " turns of a dialogue.\n";
  }
  return text +
         "- **Further limits that you know of.**\n\n"
         "## Licence\n\n**To be filled in by you**: the model is derived from its data, "
         "and the licence of the data may apply to it.\n";
}

}  // namespace

std::string model_card(const std::string& directory) {
  const bool is_run = has_file(directory, "settings.json");
  if (!is_run && !has_file(directory, "config.json")) {
    throw DataError(directory + ": holds no model and no run, so no card can be made");
  }
  const Json info = is_run ? info_of_run(directory) : info_of_model(directory);
  const Json can = info.value("can", Json::array());  // empty: the run has no model yet
  const bool responds = can.empty() || std::find(can.begin(), can.end(), "respond") != can.end();
  std::string text = "# " + plain(run_names({directory})[0]) + "\n\n";
  text += "**Purpose, author and date: to be filled in by you.** Made with heed.\n\n";
  text += model_section(info);
  if (is_run) text += training_section(directory, info);
  if (is_run) {
    const RunLog log = epochs_of(directory);
    if (!log.rows.empty()) text += numbers_section(log, info["state"]["best"], responds);
  }
  return text + limits_section(info, responds);
}

}  // namespace heed
