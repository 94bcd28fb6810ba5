#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dialog/respond/evaluate.h"
#include "dialog/respond/score_json.h"
#include "experiments/engine/report/estimate_json.h"
#include "heed/commands.h"

namespace heed {

// A table for people: one line a test set, of at most `width` columns. "<unk>" is the share of the
// characters in words that are <unk>, whose spelling is not among the bits per character. Where
// columns do not fit, they follow in tables of their own. The DAS ratio is that of the means in the
// columns behind it; "DAS ratio, 2+" is that of dialogues with two utterances of history or more;
// the last four are of single dialogues. `unit`: what is counted, "dialogues".
std::string results_table(const std::vector<TestSetResult>& results, const std::string& unit,
                          int width);
int results_width();  // the columns of the terminal; without one as many as are wanted

// The numbers of a test set. The library counts examples; here stand those, as "examples", and the
// dialogues that they are of.
nlohmann::ordered_json to_json(const ScoreSummary& summary, size_t dialogues);

std::string six_digits(double value);  // "0.123457", "1e-05"

// {"path", "fingerprint"} of an input file.
nlohmann::ordered_json source_json(const std::string& path);

// Like dump(), for values that may hold a path that is not UTF-8.
std::string json_text(const nlohmann::ordered_json& json, int indent = -1);

// The file of a --json option: no file if the path is empty, standard output for "-", gzip if its
// name ends in ".gz". The constructor checks that it can be written. The file appears whole with
// write(), so a command that is stopped leaves none. Throws DataError.
class JsonOutput {
 public:
  explicit JsonOutput(const std::string& path);
  // Results of a command, with how they were made (heed/provenance.h).
  void write(const CommandOptions& o, const nlohmann::ordered_json& results,
             const std::string& dtype = "f32") const;
  void write_text(const std::string& text) const;

  bool wanted() const { return !path_.empty(); }
  bool to_stdout() const { return path_ == "-"; }  // standard output then takes nothing else

 private:
  std::string path_;
};

}  // namespace heed
