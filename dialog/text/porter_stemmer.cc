#include "dialog/text/porter_stemmer.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

namespace heed {
namespace {

bool is_vowel_letter(char c) {
  return std::string_view("aeiou").find(c) != std::string_view::npos;
}

// For each letter whether it is a consonant; y is one at the start and behind a vowel.
std::vector<bool> consonants(std::string_view word) {
  std::vector<bool> result;
  for (size_t i = 0; i < word.size(); ++i) {
    const bool y = word[i] == 'y';
    result.push_back(y ? i == 0 || !result[i - 1] : !is_vowel_letter(word[i]));
  }
  return result;
}

// m of [C](VC)^m[V]: how often a consonant follows a vowel.
int measure(std::string_view stem) {
  const std::vector<bool> consonant = consonants(stem);
  int m = 0;
  for (size_t i = 1; i < stem.size(); ++i) m += !consonant[i - 1] && consonant[i];
  return m;
}

bool has_measure(std::string_view stem) {
  return measure(stem) > 0;
}

bool contains_vowel(std::string_view stem) {
  const std::vector<bool> consonant = consonants(stem);
  return std::find(consonant.begin(), consonant.end(), false) != consonant.end();
}

bool ends_double_consonant(std::string_view word) {
  const size_t n = word.size();
  return n >= 2 && word[n - 1] == word[n - 2] && consonants(word)[n - 1];
}

// Consonant, vowel, consonant other than w, x and y; or a word of a vowel and a consonant.
bool ends_cvc(std::string_view word) {
  const size_t n = word.size();
  const std::vector<bool> c = consonants(word);
  if (n == 2) return !c[0] && c[1];
  return n >= 3 && c[n - 3] && !c[n - 2] && c[n - 1] &&
         std::string_view("wxy").find(word[n - 1]) == std::string_view::npos;
}

struct Rule {
  std::string_view suffix, replacement;
};

// The first rule whose suffix the word has is the only one that may be applied: where what is
// before the suffix fulfils the condition.
template <class Condition>
std::string apply_first(const std::vector<Rule>& rules, const std::string& word,
                        Condition condition) {
  for (const auto& [suffix, replacement] : rules) {
    if (!word.ends_with(suffix)) continue;
    const std::string stem = word.substr(0, word.size() - suffix.size());
    return condition(stem, suffix) ? stem + std::string(replacement) : word;
  }
  return word;
}

// Plurals.
std::string step_1a(const std::string& word) {
  if (word.ends_with("ies") && word.size() == 4) return word.substr(0, 3);
  static const std::vector<Rule> kRules = {{"sses", "ss"}, {"ies", "i"}, {"ss", "ss"}, {"s", ""}};
  return apply_first(kRules, word, [](const auto&, const auto&) { return true; });
}

// Behind a removed -ed or -ing.
std::string restore_ending(const std::string& stem) {
  for (const std::string_view end : {"at", "bl", "iz"}) {
    if (stem.ends_with(end)) return stem + "e";
  }
  if (ends_double_consonant(stem)) {
    const bool stays = std::string_view("lsz").find(stem.back()) != std::string_view::npos;
    return stays ? stem : stem.substr(0, stem.size() - 1);
  }
  return measure(stem) == 1 && ends_cvc(stem) ? stem + "e" : stem;
}

// Past tenses and participles.
std::string step_1b(const std::string& word) {
  const auto without = [&](size_t letters) { return word.substr(0, word.size() - letters); };
  if (word.ends_with("ied")) return without(word.size() == 4 ? 1 : 2);
  if (word.ends_with("eed")) return has_measure(without(3)) ? without(1) : word;
  for (const std::string_view suffix : {"ed", "ing"}) {
    if (word.ends_with(suffix) && contains_vowel(without(suffix.size()))) {
      return restore_ending(without(suffix.size()));
    }
  }
  return word;
}

std::string step_1c(const std::string& word) {
  return apply_first({{"y", "i"}}, word, [](const std::string& stem, const auto&) {
    return stem.size() > 1 && consonants(stem).back();
  });
}

// Double suffixes.
std::string step_2(const std::string& word) {
  static const std::vector<Rule> kRules = {
      {"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"},   {"anci", "ance"},
      {"izer", "ize"},    {"bli", "ble"},     {"alli", "al"},     {"entli", "ent"},
      {"eli", "e"},       {"ousli", "ous"},   {"ization", "ize"}, {"ation", "ate"},
      {"ator", "ate"},    {"alism", "al"},    {"iveness", "ive"}, {"fulness", "ful"},
      {"ousness", "ous"}, {"aliti", "al"},    {"iviti", "ive"},   {"biliti", "ble"},
      {"fulli", "ful"},   {"logi", "log"}};
  const bool ally = word.ends_with("alli") && has_measure(word.substr(0, word.size() - 4));
  if (ally) return step_2(word.substr(0, word.size() - 2));
  return apply_first(kRules, word, [](const std::string& stem, std::string_view suffix) {
    return has_measure(suffix == "logi" ? stem + "l" : stem);
  });
}

std::string step_3(const std::string& word) {
  static const std::vector<Rule> kRules = {{"icate", "ic"}, {"ative", ""},  {"alize", "al"},
                                           {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""},
                                           {"ness", ""}};
  return apply_first(kRules, word,
                     [](const std::string& stem, const auto&) { return has_measure(stem); });
}

// Single suffixes.
std::string step_4(const std::string& word) {
  static const std::vector<Rule> kRules = {{"al", ""},    {"ance", ""}, {"ence", ""}, {"er", ""},
                                           {"ic", ""},    {"able", ""}, {"ible", ""}, {"ant", ""},
                                           {"ement", ""}, {"ment", ""}, {"ent", ""},  {"ion", ""},
                                           {"ou", ""},    {"ism", ""},  {"ate", ""},  {"iti", ""},
                                           {"ous", ""},   {"ive", ""},  {"ize", ""}};
  return apply_first(kRules, word, [](const std::string& stem, std::string_view suffix) {
    return measure(stem) > 1 && (suffix != "ion" || stem.back() == 's' || stem.back() == 't');
  });
}

// A last e, and one of two last l.
std::string step_5(std::string word) {
  const auto without_last = [&] { return word.substr(0, word.size() - 1); };
  if (word.ends_with("e")) {
    const int m = measure(without_last());
    if (m > 1 || (m == 1 && !ends_cvc(without_last()))) word.pop_back();
  }
  return word.ends_with("ll") && measure(without_last()) > 1 ? without_last() : word;
}

}  // namespace

std::string porter_stem(const std::string& word) {
  static const std::map<std::string, std::string> kIrregular = {
      {"sky", "sky"},        {"skies", "sky"},        {"dying", "die"},
      {"lying", "lie"},      {"tying", "tie"},        {"news", "news"},
      {"innings", "inning"}, {"inning", "inning"},    {"outings", "outing"},
      {"outing", "outing"},  {"cannings", "canning"}, {"canning", "canning"},
      {"howe", "howe"},      {"proceed", "proceed"},  {"exceed", "exceed"},
      {"succeed", "succeed"}};
  const auto found = kIrregular.find(word);
  if (found != kIrregular.end()) return found->second;
  if (word.size() <= 2) return word;
  return step_5(step_4(step_3(step_2(step_1c(step_1b(step_1a(word)))))));
}

}  // namespace heed
