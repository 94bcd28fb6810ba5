// The claims and the tables of places of the mediation experiment, of results that are made by
// hand: several structures, of which each has its own numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "dialog/text/format.h"
#include "experiments/mediation/mediation.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

using Json = nlohmann::json;
using mediation::Condition;

constexpr size_t kDialogues = 6, kTokens = 10;
constexpr const char* kPlaceSources[] = {"own", "duplicate", "nearest", "matched", "foreign"};

// What one training of a structure ends with, of the test set random:1.0.
struct Trained {
  double harm = 0, das = 1;
  double unread_less_unseen = -3;
  double width = 0;  // every other dialogue's harm is so much higher, the others' so much lower
};
// By structure, in the order of Condition.
using AllTrained = std::map<std::string, std::array<Trained, 4>>;

Json list(double value, double width = 0) {
  Json json;
  for (size_t i = 0; i < kDialogues; ++i) json.push_back(value + (i % 2 == 0 ? width : -width));
  return json;
}

// A thousandth of a nat a token, as the harm is.
Json harms(double value, double width = 0) {
  return list(value * kTokens, width * kTokens);
}

Json evaluation(const Trained& t) {
  Json json = {{"best_epoch", 1},
               {"epochs", 1},
               {"perplexity", M_E},
               {"nll", list(kTokens)},
               {"tokens", list(kTokens)}};
  for (size_t i = 0; i < kDialogues; ++i) json["conversations"].push_back(i);
  double times = 1;  // in each test set so much more
  for (const char* set : mediation::kSets) {
    Json& of = json["test_sets"][set];
    of["as_distractions"] = list(times * t.das);
    of["as_histories"] = list(1);
    of["das_ratio"] = times * t.das;
    const std::pair<const char*, double> readings[] = {
        {"as it is", times * t.harm},
        {"unseen", 2},
        {"unread", 1},
        {"both", 0.5},
        {mediation::kUnreadLessUnseen, times == 1 ? t.unread_less_unseen : 100}};
    ++times;
    for (const auto& [reading, harm] : readings) {
      of["harm"][reading] = harm;
      of["harms"][reading] = harms(harm, reading == std::string("as it is") ? t.width : 0);
    }
  }
  for (const char* way : {"clean", "distracted"}) {
    json["responses"][way] = {{"bleu", 0.1}, {"distinct_2", 0.2}, {"mean_length", 4}};
  }
  json["responses"]["changed"] = list(0.5, 0.5);
  json["responses"]["all"] = list(1);
  json["responses"]["share_changed"] = 0.5;
  return json;
}

std::string run_name(const std::string& structure, size_t condition) {
  const char* const names[] = {"none", "insertion", "insertion-loss", "placebo"};
  return structure + "-" + names[condition] + "-seed1";
}

class MediationClaims : public testing::Test {
 protected:
  void SetUp() override {
    dir.write("mediation.json", R"({"format": 1, "settings": {}, "data": {}})");
  }
  void write(const AllTrained& all) {
    for (const auto& [structure, conditions] : all) {
      for (size_t c = 0; c < conditions.size(); ++c) {
        dir.write(run_name(structure, c) + "/evaluation.json", evaluation(conditions[c]).dump());
      }
    }
  }
  Findings found() const {
    return load_findings(dir.path(""),
                         {.kind = "mediation",
                          .variants = mediation::variant_names(),
                          .additions = {"exchange.json", "places.json"}},
                         mediation::showing().measured);
  }
  std::vector<ClaimResult> claims(const AllTrained& all) {
    write(all);
    std::vector<ClaimResult> results;
    const Claims all_claims = claims_of(mediation::showing(), found());
    for (const Claim& claim : all_claims.claims) {
      results.push_back(claim.ours.at(0));
    }
    return results;
  }
  // A letter for each claim: y holds, n does not, ? undecided.
  std::string verdicts(const AllTrained& all) {
    std::string text;
    for (const ClaimResult& r : claims(all)) text += !r.holds ? '?' : *r.holds ? 'y' : 'n';
    return text;
  }
  const TempDir dir;
};

