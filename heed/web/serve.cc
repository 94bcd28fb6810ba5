#include "heed/web/serve.h"

#include <cstdio>
#include <set>

#include "base/path.h"
#include "dialog/respond/run.h"
#include "dialog/text/format.h"
#include "dialog/text/html_page.h"
#include "dialog/text/terminal.h"
#include "heed/inputs.h"
#include "heed/signals.h"
#include "heed/web/live_api.h"
#include "heed/web/server.h"

namespace heed {
namespace {

constexpr const char* kPage =
#include "web_page.inc"
    ;
constexpr const char* kScript =
#include "web_script.inc"
    ;

// "trained" of data/models/trained; a second one of the same name is called "trained 2".
std::vector<LiveModel> load(const std::vector<std::string>& directories,
                            const DecodeOptions& options, Device device, const std::string& pool) {
  std::vector<LiveModel> models;
  std::set<std::string> names;
  for (const std::string& directory : directories) {
    LiveModel m;
    const bool responds = system_of(directory).has(Capability::kRespond);
    if (responds) {
      m = {"", load_responder(directory), load_example_options(directory)};
      make_examples({}, Vocabulary(), m.bounds);  // throws for bounds that contradict each other
      move(*m.loaded.model, device);
      decode(*m.loaded.model, {}, options);  // and for a label that the model does not know
    } else {
      m.ranker = std::make_shared<PoolRanker>(open_pool(directory, pool, device));
    }
    if (responds && has_file(directory, "settings.json")) {
      const TrainSettings settings = load_settings(directory);
      m.insert_prob = settings.own_distractions ? 0 : settings.insert_prob;
    }
    const std::string name = printable(last_part(directory));
    m.name = name;
    for (int i = 2; !names.insert(m.name).second; ++i) m.name = name + " " + std::to_string(i);
    models.push_back(std::move(m));
  }
  return models;
}

}  // namespace

void serve_live_page(const std::vector<std::string>& directories, const DecodeOptions& decode,
                     Device device, int port, const std::string& pool) {
  LiveApi api(load(directories, decode, device, pool), decode);
  WebServer server(
      {.pages = {{"/", {.type = "text/html; charset=utf-8", .body = kPage}},
                 {"/page.js", {.type = "text/javascript; charset=utf-8", .body = kScript}},
                 {"/page.css",
                  {.type = "text/css; charset=utf-8", .body = std::string(page_style())}},
                 {"/api/models", {.body = api.describe()}}},
       .calls = {{"/api/respond", [&](const std::string& body) { return api.respond(body); }}}},
      port);
  const std::atomic<bool>& stop = stop_on_signals();
  std::printf(
      "%s to talk to. Open this address in a browser on this machine; Ctrl-C ends it:\n  %s\n",
      counted(directories.size(), "model").c_str(), server.address().c_str());
  std::fflush(stdout);
  server.run(stop);
  std::puts("\nstopped");
}

}  // namespace heed
