#include "dialog/verify.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "heed/commands.h"
#include "tensor/error.h"

namespace heed {
namespace {

struct Options {
  CommonPtr common;
  std::vector<std::string> cases;
  std::string dtype = "both";
};

// Prints the comparison; returns whether all of it holds.
bool print(const std::string& directory, DType dtype, Device device) {
  std::printf("%s (%s)\n", directory.c_str(), name_of(dtype));
  bool ok = true;
  for (const VerifyRow& row : verify_case(directory, dtype, device)) {
    std::printf("  %-15s %5ld numbers  largest error %.1e  allowed %.0e  %s\n", row.kind.c_str(),
                static_cast<long>(row.count), row.max_error, row.tolerance,
                row.ok() ? "ok" : ("WRONG: " + row.worst).c_str());
    ok = ok && row.ok();
  }
  return ok;
}

void run(const Options& o) {
  const Device device = start(*o.common);
  bool ok = true;
  for (const std::string& directory : o.cases) {
    if (o.dtype != "f64") ok = print(directory, DType::f32, device) && ok;
    if (o.dtype != "f32") ok = print(directory, DType::f64, device) && ok;
  }
  if (!ok) throw DataError("verify: there are numbers outside of the tolerance");
}

}  // namespace

void add_verify(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand(
      "verify", "Compare with reference numbers, and print the largest error of each kind");
  c->footer("Example: heed verify tests/reference/static-ui tests/reference/dynamic");
  o->common = add_common(*c);
  c->add_option("cases", o->cases, "Directories with a model, dialogs.jsonl and expected.json")
      ->required();
  c->add_option("--dtype", o->dtype, "Element type of the arithmetic")
      ->check(CLI::IsMember({"f32", "f64", "both"}))
      ->capture_default_str();
  c->callback([o] { run(*o); });
}

}  // namespace heed
