#include "heed/discriminate.h"

#include "base/error.h"
#include "dialog/text/format.h"
#include "heed/commands.h"
#include "heed/messages.h"

namespace heed {

using Json = nlohmann::ordered_json;

void say_left_out(const adversarial::Part& part, const std::string& name) {
  const auto say = [&](int64_t count, const std::string& what, const std::string& why) {
    if (count > 0)
      note(name + ": " + counted(static_cast<size_t>(count), what) + " left out: " + why);
  };
  say(part.irreplaceable, "passage", "nothing could stand in the place of the response");
  const adversarial::UnfitResponses& u = part.unfit;
  say(u.no_passage, "response", "no passage here has the id");
  say(u.unknown, "response", "with <unk>");
  say(u.length, "response", "too short or too long");
  say(u.repeated, "response", "the same words as one before");
  say(u.as_said, "response", "the same words as the real one");
}

Json left_out_json(const adversarial::Part& part) {
  const adversarial::UnfitResponses& u = part.unfit;
  return {{"other_length", part.counts.other_length},
          {"irreplaceable", part.irreplaceable},
          {"responses",
           {{"no_passage", u.no_passage},
            {"unknown", u.unknown},
            {"length", u.length},
            {"repeated", u.repeated},
            {"as_said", u.as_said}}}};
}

void add_discriminate(CLI::App& app) {
  CLI::App* c = app.add_subcommand(
      "discriminate", "Adversarial evaluation: a classifier that tells real responses from others");
  c->require_subcommand(1)->fallthrough();
  c->footer(
      "Was that said there? A discriminator reads a passage, one or two utterances and a response, "
      "and says how probably the response is real.\n"
      "  heed discriminate train --data data/ubuntu-sample --preset smoke --out runs/judge\n"
      "  heed discriminate test --model runs/judge --data data/ubuntu-sample --controls all\n"
      "docs/adversarial.md goes through it.");
  add_discriminate_train(*c);
  add_discriminate_test(*c);
}

}  // namespace heed
