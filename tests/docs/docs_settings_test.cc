// docs/settings.md has a table of the settings of each system, and python/heed/torch/config.py the
// fields of config.json. HEED_WRITE_DOCS=1 writes them.
#include <cstdlib>

#include "base/file.h"
#include "dialog/carry/settings.h"
#include "dialog/comprehend/settings.h"
#include "dialog/discriminate/gan/settings.h"
#include "dialog/discriminate/settings.h"
#include "dialog/discriminate/words/settings.h"
#include "dialog/respond/settings.h"
#include "dialog/retrieve/settings.h"
#include "dialog/rewrite/settings.h"
#include "dialog/track/settings.h"
#include "tests/docs/pages_helpers.h"
#include "train/settings_json.h"

namespace heed {
namespace {

// "`x`"; of nothing a dash.
std::string code(const std::string& text) {
  return text.empty() ? "-" : "`" + text + "`";
}

// Lines "| option | key | without it | a resume may change it | what it is |".
class Rows {
 public:
  template <class T> void operator()(const Setting& s, const T& value) {
    const nlohmann::ordered_json usual = in_file(value);
    const bool none = usual.is_null() || usual == "" || usual == nlohmann::ordered_json::array();
    std::string help = std::regex_replace(s.help, std::regex(R"(\|)"), "\\|");
    if (help.empty() && !s.option.empty()) help = "(`heed help`)";
    text += "| " + code(s.option.empty() ? "" : "--" + s.option) + " | " + code(s.key) + " | " +
            (s.required ? "refused"
             : none     ? "-"
                        : code(usual.dump())) +
            " | " + (s.may_change ? "yes" : "") + " | " + help + " |\n";
  }
  std::string text =
      "| option | key | in a file without it | may change | |\n|---|---|---|---|---|\n";
};

template <class S, class Visit> std::string table(const Visit& visit) {
  Rows rows;
  const S usual;
  visit(usual, rows);
  return rows.text;
}

// A field of a dataclass each: "    heads: int = 2". Structure and sizes have no default.
struct PythonFields {
  template <class T> void operator()(const Setting& s, const T& value) {
    const nlohmann::ordered_json usual = in_file(value);
    const bool optional = usual.is_null() || usual == "";
    const std::string type = usual.is_boolean()          ? "bool"
                             : usual.is_number_float()   ? "float"
                             : usual.is_number_integer() ? "int"
                                                         : "str";
    text += "    " + s.key + ": " + (optional ? "Optional[" + type + "]" : type);
    const bool has_default = !s.required || type == "bool" || type == "float";
    const std::string shown = optional            ? "None"
                              : type != "bool"    ? usual.dump()
                              : usual.get<bool>() ? "True"
                                                  : "False";
    text += (has_default ? " = " + shown : "") + "\n";
  }
  std::string text;
};

// Compares what stands between two lines of a page with the text, or writes it there.
void expect_section(const fs::path& path, const std::string& begin, const std::string& end,
                    const std::string& text) {
  const std::string there = read(path);
  const size_t from = there.find(begin) + begin.size(), to = there.find(end);
  ASSERT_TRUE(there.find(begin) < to && to != there.npos) << path << " has no " << begin;
  std::string page = there;
  page.replace(from, to - from, text);
  if (std::getenv("HEED_WRITE_DOCS")) write_file(path.string(), page);
  EXPECT_EQ(page, there) << "HEED_WRITE_DOCS=1 before this test writes " << path << " anew";
}

TEST(Docs, TablesOfSettingsAreThoseOfTheProgram) {
  const auto model = [](auto& s, auto& v) { visit_model(s, v); };
  const auto run = [](auto& s, auto& v) { visit_run(s, v); };
  const auto config = [](auto& s, auto& v) { visit_config(s, v); };
  const auto training = [](auto& s, auto& v) { visit_training(s, v); };
  const auto players = [](auto& s, auto& v) { visit_players(s, v); };
  const std::vector<std::pair<std::string, std::string>> tables = {
      {"model", table<ModelConfig>(model)},
      {"training", table<TrainSettings>(run)},
      {"discriminator", table<discriminate::Config>(config)},
      {"discriminator's training", table<discriminate::Settings>(training)},
      {"adversary", table<gan::Settings>(players)},
      {"hredgan", table<words::Settings>(players)},
      {"ranker", table<retrieve::Settings>(config)},
      {"ranker's training", table<retrieve::Settings>(training)},
      {"gaps", table<rewrite::Settings>(config)},
      {"gaps' training", table<rewrite::Settings>(training)},
      {"tracker", table<track::Config>(config)},
      {"tracker's training", table<track::Settings>(training)},
      {"reader", table<comprehend::Settings>(config)},
      {"reader's training", table<comprehend::Settings>(training)},
      {"carryover", table<carry::Config>(config)},
      {"carryover's training", table<carry::Settings>(training)}};
  for (const auto& [name, rows] : tables) {
    expect_section(kRoot / "docs/settings.md", "<!-- " + name + " -->\n", "<!-- /" + name + " -->",
                   rows);
  }
}

TEST(Docs, FieldsOfPythonsModelConfigAreThoseOfTheProgram) {
  PythonFields fields;
  const ModelConfig usual;
  visit_model(usual, fields);
  expect_section(kRoot / "python/heed/torch/config.py", "    # <settings>\n", "    # </settings>",
                 fields.text);
}

}  // namespace
}  // namespace heed
