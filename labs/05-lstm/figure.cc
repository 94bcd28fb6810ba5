#include "labs/05-lstm/batches.h"

// How much of the gradient of the last states comes to each step, for three biases of the forget
// gate. In the title: the rows of a batch of drawn lengths, packed and padded.
LAB_FIGURE() {
  constexpr int kSteps = 41, kHidden = 16, kEvery = 5;
  Draw draw;
  const std::vector<int32_t> lengths = sorted(draw.ids(32, 40));
  const int64_t packed = Packing(lengths).rows(), padded = 32 * int64_t{lengths[0]};
  Inputs in = {std::vector<int32_t>(16, kSteps), draw.normal({16 * kSteps, 4 * kHidden}),
               draw.normal({4 * kHidden, kHidden}), Tensor::zeros({16, kHidden}, DType::f64),
               Tensor::zeros({16, kHidden}, DType::f64)};
  for (int64_t i = 0; i < in.w.numel(); ++i) in.w.data<double>()[i] *= 0.15;
  std::vector<double> back;
  for (int step = 0; step < kSteps; step += kEvery) back.push_back(step);
  std::map<std::string, std::vector<double>> lines;
  int bias = 0;
  for (const int more : {0, 1, 2}) {
    bias += more;
    for (int64_t i = 0; i < in.gates.numel(); ++i) {
      if (i / kHidden % 4 == 1) in.gates.data<double>()[i] += more;
    }
    const std::vector<double> norms = norms_by_step(in);
    std::vector<double>& line = lines["forget bias " + std::to_string(bias)];
    for (int step = 0; step < kSteps; step += kEvery) {
      line.push_back(std::max(0.0, 16 + std::log10(norms[kSteps - 1 - step] + 1e-300)));
    }
  }
  print_curves("The gradient on its way back (a batch of 32: " + std::to_string(packed) +
                   " rows packed, " + std::to_string(padded) + " padded)",
               "steps back", "16 + log10 of the norm of dgates", back, lines);
}