// In both structures each claim holds. Insertion lowers harm and ratio, the loss more so.
AllTrained as_claimed() {
  return {{"static-ui", {{{40, 1.25}, {30, 0.75}, {20, 0.5}, {35, 1}}}},
          {"non-hier", {{{60, 1.5}, {44, 1.25}, {40, 1}, {58, 1.375}}}}};
}

TEST_F(MediationClaims, HoldWhereEveryStructureSaysSo) {
  const auto claims = this->claims(as_claimed());
  ASSERT_EQ(claims.size(), 6u);
  const char* const figures[] = {
      "static-ui -10.0 [-10.0, -10.0]; non-hier -16.0 [-16.0, -16.0]",
      "static-ui -10.0 [-10.0, -10.0]; non-hier -4.0 [-4.0, -4.0]",
      "static-ui -0.500 [-0.500, -0.500]; non-hier -0.250 [-0.250, -0.250]",
      "static-ui -0.250 [-0.250, -0.250]; non-hier -0.250 [-0.250, -0.250]",
      "static-ui -5.0 [-5.0, -5.0]; non-hier -2.0 [-2.0, -2.0]",
      "static-ui -3.0 [-3.0, -3.0]; non-hier -3.0 [-3.0, -3.0]"};
  for (size_t i = 0; i < claims.size(); ++i) {
    EXPECT_EQ(claims[i].figure, figures[i]) << i;
    EXPECT_EQ(claims[i].holds, true) << i;
  }
}

// Trainings that end otherwise, and what the claims then say.
TEST_F(MediationClaims, AreUndecidedWhereStructuresDoNotAgree) {
  using enum Condition;
  struct Other {
    const char* structure;
    Condition condition;
    Trained trained;
  };
  const std::vector<std::pair<std::vector<Other>, const char*>> cases = {
      {{{"static-ui", kInsertion, {45, 0.75}}, {"non-hier", kInsertionLoss, {40, 1.375}}},
       "?yy?yy"},
      {{{"non-hier", kInsertion, {64, 1.25}}, {"static-ui", kPlacebo, {41, 1}}}, "?yyy?y"},
      {{{"static-ui", kInsertion, {30, 1.5}}, {"non-hier", kInsertionLoss, {45, 1}}}, "y??yyy"},
      {{{"static-ui", kNone, {40, 1.25, 3}}}, "yyyyy?"},
      // Of the state nothing is asked after insertion. An interval with 0 in it decides nothing.
      {{{"static-ui", kInsertion, {30, 0.75, 3}},
        {"non-hier", kInsertion, {44, 1.25, 3}},
        {"static-ui", kPlacebo, {35, 1, -3, 20}}},
       "yyyy?y"}};
  for (const auto& [others, expected] : cases) {
    AllTrained all = as_claimed();
    for (const Other& other : others) {
      all[other.structure][static_cast<size_t>(other.condition)] = other.trained;
    }
    EXPECT_EQ(verdicts(all), expected);
  }
}

TEST_F(MediationClaims, DoNotHoldWhereEveryStructureSaysTheContrary) {
  const auto size = static_cast<size_t>(Condition::kPlacebo);
  AllTrained all = as_claimed();
  for (auto& [structure, of] : all) of[size].harm = of[0].harm + 2;
  EXPECT_EQ(verdicts(all), "yyyyny");
  all["non-hier"][size].width = 20;  // one says the contrary, one nothing
  EXPECT_EQ(verdicts(all), "yyyy?y");
}

// Of a structure that nobody trained nothing is said.
TEST_F(MediationClaims, AreOfTheStructuresThatWereTrained) {
  write({{"dynamic", {{{40, 1.25}, {30, 0.75}, {20, 0.5}, {35, 1}}}}});
  std::filesystem::remove_all(dir.path(run_name("dynamic", 2)));
  const Claims claims = claims_of(mediation::showing(), found());
  std::string text;
  for (const Claim& claim : claims.claims) {
    const ClaimResult& r = claim.ours.at(0);
    text += r.figure.empty() ? '-' : !r.holds ? '?' : *r.holds ? 'y' : 'n';
  }
  EXPECT_EQ(text, "y-y-yy");
  EXPECT_EQ(claims.claims[0].ours[0].figure, "dynamic -10.0 [-10.0, -10.0]");
}

