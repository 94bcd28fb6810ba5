// docs/settings.md has a table of the settings of each system, and python/heed/torch/config.py the
// fields of config.json. HEED_WRITE_DOCS=1 writes them.
#include <cstdlib>

#include "base/file.h"
#include "dialog/respond/settings.h"
#include "dialog/system.h"
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
  for (const System& system : systems()) {
    ASSERT_EQ(bool(system.files), bool(system.train)) << system.name;
    if (!system.files) continue;
    const System::Files of = system.files();
    for (size_t i = 0; i < of.files.size(); ++i) {
      Rows rows;
      visit_settings(of.files[i], rows);
      const std::string name = system.name + (i == 0 ? "" : " training");
      expect_section(kRoot / "docs/settings.md", "<!-- " + name + " -->\n",
                     "<!-- /" + name + " -->", rows.text);
    }
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
