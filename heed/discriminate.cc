#include "heed/commands.h"
#include "heed/train.h"

namespace heed {

void add_adversary(CLI::App& app) {
  add_training(app, "adversary", find_system("adversary"), "adversary");
}

void add_discriminate(CLI::App& app) {
  CLI::App* c = app.add_subcommand(
      "discriminate", "Adversarial evaluation: a classifier that tells real responses from others");
  c->require_subcommand(1)->fallthrough();
  c->footer(
      "Was this really said here? A discriminator reads a passage (one or two utterances and a "
      "response) and gives the probability that the response is real.\n"
      "  heed train discriminate --data data/ubuntu-sample --preset smoke --out runs/judge\n"
      "  heed discriminate test --model runs/judge --data data/ubuntu-sample --controls all\n"
      "docs/adversarial.md goes through it.");
  add_training(*c, "train", find_system("discriminate"), "discriminate train");
  add_discriminate_test(*c);
}

}  // namespace heed