// ---- tables

// Each number of a row: of a source, and beside the own one.
Json places(double more) {
  Json json = {{"tokens", list(kTokens)}};
  for (size_t s = 0; s < std::size(kPlaceSources); ++s) {
    const double n = static_cast<double>(s), harm = 5 + n * n + more, look = 1 + n / 4 + more,
                 history = 2 - n / 8;
    Json& of = json[kPlaceSources[s]];
    of = {{"harm", harm},
          {"harms", harms(harm)},
          {"harm_less_own", n * n},
          {"harms_less_own", harms(n * n)},
          {"looks", list(look)},
          {"history_looks", list(history)},
          {"das_ratio", look / history},
          {"over_own", look / (1 + more)}};
    for (const int length : {2, 3, 20, 21}) {
      for (int place = 0; place <= length; ++place) {
        of["map"][std::to_string(length)][std::to_string(place)] = {
            {"look", look + 0.03 * place}, {"history_look", 2 + 0.1 * length}};
      }
    }
  }
  return json;
}

class MediationTables : public MediationClaims {
 protected:
  void SetUp() override {
    MediationClaims::SetUp();
    write(as_claimed());
    for (const auto& [structure, more] : {std::pair("static-ui", 0.0), {"non-hier", 0.5}}) {
      Json exchange;
      for (const auto& [which, number] : {std::pair("query", 7.0), {"history", 3.0}}) {
        exchange[which] = {{"harm", number + more},
                           {"harms", harms(number + more)},
                           {"look", number / 4 + more},
                           {"look_items", list(number / 4 + more)}};
      }
      for (size_t condition = 0; condition < 4; ++condition) {
        dir.write(run_name(structure, condition) + "/exchange.json", exchange.dump());
        dir.write(run_name(structure, condition) + "/places.json", places(more).dump());
      }
    }
  }
  // The values of a row, each of which is the interval's too, as all dialogues are alike.
  static std::vector<double> row(const std::vector<Table>& tables, const std::string& id,
                                 size_t number) {
    const auto table =
        std::find_if(tables.begin(), tables.end(), [&](const Table& t) { return t.id == id; });
    std::vector<double> values;
    for (const Cell& cell : table->rows.at(number).cells) {
      values.push_back(cell.value.value());
      EXPECT_NEAR(cell.interval.value().low, values.back(), 1e-9) << id << values.size();
      EXPECT_NEAR(cell.interval.value().high, values.back(), 1e-9) << id << values.size();
    }
    return values;
  }
  static void expect_near(const std::vector<double>& is, const std::vector<double>& expected) {
    ASSERT_EQ(is.size(), expected.size());
    for (size_t i = 0; i < is.size(); ++i) EXPECT_NEAR(is[i], expected[i], 1e-9) << i;
  }
};

TEST_F(MediationTables, EachNumberHasItsPlaceAndItsInterval) {
  const std::vector<Table> tables = mediation::showing().tables(found());
  const size_t non_hier = 12;  // the last structure's first training
  for (const auto& [number, more] : {std::pair(size_t{0}, 0.0), {non_hier, 0.5}}) {
    std::vector<double> ratios, beside, harms, less;
    for (int s = 0; s < 5; ++s) {
      const double look = 1 + s / 4.0 + more;
      ratios.push_back(look / (2 - s / 8.0));
      harms.push_back(5 + s * s + more);
      if (s == 0) continue;  // beside itself
      beside.push_back(look / (1 + more));
      less.push_back(s * s);
    }
    ratios.insert(ratios.end(), beside.begin(), beside.end());
    harms.insert(harms.end(), less.begin(), less.end());
    expect_near(row(tables, "places-attention", number), ratios);
    expect_near(row(tables, "places-harm", number), harms);
    expect_near(row(tables, "exchange", number), {7 + more, 3 + more, 1.75 + more, 0.75 + more});
  }
  expect_near(row(tables, "random-1.0", 0), {1.25, 40, 2, 1, 0.5});
  expect_near(row(tables, "rare-end", non_hier), {6 * 1.5, 6 * 60, 2, 1, 0.5});
  std::vector<double> changes;  // by insertion, in each test set
  for (int set = 1; set <= 6; ++set) changes.insert(changes.end(), {-0.5 * set, -10.0 * set});
  expect_near(row(tables, "changes", 0), changes);
}

