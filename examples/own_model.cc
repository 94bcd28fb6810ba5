// heed with your own model (own_model.h): every command knows it.
//   own_model train --structure bag-of-words --preset smoke --limit 3000 --epochs 2 --out runs/bag
//   own_model evaluate --model runs/bag
//   own_model chat --model runs/bag
#include "examples/own_model.h"

#include "heed/program.h"

std::unique_ptr<heed::Responder> make_bag_of_words(const heed::ModelConfig& config) {
  return std::make_unique<BagOfWords>(config);
}

int main(int argc, char** argv) {
  heed::register_structure("bag-of-words", make_bag_of_words);
  return heed::run_program(argc, argv);
}
