// The other commands of a build for the demo alone (HEED_ALL_COMMANDS=OFF): they say how to get
// them.
#include "base/error.h"
#include "heed/commands.h"
#include "heed/pool.h"
#include "heed/prepare.h"

namespace heed {
namespace {

void left_out(CLI::App& app, const std::string& name) {
  const std::string where = "not in this build; make program builds it";
  CLI::App* c = app.add_subcommand(name, "(" + where + ")");
  c->allow_extras();
  c->callback([=] { throw UsageError(name + ": " + where); });
}

}  // namespace

void add_adversary(CLI::App& app) {
  left_out(app, "adversary");
}
void add_bench(CLI::App& app) {
  left_out(app, "bench");
}
void add_diff(CLI::App& app) {
  left_out(app, "diff");
}
void add_discriminate(CLI::App& app) {
  left_out(app, "discriminate");
}
void add_distract(CLI::App& app) {
  left_out(app, "distract");
}
void add_encode(CLI::App& app) {
  left_out(app, "encode");
}
void add_export(CLI::App& app) {
  left_out(app, "export");
}
void add_import(CLI::App& app) {
  left_out(app, "import");
}
void add_features(CLI::App& app) {
  left_out(app, "features");
}
void add_generate(CLI::App& app) {
  left_out(app, "generate");
}
void add_info(CLI::App& app) {
  left_out(app, "info");
}
void add_judge(CLI::App& app) {
  left_out(app, "judge");
}
void add_log(CLI::App& app) {
  left_out(app, "log");
}
void add_plot(CLI::App& app) {
  left_out(app, "plot");
}
PoolRanker open_pool(const std::string&, const std::string&, Device) {
  throw UsageError("chat --pool: not in this build; make program builds it");
}
std::vector<retrieve::Choice> PoolRanker::choose(const std::vector<std::string>&, size_t) const {
  return {};
}
void chat_from_pool(const Common&, const std::string& model, const std::string& pool) {
  open_pool(model, pool, {});
}
void add_prepare_labels(CLI::App& prepare) {
  left_out(prepare, "labels");
}
void add_probe(CLI::App& app) {
  left_out(app, "probe");
}
void add_rank(CLI::App& app) {
  left_out(app, "rank");
}
void add_report(CLI::App& app) {
  left_out(app, "report");
}
void add_reproduce(CLI::App& app) {
  left_out(app, "reproduce");
}
void add_sweep(CLI::App& app) {
  left_out(app, "sweep");
}
void add_verify(CLI::App& app) {
  left_out(app, "verify");
}
void add_watch(CLI::App& app) {
  left_out(app, "watch");
}

}  // namespace heed
