// The Ubuntu Dialogue Corpus as published (Lowe et al., SIGDIAL 2015), plain or gzip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dialog/data/corpus.h"

namespace heed {

// v1: a folder tree of .tsv (or .tsv.gz) files, one dialogue each, or one such file. Each line is a
// message: time, from, to, text, separated by tabs; quotes have no meaning and the text may have
// tabs. Consecutive messages of one speaker become one turn, joined by a space; empty messages are
// left out. The id is the path below the folder; dialogues are in the order of their ids.
std::vector<Dialogue> read_ubuntu_v1(const std::string& path, const Reading& reading = {});

struct UbuntuCsv {
  std::vector<Dialogue> dialogues;
  int64_t label_0_rows = 0;  // whose utterance is not the real answer
};

enum class Wrong { kLeaveOut, kKeep };  // rows with Label 0

// One .csv file with quotes as in RFC 4180.
// Its header line decides how it is read:
//   folder,dialogueID,date,from,to,text                    (dialogueText.csv of Kaggle)
//     The messages of v1, treated as above; rows of a dialogue need not be consecutive. The id is
//     "folder/dialogueID"; a dialogue whose messages are all empty has no turn.
//   Context,Utterance,Label                                (v2, training)
//   Context,Ground Truth Utterance,Distractor_0,...        (v2, validation and test)
//     The last turn of a dialogue is the utterance; the distractors are its candidates. Rows with
//     Label 0 are left out. If they are kept, their last turn is marked as a distraction, and the
//     label "answer" of all rows is yes or no. Turns of the context end in "__eot__", their
//     utterances in "__eou__", which becomes a space. The id is "<file name>:<row>", rows from 1.
UbuntuCsv read_ubuntu_csv(const std::string& path, const Reading& reading = {},
                          Wrong wrong = Wrong::kLeaveOut);

// Both throw DataError "file:line: ..." for rows of another form, for text that is not UTF-8, and
// if there is no dialogue.

}  // namespace heed
