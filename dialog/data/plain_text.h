// Dialogues in plain text files, plain or gzip.
#pragma once

#include <string>
#include <vector>

#include "dialog/data/corpus.h"

namespace heed {

enum class TextLayout {
  kAuto,  // told by the first line that is not blank: kEou if it holds "__eou__", kTabs if it holds
          // a tab, or else kLines
  kEou,   // a dialogue a line, its utterances end in "__eou__" (DailyDialog)
  kLines,  // an utterance a line, blank lines between dialogues
  kTabs    // speaker, tab, text; blank lines between dialogues. Consecutive lines of one speaker
           // become one turn, joined by a blank
};

struct PlainText {
  std::vector<Dialogue> dialogues;
  TextLayout layout;  // never kAuto
};

// Reads them. Blanks around a text are dropped, and so are empty utterances; a dialogue is called
// "<file name>:<line where it begins>", and has no turn if all its utterances are empty. Throws
// DataError "file:line: ..." for text that is not UTF-8, for a line of kTabs without a tab, for
// JSON Lines if the layout is kAuto, and if there is no dialogue.
PlainText read_plain_text(const std::string& path, TextLayout layout, const Reading& reading = {});

// The same for all .txt files below a folder, in the order of their paths, which the ids begin
// with: "films/alien.txt:12". The layout of the first one is that of all.
PlainText read_plain_texts(const std::string& folder, TextLayout layout,
                           const Reading& reading = {});

}  // namespace heed
