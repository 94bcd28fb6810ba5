// The measurements of a run, by name: the leaves of its evaluation.json, for any experiment. The
// name of a leaf is its path, "test_sets.random:0.5.das_ratio".
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "experiments/engine/stats/statistics.h"

namespace heed {

class Numbers {
 public:
  // null in the file is a missing number.
  void set(const std::string& name, std::optional<double> value);
  void set_series(const std::string& name, Series series) { series_[name] = std::move(series); }
  void set_text(const std::string& name, std::string text) { texts_[name] = std::move(text); }

  // The number; nothing if it is missing or not finite. A name with * is the mean of all that match
  // it, in the order of the file, and missing if one of them is.
  std::optional<double> value(const std::string& name) const;
  // A number for each item, or for the elements of another list. Throws DataError if there is none.
  const Series& series(const std::string& name) const;
  const std::string& text(const std::string& name) const;  // likewise

  bool has(const std::string& name) const { return places_.contains(name); }
  bool has_series(const std::string& name) const { return series_.contains(name); }
  bool has_text(const std::string& name) const { return texts_.contains(name); }
  // Of all numbers, in the order of the file.
  std::vector<std::string> names() const;

 private:
  struct Entry {
    std::string name;
    std::optional<double> value;
  };
  std::vector<Entry> entries_;
  std::unordered_map<std::string, size_t> places_;  // in entries_
  std::unordered_map<std::string, Series> series_;
  std::unordered_map<std::string, std::string> texts_;
};

// Reads a JSON file: numbers and nulls are numbers, lists of them are series, other lists have
// their elements under ".0", ".1", and so on. Throws DataError if it is not JSON.
Numbers load_numbers(const std::string& path);
// Adds those of another file under the name of the file: attention.json's "examples" is
// "attention.examples".
void add_numbers(const std::string& path, Numbers& numbers);

// Numbers of the variants of an experiment by name: those of a paper, or ours.
class VariantNumbers {
 public:
  struct Number {
    double value = 0;
    bool doubtful = false;  // as printed in a paper
  };
  void set(size_t variant, const std::string& name, std::optional<double> value);
  void set_doubtful(size_t variant, const std::string& name);
  std::optional<double> get(size_t variant, const std::string& name) const;
  // Of all variants that have it, in their order.
  std::vector<double> all(const std::string& name) const;
  bool is_doubtful(size_t variant, const std::string& name) const;

 private:
  const Number* find(size_t variant, const std::string& name) const;  // nullptr if there is none

  std::unordered_map<std::string, std::map<size_t, Number>> numbers_;
};

// The numbers that a paper prints, as JSON {"numbers": {ROW: {...}}, "doubtful": {ROW: [NAME]}}. A
// ROW is one of the variants. Its numbers have names by their paths, as those of a run; a last part
// that ends with " %" is printed in percent: "as_history %": 43.7 is as_history = 0.437. null is a
// number that cannot be read. Throws InternalError for a row that is no variant.
VariantNumbers printed_numbers(const std::string& json, const std::vector<std::string>& variants);

}  // namespace heed
