// A table of messages. The columns are the first three of its first line.
#include "dialog/data/formats/table.h"

#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const heed::fuzz::InputFile file(data, size);
  heed::fuzz::tolerate([&] {
    heed::CsvReader csv(file.path());
    csv.find_separator();
    std::vector<std::string> header;
    if (!csv.next(header)) return;
    header.resize(3);
    const auto dialogues = heed::read_table(file.path(), {header[0], header[1], {header[2]}});
    heed::fuzz::must(!dialogues.empty());
    for (const heed::Dialogue& dialogue : dialogues) {
      for (const heed::Turn& turn : dialogue.turns) heed::fuzz::must(!heed::is_blank(turn.text));
    }
  });
  return 0;
}
