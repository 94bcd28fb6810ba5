// Reads and writes dialogues with what find_package(heed) gives.
#include <iostream>

#include "dialog/data/corpus.h"
#include "tensor/parallel.h"

int main(int, char** argv) {
  heed::set_num_threads(1);
  const std::string path = std::string(argv[0]) + ".jsonl.gz";
  heed::write_dialogues(path, {{"one", {{"A", "hello"}, {"B", "hi there"}}}});
  const std::string text = heed::read_dialogues(path).at(0).turns.at(1).text;
  std::cout << "heed on " << heed::num_threads() << " thread: " << text << "\n";
  return text == "hi there" ? 0 : 1;
}
