// The reference cases: numbers of an independent implementation in PyTorch, f64. And whether the
// comparison with them would notice a number that is off.
#include "dialog/respond/verify.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "dialog/respond/structure.h"
#include "tensor/parallel.h"
#include "tests/devices.h"
#include "tests/file_helpers.h"
#include "tests/paths.h"

namespace heed {
namespace {

using Json = nlohmann::json;

const std::filesystem::path kCases = std::filesystem::path(source_dir()) / "tests/reference";
// Every folder that make_cases.py has written: the structures, and some of them with options.
std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kCases)) {
    if (exists(entry.path() / "dialogs.jsonl")) names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string failures(const std::vector<VerifyRow>& rows) {
  std::string text;
  for (const VerifyRow& row : rows) {
    if (!row.ok()) text += row.kind + ": " + row.worst + "\n";
  }
  return text;
}

// A reference case that a test may spoil.
class Case {
 public:
  explicit Case(const std::string& name) {
    std::filesystem::copy(kCases / name, directory.path("case"));
    expected = Json::parse(directory.read("case/expected.json"));
  }
  std::vector<VerifyRow> verify(DType dtype) const {
    directory.write("case/expected.json", expected.dump());
    return verify_case(directory.path("case"), dtype);
  }
  std::string data_error() const {
    return error_of<DataError>([&] { verify(DType::f32); });
  }

  TempDir directory;
  Json expected;
};

// Of "nll", and of the steps of an optimiser, such as "sgd loss".
double tolerance_of(const std::string& kind, DType dtype) {
  if (dtype == DType::f64) return 1e-10;
  return kind.find(' ') == kind.npos ? 2e-5 : 3e-4;
}

Structure structure_of(const Case& c) {
  const auto config = Json::parse(c.directory.read("case/config.json"));
  return Structure::parse(config["structure"].get<std::string>());
}

class Reference : public testing::TestWithParam<std::string> {
 protected:
  Reference() { set_num_threads(1); }  // small work, and other tests run at the same time
  static bool attends() { return structure_of(Case(GetParam())).attention; }
};

TEST_P(Reference, EveryNumberAgrees) {
  for (const Device device : test_devices()) {
    for (const DType dtype : {DType::f32, DType::f64}) {
      const auto rows = verify_case((kCases / GetParam()).string(), dtype, device);
      ASSERT_EQ(rows.size(), attends() ? 14u : 8u);
      EXPECT_EQ(failures(rows), "") << name_of(dtype) << " on " << device.str();
      for (const VerifyRow& row : rows) {
        EXPECT_GT(row.count, 0) << row.kind;
        EXPECT_EQ(row.tolerance, tolerance_of(row.kind, dtype)) << row.kind;
      }
    }
  }
}

// As many numbers are compared as expected.json holds: all but the rate and the norm of both
// optimisers.
TEST_P(Reference, NoNumberIsLeftOut) {
  const Case c(GetParam());
  const Json flat = c.expected.flatten();
  const int64_t numbers =
      std::count_if(flat.begin(), flat.end(), [](const Json& value) { return value.is_number(); });
  int64_t compared = 0;
  for (const VerifyRow& row : c.verify(DType::f64)) compared += row.count;
  EXPECT_EQ(compared, numbers - 4);
}

// The kind of number that stands at a JSON pointer, as verify names it.
std::string kind_of(const std::string& pointer) {
  std::string optimizer;
  for (const char* name : {"sgd", "adam"}) {
    if (pointer.starts_with(std::string("/") + name + "/")) optimizer = std::string(name) + " ";
  }
  for (const char* kind : {"nll", "as_scores", "attention_loss", "das_ratio", "mean_das_ratio",
                           "as_distraction", "as_history", "perplexity", "grad_norm", "loss"}) {
    if (pointer.find(std::string("/") + kind) != std::string::npos) {
      return optimizer + kind;
    }
  }
  return "";
}

// What smaller numbers are held against.
double floor_of(const std::string& kind, const Json& expected) {
  if (kind != "grad_norm") return 1e-6;
  double largest = 0;
  for (const Json& norm : expected["grad_norm"]) largest = std::max(largest, norm.get<double>());
  return 1e-4 * largest;
}

#ifdef __SANITIZE_ADDRESS__
constexpr int kEvery = 200;  // twenty times as slow, and nothing that the others have not
#else
constexpr int kEvery = 41;
#endif

// Single numbers, one after the other, a little beyond the tolerance.
TEST_P(Reference, EveryNumberThatIsOffIsNoticed) {
  Case c(GetParam());
  const Json flat = c.expected.flatten();
  std::map<std::string, int> tried;
  int index = 0;
  for (const auto& [pointer, value] : flat.items()) {
    if (!value.is_number() || pointer.ends_with("/lr") || pointer.ends_with("/max_norm")) continue;
    const std::string kind = kind_of(pointer);
    if (tried[kind] >= 2 && ++index % kEvery != 0) continue;  // a sample of the long lists
    ++tried[kind];
    const DType dtype = tried[kind] % 2 ? DType::f64 : DType::f32;
    const double before = value;
    const double off =
        2.5 * tolerance_of(kind, dtype) * std::max(std::abs(before), floor_of(kind, c.expected));
    c.expected[Json::json_pointer(pointer)] = tried[kind] % 4 < 2 ? before + off : before - off;
    for (const VerifyRow& row : c.verify(dtype)) {
      EXPECT_EQ(row.ok(), row.kind != kind) << pointer << ": " << row.kind << " " << row.worst;
    }
    c.expected[Json::json_pointer(pointer)] = before;
  }
  // A model without attention has no scores, no attention loss and none of the four means.
  EXPECT_EQ(tried.size(), c.expected["as_history"].is_null() ? 8u : 14u);
  EXPECT_EQ(failures(c.verify(DType::f64)), "");
}

INSTANTIATE_TEST_SUITE_P(Structures, Reference, testing::ValuesIn(case_names()), [](const auto& i) {
  std::string name = i.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Verify, EveryStructureHasACase) {
  const std::vector<std::string> cases = case_names();
  for (const Structure& structure : structures()) {
    EXPECT_TRUE(std::binary_search(cases.begin(), cases.end(), structure.name)) << structure.name;
  }
}

TEST(Verify, TheWorstNumberIsNamed) {
  Case c("static");
  Json& value = c.expected["dialogs"][2]["nll"][1];
  value = value.get<double>() + 1;
  for (const VerifyRow& row : c.verify(DType::f64)) {
    if (row.kind != "nll") continue;
    EXPECT_NE(row.worst.find("case-2 nll [1]: expected "), std::string::npos) << row.worst;
  }
}

TEST(Verify, OtherSettingsGiveOtherNumbers) {
  for (const char* setting : {"/sgd/lr", "/sgd/max_norm", "/adam/lr", "/adam/max_norm"}) {
    Case c("dynamic-ui");
    Json& value = c.expected[Json::json_pointer(setting)];
    value = value.get<double>() * 0.9;
    EXPECT_NE(failures(c.verify(DType::f64)), "") << setting;
  }
}

// Those who made their case before have no steps of Adam.
TEST(Verify, StepsOfAdamMayBeMissing) {
  Case c("static");
  c.expected.erase("adam");
  EXPECT_EQ(c.verify(DType::f64).size(), 12u);
}

struct Spoiled {
  const char* what;
  std::function<void(Json&)> spoil;
  const char* says;
};

TEST(Verify, ExpectedNumbersOfAnotherShapeAreAnError) {
  const auto erase = [](const char* key) { return [key](Json& e) { e.erase(key); }; };
  const auto erase_in = [](const char* key) {
    return [key](Json& e) { e["dialogs"][1].erase(key); };
  };
  const auto set = [](const char* pointer, const Json& value) {
    return [pointer, value](Json& e) { e[Json::json_pointer(pointer)] = value; };
  };
  const std::vector<Spoiled> cases = {
      {"no perplexity", erase("perplexity"), "'perplexity' is missing"},
      {"no das_ratio", erase("das_ratio"), "'das_ratio' is missing"},
      {"no mean_das_ratio", erase("mean_das_ratio"), "'mean_das_ratio' is missing"},
      {"no as_distraction", erase("as_distraction"), "'as_distraction' is missing"},
      {"no as_history", erase("as_history"), "'as_history' is missing"},
      {"no dialogs", erase("dialogs"), "'dialogs' is missing"},
      {"no loss", erase("loss"), "'loss' is missing"},
      {"no grad_norm", erase("grad_norm"), "'grad_norm' is missing"},
      {"no sgd", erase("sgd"), "'sgd' is missing"},
      {"no sgd rate", [](Json& e) { e["sgd"].erase("lr"); }, "'lr' is missing"},
      {"no sgd loss", [](Json& e) { e["sgd"].erase("loss"); }, "'loss' is missing"},
      {"no id", erase_in("id"), "'id' is missing"},
      {"no nll", erase_in("nll"), "'nll' is missing"},
      {"no as_scores", erase_in("as_scores"), "'as_scores' is missing"},
      {"no attention_loss", erase_in("attention_loss"), "'attention_loss' is missing"},
      {"no das_ratio in a dialogue", erase_in("das_ratio"), "'das_ratio' is missing"},
      {"another id", set("/dialogs/1/id", "case-7"), "case-1 is missing"},
      {"an id that is a number", set("/dialogs/1/id", 1), "case-1 is missing"},
      {"one dialogue too few", [](Json& e) { e["dialogs"].erase(0); }, "does not hold 6 dialogs"},
      {"dialogs is no list", set("/dialogs", 6), "does not hold 6 dialogs"},
      {"a dialogue is no object", set("/dialogs/0", 6), "'id' is missing"},
      {"an nll too many", [](Json& e) { e["dialogs"][0]["nll"].push_back(1.0); }, "case-0 nll"},
      {"an nll too few", [](Json& e) { e["dialogs"][0]["nll"].erase(0); }, "case-0 nll"},
      {"a score too few", [](Json& e) { e["dialogs"][0]["as_scores"].erase(0); }, "as_scores"},
      {"nll is text", set("/dialogs/0/nll/0", "1.5"), "no number"},
      {"nll is null", set("/dialogs/0/nll/0", nullptr), "no number"},
      {"nll is true", set("/dialogs/0/nll/0", true), "no number"},
      {"loss is a list", set("/loss", Json::array({1.0})), "no number"},
      {"perplexity is null", set("/perplexity", nullptr), "no number"},
      {"das_ratio is text", set("/das_ratio", "0.5"), "no number"},
      {"another parameter", [](Json& e) { e["grad_norm"]["x"] = 1.0; }, "grad_norm does not hold"},
      {"a renamed parameter",
       [](Json& e) {
         e["grad_norm"].erase("decoder.output.weight");
         e["grad_norm"]["decoder.output.weights"] = 1.0;
       },
       "'decoder.output.weight' is missing"},
      {"grad_norm is a list", set("/grad_norm", Json::array({1, 2, 3, 4, 5, 6, 7, 8, 9, 10})), ""},
      {"the sgd rate is text", set("/sgd/lr", "1"), "wrong type"},
      {"the sgd rate is negative", set("/sgd/lr", -1), "rate"},
      {"the sgd norm is null", set("/sgd/max_norm", nullptr), "wrong type"},
      {"the sgd norm is negative", set("/sgd/max_norm", -5), "max_norm"},
      {"sgd losses are no list", set("/sgd/loss", 3), "sgd loss"},
      {"more sgd steps than anybody makes", set("/sgd/loss", Json::array_t(100000, 1.0)), "steps"},
      {"a norm too few", [](Json& e) { e["sgd"]["grad_norm"].erase(0); }, "sgd grad_norm"},
  };
  for (const Spoiled& spoiled : cases) {
    Case c("static");
    spoiled.spoil(c.expected);
    const std::string error = c.data_error();
    EXPECT_NE(error, "no error") << spoiled.what;
    EXPECT_NE(error.find(spoiled.says), std::string::npos) << spoiled.what << ": " << error;
  }
}

TEST(Verify, NullAndNumberAreNotTheSame) {
  Case c("static");
  int nulls = 0, numbers = 0;
  for (Json& dialogue : c.expected["dialogs"]) {
    const Json before = dialogue["das_ratio"];
    ++(before.is_null() ? nulls : numbers);
    dialogue["das_ratio"] = before.is_null() ? Json(0.5) : Json();
    EXPECT_NE(c.data_error().find("das_ratio is null on one side only"), std::string::npos);
    dialogue["das_ratio"] = before;
  }
  EXPECT_GT(nulls, 0);
  EXPECT_GT(numbers, 0);
}

// With a weight that is NaN every number comes out as NaN: all rows must be wrong.
TEST(Verify, NotANumberIsAnInfiniteError) {
  for (const std::string& structure : case_names()) {
    Case c(structure);
    std::string file = c.directory.read("case/model.safetensors");
    uint64_t header = 0;
    std::memcpy(&header, file.data(), sizeof header);
    const Json tensors = Json::parse(file.substr(sizeof header, header));
    std::string name = "encoder.norm.weight";
    for (const char* recurrent : {"encoder.lstm.weight_hh_l0", "encoder.gru.weight_hh_l0"}) {
      if (tensors.contains(recurrent)) name = recurrent;
    }
    const size_t at = tensors[name]["data_offsets"][0];
    const float nan = NAN;
    std::memcpy(file.data() + sizeof header + header + at, &nan, sizeof nan);
    c.directory.write("case/model.safetensors", file);
    const bool looks = structure_of(c).attention;
    for (const VerifyRow& row : c.verify(DType::f32)) {
      const bool of_attention =
          row.kind.find("as_") != std::string::npos || row.kind == "attention_loss";
      if (!looks && of_attention) continue;  // even, whatever the weights
      EXPECT_FALSE(row.ok()) << structure << " " << row.kind;
      EXPECT_EQ(row.max_error, INFINITY) << structure << " " << row.kind;
    }
  }
}

TEST(Verify, FilesThatAreMissingOrDamaged) {
  for (const char* file :
       {"expected.json", "dialogs.jsonl", "config.json", "vocab.txt", "model.safetensors"}) {
    Case c("dynamic");
    const std::string path = c.directory.path("case/" + std::string(file));
    const auto error = [&] {
      return error_of<DataError>([&] { verify_case(c.directory.path("case"), DType::f32); });
    };
    const std::string whole = c.directory.read("case/" + std::string(file));
    std::ofstream(path) << whole.substr(0, whole.size() / 2 + 3);
    EXPECT_NE(error(), "no error") << file;
    std::ofstream(path).close();
    EXPECT_NE(error().find(file), std::string::npos) << error();
    std::filesystem::remove(path);
    EXPECT_NE(error().find(file), std::string::npos) << error();
  }
}

TEST(Verify, AChangedWeightOrWordIsNoticed) {
  Case c("non-hier");
  std::string weights = c.directory.read("case/model.safetensors");
  weights[weights.size() - 2] ^= 0x08;  // a high bit of the last weight's mantissa
  c.directory.write("case/model.safetensors", weights);
  EXPECT_NE(failures(c.verify(DType::f32)), "");

  Case d("non-hier");
  std::string dialogs = d.directory.read("case/dialogs.jsonl");
  const size_t word = dialogs.find("\"text\": \"") + 9;
  dialogs.insert(word, "xyzzy ");
  d.directory.write("case/dialogs.jsonl", dialogs);
  EXPECT_NE(failures(d.verify(DType::f64)), "");
}

}  // namespace
}  // namespace heed
