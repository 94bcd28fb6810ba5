// Dialogues in plain text files, plain or gzip.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dialog/data/corpus.h"

namespace heed {

enum class TextLayout {
  kAuto,   // detected from the lines in the first 128 KiB that are not blank
  kEou,    // one dialogue per line, whose utterances end in "__eou__" (DailyDialog)
  kLines,  // one utterance per line, blank lines between dialogues
  kTabs,   // speaker, tab, text; blank lines between dialogues. Consecutive lines of one speaker
           // become one turn, joined by a space
  kNames   // "Name: text", with or without a time, and other chats: dialog/data/formats/chat_log.h
};

struct TextOptions {
  TextLayout layout = TextLayout::kAuto;
  int gap_minutes = 60;  // of kNames: a longer silence ends a dialogue; 0: none does
  // Asked if the layout is kAuto and the file may be something else: "talk.txt: looks like JSON.
  // Read it as --layout lines?" If it returns false or is empty: a DataError that names the layout
  std::function<bool(const std::string& question)> read_anyway = {};
};

struct PlainText {
  std::vector<Dialogue> dialogues;
  TextLayout layout;    // never kAuto
  size_t left_out = 0;  // of kNames: lines that nobody said
};

// Reads dialogues. Spaces around a text are dropped, and so are empty utterances. A dialogue is
// called "<file name>:<its first line>", and has no turn if all its utterances are empty. Throws
// DataError "file:line: ..." for text that is not UTF-8, for a line of kTabs without a tab, one of
// kNames without a name (if lines have no times), and if there is no dialogue.
PlainText read_plain_text(const std::string& path, const TextOptions& options,
                          const Reading& reading = {});

// The same for all .txt files below a folder, in the order of their paths, with which the ids
// begin: "films/alien.txt:12". All have the layout of the first one.
PlainText read_plain_texts(const std::string& folder, const TextOptions& options,
                           const Reading& reading = {});

}  // namespace heed
