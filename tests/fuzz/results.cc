// evaluation.json of an experiment's runs: two runs with the same one, of which intervals are made.
#include "experiments/engine/report/variant_tables.h"
#include "tests/fuzz/fuzz.h"

namespace {

void write(const std::string& path, const std::string& text) {
  heed::fuzz::write(path, reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const heed::fuzz::Folder folder;
  static const heed::ResultsLayout layout{.variants = {{"a", "", "A"}, {"b", "", "B"}},
                                          .clusters = "clusters",
                                          .values = {"accuracy"},
                                          .items = {"right", "all"},
                                          .same = {"all"}};
  write(folder.path() + "/experiment.json", R"({"format": 1, "settings": {}, "data": {}})");
  for (const char* run : {"/a-seed1", "/b-seed1"}) {
    std::filesystem::create_directory(folder.path() + run);
    write(folder.path() + run + "/log.jsonl",
          R"({"epoch":1,"loss":1,"rate":1,"grad_norm":1,"steps":1,"tokens":1})"
          "\n");
    heed::fuzz::write(folder.path() + run + "/evaluation.json", data, size);
  }
  heed::fuzz::tolerate([&] {
    const heed::Results results = heed::load_results(folder.path(), layout);
    const heed::Inference inference(
        results, {{.key = "accuracy", .top = "right", .bottom = "all"}},
        {{"accuracy"}, [](size_t v) { return v == 0 ? std::nullopt : std::optional<size_t>(0); }});
    heed::Table table{.id = "t", .title = "", .note = "", .columns = {{"", "a", "accuracy"}}};
    heed::add_variants(table, results, inference);
    heed::add_changes(table, results, inference);
    heed::fuzz::must(table.rows.size() == 3 && !heed::to_json_text(table).empty());
  });
  return 0;
}
