// Slips that any report in JSON may have: a number that stands in two columns of a table, and a
// part of a claim that is asked twice, or of a number and itself.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/file.h"
#include "experiments/experiment.h"
#include "tests/paths.h"

namespace heed {
namespace {

using OrderedJson = nlohmann::ordered_json;

// By the names of their files.
std::map<std::string, OrderedJson> reports() {
  std::map<std::string, OrderedJson> all;
  const std::filesystem::path root = source_dir() + "/experiments";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::filesystem::path& path = entry.path();
    if (path.extension() != ".json") continue;
    all[path.lexically_relative(root).string()] =
        OrderedJson::parse(read_file(path.string(), 1 << 20));
  }
  return all;
}

// What the folder of probes decides (experiments/probes/report.cc).
OrderedJson with_values_of_a_folder(OrderedJson report) {
  const OrderedJson table = {{"NUMBER", "1"},
                             {"PROBE", "mlp"},
                             {"CORPUS", "C"},
                             {"TASK", {"T", "U"}},
                             {"READING", {"raw", "mlp"}}};
  report["values"].update(OrderedJson{
      {"TASK", {"T", "U"}},
      {"READING", {{{"READING", "raw"}, {"TITLE", "R"}}, {{"READING", "mlp"}, {"TITLE", "M"}}}},
      {"SET", {{{"SET", "s"}, {"NAME", "S"}}, {{"SET", "t"}, {"NAME", "T"}}}},
      {"ATTENDS", {{{"INSERTED", "1"}}}},
      {"CHOSEN", {"3"}},
      {"BY_CHECKPOINT", {table}},
      {"BY_CHOICE", {table}}});
  return report;
}

TEST(DescribedReports, NoNumberStandsInTwoColumns) {
  const std::set<std::string> of_many = {"judged", "generators"};  // where rows are computed
  size_t columns = 0, files = 0;
  for (const auto& [file, described] : reports()) {
    const OrderedJson report =
        file.starts_with("probes") ? with_values_of_a_folder(described) : described;
    ++files;
    for (const Table& table : tables_without_rows(report.dump(), Results())) {
      if (table.id == "runs") continue;
      std::set<std::string> keys, names;
      for (const Column& c : table.columns) {
        ++columns;
        EXPECT_TRUE(names.insert(c.group + ": " + c.name).second)
            << file << " " << table.id << " " << c.name;
        if (c.key.empty() || of_many.contains(c.key)) continue;
        EXPECT_TRUE(keys.insert(c.key).second) << file << " " << table.id << " " << c.key;
      }
    }
  }
  EXPECT_GE(files, 14u);
  EXPECT_GT(columns, 300u);
}

TEST(DescribedReports, NoPartOfAClaimIsAskedTwiceOrOfItself) {
  size_t parts = 0;
  for (const auto& [file, report] : reports()) {
    for (const OrderedJson& claim : report.at("claims")) {
      std::set<std::string> asked;
      for (const OrderedJson& part : claim.value("parts", OrderedJson::array())) {
        ++parts;
        EXPECT_TRUE(asked.insert(part.dump()).second) << file << " " << part;
        const std::string key = part.at("key");
        const bool is_itself =
            part.at("variant") == part.value("than", "") && part.value("than_key", key) == key;
        EXPECT_FALSE(is_itself) << file << " " << part;
      }
    }
  }
  EXPECT_GT(parts, 80u);
}

}  // namespace
}  // namespace heed
