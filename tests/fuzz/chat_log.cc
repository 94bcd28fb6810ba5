// A chat whose lines say who speaks: the first byte is the gap in minutes, the rest the file.
#include "dialog/data/formats/chat_log.h"

#include "base/utf8.h"
#include "dialog/data/formats/plain_text.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const heed::fuzz::InputFile file(data + 1, size - 1);
  heed::fuzz::tolerate([&] {
    const auto read = [&](int gap) {
      return heed::read_plain_text(file.path(), {heed::TextLayout::kNames, gap});
    };
    const heed::PlainText text = read(data[0]);
    heed::fuzz::must(text.layout == heed::TextLayout::kNames && !text.dialogues.empty());
    for (const heed::Dialogue& dialogue : text.dialogues) {
      heed::fuzz::must(!dialogue.turns.empty());
      for (const heed::Turn& turn : dialogue.turns) {
        heed::fuzz::must(!heed::is_blank(turn.text) && heed::is_utf8(turn.text));
        heed::fuzz::must(!turn.speaker.empty() && heed::is_utf8(turn.speaker));
      }
    }
    if (data[0] > 0) heed::fuzz::must(read(0).dialogues.size() <= text.dialogues.size());
  });
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto moment = heed::read_moment(bytes, heed::MomentWords::kAny)) {
    heed::fuzz::must(moment->seconds >= 0 && moment->seconds < 90'061);
    heed::fuzz::must(heed::seconds_of({*moment, *moment}).size() == 2);
  }
  return 0;
}
