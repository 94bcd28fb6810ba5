// The other commands of a build for the demo alone (HEED_ALL_COMMANDS=OFF): each says how to get
// it.
#include "base/error.h"
#include "heed/commands.h"
#include "heed/decode_flags.h"
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

#define HEED_THERE(name)
#define HEED_LEFT_OUT(name)        \
  void add_##name(CLI::App& app) { \
    left_out(app, #name);          \
  }
HEED_COMMANDS(HEED_THERE, HEED_LEFT_OUT)

void add_prepare_labels(CLI::App& prepare) {
  left_out(prepare, "labels");
}
void add_prepare_carryover(CLI::App& prepare) {
  left_out(prepare, "carryover");
}
Judge judge_of_words(const std::string&, const Responder&) {
  throw UsageError("--rank D: not in this build; make program builds it");
}
PoolRanker open_pool(const std::string&, const std::string&, Device) {
  throw UsageError("chat --pool: not in this build; make program builds it");
}
std::vector<retrieve::Choice> PoolRanker::choose(const std::vector<std::string>&) const {
  return {};
}
void chat_from_pool(const Common&, const std::string& model, const std::string& pool) {
  open_pool(model, pool, {});
}

}  // namespace heed
