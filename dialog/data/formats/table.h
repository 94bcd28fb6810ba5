// Dialogues in a table: a message a row, with columns of any names.
#pragma once

#include <string>
#include <vector>

#include "dialog/data/corpus.h"
#include "dialog/text/csv.h"

namespace heed {

// Names of columns. Without `speaker` each row is a turn; with it, consecutive rows of one speaker
// of a dialogue become one. The values of `dialogue`, with '/' between them, are a dialogue's id,
// and its rows need not follow each other; without any all rows are one dialogue, "<file>:1".
struct Columns {
  std::string text, speaker = {};
  std::vector<std::string> dialogue = {};
};

// Reads a CSV file, plain or gzip, whose first line names the columns; between fields stands ',',
// ';' or a tab. Blank texts are left out. With a limit: all rows up to the first one of a dialogue
// too many. Throws DataError "file:line: ..." for rows that are not like the first, for columns
// that there are not, and if there is no dialogue.
std::vector<Dialogue> read_table(const std::string& path, const Columns& columns,
                                 const Reading& reading = {});
// The same behind the first line, which is given.
std::vector<Dialogue> read_rows(CsvReader& csv, const std::vector<std::string>& header,
                                const Columns& columns, const std::string& file,
                                const Reading& reading);

}  // namespace heed
