#include "dialog/respond/verify.h"

#include <vector>

#include "base/path.h"
#include "heed/command.h"

namespace heed {
namespace {

struct VerifyOptions : CommandOptions {
  std::vector<std::string> cases;
  std::string dtype = "both", json;
};

constexpr int kOneLine = 80;  // below this width, a row of the comparison takes several lines

Json to_json(const VerifyRow& row) {
  return {{"kind", row.kind},         {"numbers", row.count}, {"largest_error", row.max_error},
          {"allowed", row.tolerance}, {"ok", row.ok()},       {"worst", row.worst}};
}

// Prints the comparison, unless standard output is used otherwise, and adds it to the list; returns
// whether all numbers agree.
bool compare(const std::string& directory, DType dtype, Device device, bool print, Json& cases) {
  const std::vector<VerifyRow> rows = verify_case(directory, dtype, device);
  if (print) std::printf("%s (%s)\n", printable(directory).c_str(), name_of(dtype));
  const char* between = results_width() < kOneLine ? "\n    " : "  ";
  Json json = {{"case", directory}, {"dtype", name_of(dtype)}, {"rows", Json::array()}};
  bool ok = true;
  for (const VerifyRow& row : rows) {
    json["rows"].push_back(to_json(row));
    ok = ok && row.ok();
    if (!print) continue;
    std::printf("  %-15s %5ld numbers%slargest error %.1e%sallowed %.0e  %s\n", row.kind.c_str(),
                static_cast<long>(row.count), between, row.max_error, between, row.tolerance,
                row.ok() ? "ok" : ("WRONG: " + printable(row.worst)).c_str());
  }
  cases.push_back(std::move(json));
  return ok;
}

void run(const VerifyOptions& o) {
  if (o.common->matmul.empty()) o.common->matmul = "f32";  // the tolerances are for that
  const Device device = start(*o.common);
  JsonOutput output(o.json);
  bool ok = true;
  Json cases = Json::array();
  for (const std::string& directory : o.cases) {
    if (o.cases.size() > 1 && !has_file(directory, "expected.json")) {
      note(directory + ": no expected.json, and so no case; left out");
      continue;
    }
    for (const DType dtype : {DType::f32, DType::f64}) {
      if (o.dtype != "both" && o.dtype != name_of(dtype)) continue;
      ok = compare(directory, dtype, device, !output.to_stdout(), cases) && ok;
    }
  }
  if (cases.empty())
    throw DataError("verify: none of these is a case: a folder with expected.json");
  output.write(o, {{"ok", ok}, {"cases", cases}}, o.dtype);
  if (!ok) throw DataError("verify: some numbers are outside of the tolerance");
}

}  // namespace

void add_verify(CLI::App& app) {
  const auto [c, o] = declare<VerifyOptions>(
      app, "verify", "Compare with reference numbers, and print the largest error of each kind",
      "Example:\n  heed verify tests/reference/static-ui tests/reference/dynamic", {.seed = ""},
      run);
  c.add_option("cases", o.cases, "Directories with a model, dialogs.jsonl and expected.json")
      ->required();
  option(c, "--dtype", o.dtype, "Element type of the arithmetic", one_of({"f32", "f64", "both"}));
  add_json(c, o.json);
}

}  // namespace heed
