#include <iostream>

#include "labs/06-training/characters.h"

// A model of characters learns the documentation twice, with clipping and without. What the first
// one makes up goes to the terminal.
LAB_FIGURE() {
  constexpr int64_t kSteps = 1000, kEvery = 100;
  const Characters text = read_documentation();
  std::vector<double> steps;
  for (int64_t step = 0; step <= kSteps; step += kEvery) steps.push_back(static_cast<double>(step));
  std::map<std::string, std::vector<double>> lines;
  for (const bool clips : {true, false}) {
    SequenceModel model(std::ssize(text.letters), /*embedding_width=*/16, /*width=*/96);
    init(model, /*seed=*/1);
    std::vector<double>& line = lines[clips ? "clipped to norm 0.2" : "not clipped"];
    line = train(model, text, clips ? StepOptions{.max_norm = 0.2} : StepOptions{}, kSteps, kEvery);
    for (double& bits : line) bits = std::isfinite(bits) ? std::min(bits, 12.0) : 12;
    if (!clips) continue;
    Rng rng(seed(), "story");
    std::cerr << line.back() << " bits per character after " << kSteps << " steps. Made up:\n\n"
              << make_up(model, text.letters, 400, 0.7, rng) << "\n\n";
  }
  print_curves("Learning to write like this documentation", "steps",
               "bits per character (12: worse, or no number)", steps, lines);
}
