// Runs a fuzz target without libFuzzer: over the files of the given folders, and over small changes
// of each, the same ones every time. A crash or an exception fails; the last line says on what.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

namespace fs = std::filesystem;

constexpr int kCuts = 20, kChanges = 60;

void run(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

// One to four bytes replaced, doubled or dropped.
std::string changed(std::string bytes, std::mt19937& random) {
  constexpr char kTelling[] = "\"{}[]:,\\\n\t\r 019-.eE<>=#\xff\xc3\x1f";
  for (unsigned i = 0; i < 1 + random() % 4 && !bytes.empty(); ++i) {
    const size_t at = random() % bytes.size();
    switch (random() % 4) {
      case 0: bytes[at] = static_cast<char>(random()); break;
      case 1: bytes[at] = kTelling[random() % (sizeof kTelling - 1)]; break;
      case 2: bytes.insert(at, bytes.substr(at, random() % 16)); break;
      default: bytes.erase(at, random() % 16);
    }
  }
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  std::set<fs::path> files;  // in the same order everywhere
  for (int i = 1; i < argc; ++i) {
    if (!fs::exists(argv[i])) continue;
    for (const auto& entry : fs::directory_iterator(argv[i])) files.insert(entry.path());
  }
  int inputs = 0;
  for (const fs::path& path : files) {
    std::fprintf(stderr, "%s\n", path.c_str());
    std::ifstream file(path, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    run(bytes);
    for (int cut = 0; cut < kCuts; ++cut) run(bytes.substr(0, bytes.size() * cut / kCuts));
    std::mt19937 random(1);
    for (int i = 0; i < kChanges; ++i) run(changed(bytes, random));
    inputs += 1 + kCuts + kChanges;
  }
  std::fprintf(stderr, "%d inputs\n", inputs);
  return inputs > 0 ? 0 : 1;
}
