// Dialogues in a table: one message per row, with columns of any names.
#pragma once

#include <string>
#include <vector>

#include "dialog/data/corpus.h"
#include "dialog/text/csv.h"

namespace heed {

// Names of columns. Without `speaker` each row is a turn; with it, consecutive rows of one speaker
// in a dialogue become one turn. The values of `dialogue`, joined by '/', are a dialogue's id, and
// its rows need not be consecutive; without any, all rows are one dialogue, "<file>:1".
struct Columns {
  std::string text, speaker = {};
  std::vector<std::string> dialogue = {};
};

// Reads a CSV file, plain or gzip, whose first line names the columns; fields are separated by ',',
// ';' or a tab. Blank texts are left out. With a limit, it reads the rows before the first one of a
// dialogue beyond the limit. Throws DataError "file:line: ..." for rows of another length than the
// first, for missing columns, and if there is no dialogue.
std::vector<Dialogue> read_table(const std::string& path, const Columns& columns,
                                 const Reading& reading = {});
// The same after the first line, which is given.
std::vector<Dialogue> read_rows(CsvReader& csv, const std::vector<std::string>& header,
                                const Columns& columns, const std::string& file,
                                const Reading& reading);

}  // namespace heed
