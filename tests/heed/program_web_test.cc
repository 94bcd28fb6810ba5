// heed chat --web as a program: its address, its models, its end.
#include <nlohmann/json.hpp>

#include "tests/heed/program_helpers.h"
#include "tests/heed/web_helpers.h"

namespace heed {
namespace {

class ChatWeb : public testing::Test {
 protected:
  // Starts it and reads the address that it prints.
  Running start(const Arguments& more, Address& at) const {
    std::filesystem::remove(dir.path("out"));  // of the one before
    Running program(Arguments{"chat", "--web", "--threads", "1"} + more, dir, dir.path("out"));
    EXPECT_TRUE(wait_until([&] {
      const std::string out = dir.read("out");
      const size_t url = out.find("http://");
      if (url != out.npos && out.ends_with("\n")) at = Address(out.substr(url));
      return at.port > 0;
    })) << dir.read("stderr");
    return program;
  }
  const TempDir dir;
};

nlohmann::json json_of(const std::string& response) {
  EXPECT_EQ(status_of(response), 200) << response;
  return nlohmann::json::parse(body_of(response));
}

TEST_F(ChatWeb, TellsItsAddressAnswersAndEndsOnCtrlC) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Address at("");
    Running program = start({"--model", kModel, kReference + "dynamic", "--model", kModel}, at);
    const nlohmann::json site = json_of(tell(at.port, get_request(at, "api/models")));
    EXPECT_EQ(site["models"][0]["name"], "static-ui");
    EXPECT_EQ(site["models"][1]["structure"], "dynamic");
    EXPECT_EQ(site["models"][2]["name"], "static-ui 2");
    const std::string question = R"({"model": "dynamic", "history": [{"text": "hello there"}]})";
    const nlohmann::json answer = json_of(tell(at.port, post_request(at, "api/respond", question)));
    EXPECT_EQ(answer["attention"], "steps");
    EXPECT_EQ(answer["utterances"][0]["words"].size(), 2u);
    for (const char* file : {"", "page.js", "page.css"}) {
      EXPECT_EQ(status_of(tell(at.port, get_request(at, file))), 200) << file;
    }
    const Client idle(at.port);  // does not hold it up
    program.send(signal);
    EXPECT_EQ(program.wait(), -signal) << dir.read("stderr");
    EXPECT_TRUE(has(dir.read("out"), "\nstopped\n"));
    EXPECT_EQ(dir.read("stderr"), "");
  }
}

TEST_F(ChatWeb, TakesTheBundledModelsAndThePortThatItIsTold) {
  Address at("");
  Running program = start({}, at);
  EXPECT_TRUE(has(dir.read("stderr"), "taking the bundled ")) << dir.read("stderr");
  const nlohmann::json site = json_of(tell(at.port, get_request(at, "api/models")));
  EXPECT_EQ(site["models"][0]["name"], "larger");
  EXPECT_EQ(site["models"][1]["name"], "trained");
  EXPECT_GE(site["models"].size(), 2u);
  const std::string port = std::to_string(at.port);
  const Arguments same = {"chat", "--web", "--model", kModel, "--port", port};
  expect_failure(heed_program(same), 1, "--port " + port + ": is taken", join(same));
  program.send(SIGINT);
  EXPECT_EQ(program.wait(), -SIGINT);
  Address again("");
  Running second = start({"--model", kModel, "--port", port}, again);
  EXPECT_EQ(again.port, at.port);
  EXPECT_NE(again.path, at.path);  // another token
  second.send(SIGINT);
  EXPECT_EQ(second.wait(), -SIGINT);
}

// Of models of one name the second has a number behind it, and so has the third. Distractions are
// told as they were in training: utterances of the dialogue itself are none.
TEST_F(ChatWeb, TellsModelsOfOneNameApart) {
  const std::string own = dir.path("own/trained");
  std::filesystem::create_directory(dir.path("own"));
  std::filesystem::copy(kTrained, own);
  auto settings = nlohmann::json::parse(dir.read("own/trained/settings.json"));
  settings["own_distractions"] = true;
  dir.write("own/trained/settings.json", settings.dump());
  Address at("");
  Running program = start({"--model", kTrained, own, "--model", kTrained, kModel}, at);
  const nlohmann::json site = json_of(tell(at.port, get_request(at, "api/models")));
  ASSERT_EQ(site["models"].size(), 4u);
  EXPECT_EQ(site["models"][0]["name"], "trained");
  EXPECT_EQ(site["models"][1]["name"], "trained 2");
  EXPECT_EQ(site["models"][2]["name"], "trained 3");
  EXPECT_NEAR(site["models"][0]["distractions"].get<double>(), 0.7, 1e-12);
  EXPECT_EQ(site["models"][1]["distractions"], 0);
  EXPECT_NEAR(site["models"][2]["distractions"].get<double>(), 0.7, 1e-12);
  EXPECT_TRUE(site["models"][3]["distractions"].is_null());  // nobody knows
  EXPECT_TRUE(has(dir.read("out"), "4 models to talk to.")) << dir.read("out");
  program.send(SIGINT);
  EXPECT_EQ(program.wait(), -SIGINT);
}

// A model that ranks and one that writes: the first has a pool, the second may be told how.
TEST_F(ChatWeb, TakesModelsOfBothKinds) {
  const std::string pool = dir.write("pool.txt", "yes\nno\nmaybe\n");
  Address at("");
  Running program = start(
      {"--model", source_dir() + "/data/models/ranker", kModel, "--pool", pool, "--decode", "beam"},
      at);
  const nlohmann::json site = json_of(tell(at.port, get_request(at, "api/models")));
  EXPECT_EQ(site["models"][0]["pool"], 3);
  EXPECT_EQ(site["models"][1]["structure"], "static-ui");
  EXPECT_EQ(site["decode"], "beam");
  program.send(SIGINT);
  EXPECT_EQ(program.wait(), -SIGINT);
}

TEST_F(ChatWeb, SaysWhatItDoesNotTake) {
  const auto fails = [](const Arguments& more, const std::string& says) {
    const Arguments command = Arguments{"chat", "--model", kModel} + more;
    expect_failure(heed_program(command), 2, says, join(command));
  };
  fails({"--port", "8080"}, "--port: only applies with --web");
  fails({"--model", kModel}, "--model: several models need --web; in the terminal you talk to one");
  fails({"--web", "--port", "65536"}, "--port: ");
  fails({"--web", "--pool"}, "--pool: none of these models ranks");
  fails({"--web", "--beam-size", "3"}, "--beam-size: only applies with --decode beam");
  fails({"--web", "--condition", "mood=good"},
        "--condition: the model knows none, got 'mood=good'");
  const Arguments chooser = {"chat",     "--web", "--model", source_dir() + "/data/models/ranker",
                             "--decode", "beam"};
  expect_failure(heed_program(chooser), 2, "--decode: only applies to models that write answers",
                 join(chooser));
}

}  // namespace
}  // namespace heed