// Every other response changes. Of 64 draws of six dialogues one has none of these, and one them
// all: less than 2.5 %.
TEST_F(MediationTables, ChangedResponsesAreAShareOfAll) {
  for (const Table& table : mediation::showing().tables(found())) {
    if (table.id != "responses") continue;
    const Cell& changed = table.rows[0].cells.back();
    EXPECT_DOUBLE_EQ(changed.value.value(), 0.5);
    EXPECT_NEAR(changed.interval.value().low, 1 / 6.0, 1e-9);
    EXPECT_NEAR(changed.interval.value().high, 5 / 6.0, 1e-9);
  }
}

// A figure of each structure that was trained, with a bar for each kind of harm.
TEST_F(MediationTables, BarsAreOfTheTrainedStructures) {
  const std::string html = report_of(mediation::showing(), found()).page;
  const std::string section = html.substr(html.find("<section id=\"figure\">"));
  const std::string figures = section.substr(0, section.find("</section>"));
  const auto times = [&](const std::string& part) {
    size_t count = 0;
    for (size_t at = figures.find(part); at != figures.npos; at = figures.find(part, at + 1)) {
      ++count;
    }
    return count;
  };
  for (const char* harm : {"40.0", "30.0", "20.0", "35.0", "60.0", "44.0", "58.0"}) {
    EXPECT_GE(times("<title>" + std::string(harm) + "</title>"), 1u) << harm;
  }
  EXPECT_EQ(times("<title>2.0</title>"), 8u);  // unseen, of four trainings of two structures
  EXPECT_EQ(times("<title>1.0</title>"), 8u);  // unread
  EXPECT_GT(times("non-hier"), 0u);
  EXPECT_EQ(times("dynamic"), 0u);
}

// Rows of 2 to 20 utterances, each with one place more than utterances, by structure and source.
TEST_F(MediationTables, MapsAreOfTheirStructureAndSource) {
  const std::string html = report_of(mediation::showing(), found()).page;
  std::string head = "<th>history</th>";
  for (int place = 0; place <= 20; ++place) head += "<th>" + std::to_string(place) + "</th>";
  for (const auto& [structure, more] : {std::pair("static-ui", 0.0), {"non-hier", 0.5}}) {
    for (const auto& [source, n] : {std::pair("own", 0.0), {"foreign", 4.0}}) {
      std::string map = head + "</tr></thead>\n<tbody>";
      for (const int length : {2, 3, 20}) {
        map += "<tr><th>" + std::to_string(length) + "</th>";
        for (int place = 0; place <= length; ++place) {
          const double ratio = (1 + n / 4 + more + 0.03 * place) / (2 + 0.1 * length);
          map += "<td class=\"heat\" style=\"--heat:" +
                 decimal(std::min(std::max(ratio - 0.5, 0.0), 1.0), 2) + "\">" + decimal(ratio, 2) +
                 "</td>";
        }
        map += "</tr>\n";
      }
      const size_t title =
          html.find(std::string("<h3>") + structure + ", as the data are: " + source + "</h3>");
      ASSERT_NE(title, html.npos) << structure << source;
      EXPECT_NE(html.substr(title, html.find("</table>", title) - title).find(map + "</tbody>"),
                html.npos)
          << structure << source;
    }
  }
}

}  // namespace
}  // namespace heed
