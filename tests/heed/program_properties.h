// What all commands that read dialogues promise: valid JSON of finite numbers, which do not depend
// on batches, threads and the order of the dialogues; all dialogues for --limit 0, and for --limit
// 1 numbers or a line that says why not.
#pragma once

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/heed/program_helpers.h"

namespace heed {

// What was measured, without what says how; nothing where the command fails, as it may say.
inline nlohmann::json measured(const Arguments& arguments) {
  const TempDir dir;
  const Result r = heed_program(arguments + Arguments{"--json", dir.path("json")});
  if (r.code != 0) {
    expect_failure(without_warnings(without_notes(r)), r.code, "", join(arguments));
    EXPECT_TRUE(r.code == 1 || r.code == 2) << join(arguments) << r.code;
    return {};
  }
  auto json = nlohmann::json::parse(dir.read("json"), nullptr, /*allow_exceptions=*/false);
  EXPECT_TRUE(json.is_object()) << join(arguments) << dir.read("json");  // NaN is none
  for (const char* key : {"heed", "inputs"}) json.erase(key);
  return json;
}

// Without what is drawn or listed in the order of the dialogues: ends of intervals and p-values (a
// bootstrap takes clusters by their place), and the examples themselves.
inline nlohmann::json summary_of(const nlohmann::json& json) {
  if (!json.is_structured()) return json;
  nlohmann::json kept = json.is_array() ? nlohmann::json::array() : nlohmann::json::object();
  for (const auto& [key, value] : json.items()) {
    if (json.is_array()) {
      kept.push_back(summary_of(value));
    } else if (key != "low" && key != "high" && key != "p" && key != "p_holm" &&
               key != "per_example") {
      kept[key] = summary_of(value);
    }
  }
  return kept;
}

// The same but for the last digits of sums in another order.
inline void expect_same(const nlohmann::json& got, const nlohmann::json& want,
                        const std::string& where = "") {
  if (want.is_number() && got.is_number()) {
    const double a = got, b = want;
    EXPECT_NEAR(a, b, 1e-5 * std::max(1.0, std::abs(b))) << where;
  } else if (want.is_structured() && got.type() == want.type()) {
    ASSERT_EQ(got.size(), want.size()) << where;
    for (const auto& [key, value] : want.items()) {
      const bool there = want.is_array() || got.contains(key);
      ASSERT_TRUE(there) << where << "/" << key;
      expect_same(want.is_array() ? got[std::stoul(key)] : got[key], value, where + "/" + key);
    }
  } else {
    EXPECT_EQ(got, want) << where;
  }
}

// `name` is all words of the command. `turned`, if not empty, has the dialogues of `data` in
// another order.
inline void expect_properties(const std::string& name, const Arguments& more,
                              const std::string& data, const std::string& turned = "") {
  SCOPED_TRACE(name + " " + join(more));
  std::istringstream words(name);
  const Arguments called(std::istream_iterator<std::string>(words), {}), command = called + more;
  const std::string help = heed_program(Arguments{"help"} + called).out;
  const auto if_known = [&](const char* option, const char* value) {
    return has(help, std::string(option) + " N") ? Arguments{option, value} : Arguments{};
  };
  const auto of = [&](const std::string& where, const Arguments& others) {
    return measured(command + Arguments{"--data", where} + others);
  };
  const nlohmann::json expected = of(data, if_known("--threads", "1"));
  ASSERT_FALSE(expected.empty());
  for (const char* batch : {"1", "5"}) {
    expect_same(of(data, if_known("--threads", "3") + if_known("--batch", batch) +
                             Arguments{"--limit", "0"}),
                expected, batch);
  }
  of(data, {"--limit", "1"});
  if (!turned.empty()) expect_same(summary_of(of(turned, {})), summary_of(expected), "turned");
}

// A file of the same lines, plain or gzip, the last one first.
inline std::string turned(const std::string& path, const TempDir& dir) {
  gzFile in = gzopen(path.c_str(), "rb");
  std::string text(1 << 24, '\0'), lines;
  text.resize(static_cast<size_t>(std::max(gzread(in, text.data(), 1 << 24), 0)));
  gzclose(in);
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) lines = line + "\n" + lines;
  return dir.write("turned.jsonl", lines);
}

}  // namespace heed
