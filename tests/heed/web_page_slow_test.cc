// The live page in a real browser, as somebody uses it: typing, clicking, keys. Skipped where there
// is no Chromium.
#include <memory>
#include <set>

#include "tests/heed/devtools.h"
#include "tests/heed/png.h"
#include "tests/heed/program_helpers.h"
#include "tests/heed/web_helpers.h"

namespace heed {
namespace {

class LivePage : public testing::Test {
 protected:
  void SetUp() override {
    const std::string name = chromium();
    if (name.empty()) GTEST_SKIP() << "no chromium here; apt install chromium to run this test";
    program = std::make_unique<Running>(
        Arguments{"chat", "--web", "--threads", "1", "--model", kTrained, "--model",
                  kReference + "non-hier", "--model", kReference + "dynamic"},
        dir, dir.path("out"));
    ASSERT_TRUE(wait_until([&] {
      const std::string out = dir.read("out");
      if (const size_t at = out.find("http://"); at != out.npos && out.ends_with("/\n")) {
        address = out.substr(at, out.size() - at - 1);
      }
      return !address.empty();
    })) << dir.read("stderr");
    browser = std::make_unique<DevTools>(name, dir);
    browser->screen(1200, 900, false);
    browser->open(address);
    ASSERT_TRUE(browser->wait("document.querySelectorAll('#model option').length === 3"));
  }
  void TearDown() override {
    browser.reset();
    if (!program) return;
    program->send(SIGINT);
    EXPECT_EQ(program->wait(), -SIGINT);
  }
  void say(const std::string& text) {
    browser->click("#text");
    browser->type(text);
    browser->press("Enter", 13);
    expect_answer();
  }
  void expect_answer() {
    EXPECT_TRUE(browser->wait("!document.querySelector('#answers').hidden"))
        << browser->value("document.querySelector('#mistake').textContent");
  }
  nlohmann::json value(const std::string& expression) { return browser->value(expression); }
  size_t count(const std::string& selector) {
    return value("document.querySelectorAll('" + selector + "').length").get<size_t>();
  }
  // The numbers on the bars.
  nlohmann::json numbers(const std::string& selector = ".with .number") {
    return value("[...document.querySelectorAll('#talk " + selector +
                 "')].map(e => parseFloat(e.textContent))");
  }
  void expect_no_complaint() {
    for (const std::string& complaint : browser->complaints) ADD_FAILURE() << complaint;
  }

  const TempDir dir;
  std::string address;
  std::unique_ptr<Running> program;
  std::unique_ptr<DevTools> browser;
};

TEST_F(LivePage, AnswersAndShowsWhereItLooks) {
  say("my wifi does not work");
  EXPECT_EQ(count("#talk .turn"), 1u);
  EXPECT_EQ(numbers(), nlohmann::json({100}));  // there is nothing else to look at
  say("which driver is it? zyxxyq");
  ASSERT_EQ(count("#talk .turn"), 3u);  // what the model said stands between
  double sum = 0;
  for (const auto& x : numbers()) sum += x.get<double>();
  EXPECT_NEAR(sum, 300, 2);
  EXPECT_EQ(value("document.querySelector('.word.unknown').firstChild.textContent"), "zyxxyq");
  EXPECT_EQ(count("#talk .turn.query"), 1u);
  browser->click("#reset");
  EXPECT_EQ(count("#talk .turn"), 0u);
  expect_no_complaint();
}

TEST_F(LivePage, ADistractionIsInsertedComparedAndRemoved) {
  browser->click("#example");
  expect_answer();
  const nlohmann::json before = numbers();
  ASSERT_EQ(before.size(), 3u);
  EXPECT_EQ(count("#runs .run"), 1u);
  browser->choose("#what", "rare");
  browser->choose("#where", "1");
  browser->click("#insert");
  ASSERT_TRUE(browser->wait("document.querySelectorAll('#runs .run').length === 2"));
  EXPECT_EQ(count("#talk .turn"), 5u);
  EXPECT_EQ(count("#talk .turn.alien"), 2u);
  EXPECT_EQ(value("document.querySelectorAll('#talk .turn')[1].classList.contains('alien')"), true);
  EXPECT_EQ(numbers(".without .number"), before);
  EXPECT_EQ(numbers().size(), 5u);
  EXPECT_TRUE(has(value("document.querySelector('#runs').textContent").get<std::string>(),
                  "DAS ratio of the whole answer 0."));
  browser->choose("#what", "own");
  browser->click("#own");
  browser->type("zyxxyq <img src=x onerror=alert(1)>");
  browser->click("#insert");
  ASSERT_TRUE(browser->wait("document.querySelectorAll('#talk .turn.alien').length === 3"));
  EXPECT_EQ(count("img"), 0u);
  browser->click("#talk .turn.alien .remove");
  ASSERT_TRUE(browser->wait("document.querySelectorAll('#talk .turn.alien').length === 2"));
  expect_answer();
  browser->click("#remove-all");
  ASSERT_TRUE(browser->wait("document.querySelectorAll('#talk .turn').length === 3"));
  expect_answer();
  EXPECT_EQ(numbers(), before);
  expect_no_complaint();
}

// A place is a turn, which stays where others come before it; of what is new it is the question.
TEST_F(LivePage, InsertsWhereOneSaidLast) {
  const auto place = [&] {
    return value("document.querySelector('#where').selectedOptions[0].textContent");
  };
  say("my wifi is gone");
  say("which card?");
  browser->choose("#where", "1");
  browser->click("#insert");
  ASSERT_TRUE(browser->wait("document.querySelectorAll('#runs .run').length === 2"));
  EXPECT_TRUE(place().get<std::string>().starts_with("before 4: ")) << place();
  browser->choose("#where", "4");
  say("an old one");
  EXPECT_EQ(place(), "directly before the question, 7: an old one");
  browser->choose("#where", "0");
  browser->click("#reset");
  say("hello");
  say("hello again");
  EXPECT_EQ(place(), "directly before the question, 3: hello again");
  expect_no_complaint();
}

// Or else all that follows would be refused, too.
TEST_F(LivePage, TakesBackWhatIsRefused) {
  say("my wifi is gone");
  const std::string answer = value("document.querySelector('#runs').textContent");
  const auto refused = [&] {
    EXPECT_TRUE(browser->wait("!document.querySelector('#mistake').hidden"));
    EXPECT_TRUE(has(value("document.querySelector('#mistake').textContent").get<std::string>(),
                    ".text: has no word"));
    EXPECT_EQ(count("#talk .turn"), 1u);
    EXPECT_EQ(value("document.querySelector('#runs').textContent"), answer);
  };
  say("\u200B");
  refused();
  EXPECT_EQ(value("document.querySelector('#text').value"), "\u200B");
  browser->choose("#what", "own");
  value("document.querySelector('#own').value = '\u200B'");
  browser->click("#insert");
  refused();
  value("document.querySelector('#text').value = ''");
  say("which card?");
  EXPECT_EQ(count("#talk .turn"), 3u);
  EXPECT_EQ(value("document.querySelector('#mistake').hidden"), true);
  browser->complaints.clear();  // of the requests that were refused
}

TEST_F(LivePage, AModelMayHaveAnyName) {
  value("turns.push({who: 'distraction', text: 'hello there'}); 0");
  say("my wifi is gone");
  EXPECT_EQ(count("#talk .turn"), 2u);
  EXPECT_EQ(count("#talk .turn.alien"), 0u);
  EXPECT_EQ(count("#runs .run"), 1u);
  expect_no_complaint();
}

TEST_F(LivePage, GoesAlongTheWordsOfAnAnswer) {
  browser->click("#example");
  expect_answer();
  EXPECT_EQ(count(".steps button"), 0u);  // static-ui looks once
  browser->choose("#model", "dynamic");
  ASSERT_TRUE(browser->wait("document.querySelectorAll('.steps button').length > 2"));
  const nlohmann::json mean = numbers();
  browser->click(".steps button:nth-child(2)");
  const nlohmann::json first = numbers();
  EXPECT_NE(first, mean);
  EXPECT_EQ(value("document.querySelector('.steps [aria-pressed=true]').dataset.step"), "0");
  browser->press("ArrowRight", 39);
  EXPECT_EQ(value("document.querySelector('.steps [aria-pressed=true]').dataset.step"), "1");
  EXPECT_NE(numbers(), first);
  browser->press("ArrowLeft", 37);
  EXPECT_EQ(numbers(), first);
  browser->click(".steps .mean");
  EXPECT_EQ(numbers(), mean);
  expect_no_complaint();
}

TEST_F(LivePage, ShadesTheWordsOfModelsThatLookAtWords) {
  browser->choose("#model", "non-hier");
  browser->click("#example");
  ASSERT_TRUE(browser->wait("document.querySelectorAll('#talk .word').length > 15"));
  EXPECT_EQ(count("#talk .word.end"), 3u);
  EXPECT_EQ(value("[...document.querySelectorAll('.word')].some(e => "
                  "e.style.getPropertyValue('--heat') > 0)"),
            true);
  const std::string titles =
      "[...document.querySelectorAll('.word')].map(e => parseFloat(e.title.replace(/^.*; /, "
      "''))).reduce((a, b) => a + b)";
  EXPECT_NEAR(value(titles).get<double>(), 100, 2);
  expect_no_complaint();
}

// Who does not use a mouse, or does not see the page.
TEST_F(LivePage, IsUsedByKeyboardAndByEar) {
  const auto focus = [&] { return value("document.activeElement.id").get<std::string>(); };
  const auto status = [&] {
    return value("document.querySelector('#status').textContent").get<std::string>();
  };
  EXPECT_EQ(value("document.querySelector('#where').textContent"), "say something first");
  EXPECT_EQ(value("document.querySelector('#model option').textContent"),
            "trained (with distractions)");
  browser->choose("#model", "dynamic");
  browser->click("#example");
  expect_answer();
  EXPECT_EQ(focus(), "text");
  EXPECT_TRUE(value("document.querySelector('#talk .said').innerText.replace(/\\s+/g, ' ')")
                  .get<std::string>()
                  .starts_with("1 you my wifi does not work after the update"));
  // The words of an answer are one stop of Tab.
  EXPECT_GT(count(".steps button"), 2u);
  EXPECT_EQ(count(".steps button[tabindex=\"0\"]"), 1u);
  browser->click(".steps button:nth-child(2)");
  EXPECT_EQ(value("document.activeElement.tabIndex"), 0);
  EXPECT_EQ(count(".steps button[tabindex=\"0\"]"), 1u);
  const std::string first = value("document.activeElement.textContent");
  EXPECT_TRUE(status().starts_with(first + ": Of its attention went ")) << status();
  // What is announced after an insertion is not what was said before.
  browser->choose("#what", "rare");
  browser->click("#insert");
  ASSERT_TRUE(browser->wait("document.querySelectorAll('#runs .run').length === 2"));
  EXPECT_TRUE(has(status(), "With the distraction the model says: ")) << status();
  EXPECT_TRUE(has(status(), " % to the distractions, ")) << status();
  for (const char* button : {".remove", "#remove-all"}) {
    browser->click(button);
    expect_answer();
    EXPECT_EQ(focus(), "insert") << button;
  }
  say("zyxxyq");
  EXPECT_EQ(value("document.querySelector('.query .word.unknown').textContent"),
            "zyxxyq? (not known)");
  expect_no_complaint();
}

TEST_F(LivePage, SaysWhenTheServerIsGone) {
  program->send(SIGINT);
  EXPECT_EQ(program->wait(), -SIGINT);
  program.reset();
  browser->click("#text");
  browser->type("hello");
  browser->press("Enter", 13);
  EXPECT_TRUE(browser->wait("!document.querySelector('#mistake').hidden"));
  EXPECT_TRUE(has(value("document.querySelector('#mistake').textContent").get<std::string>(),
                  "still running"));
}

// A page of another site, which even knows the token.
TEST_F(LivePage, OtherTabsGetNothing) {
  browser->open("data:text/html,<title>evil</title>");
  const std::string call = "fetch('" + address + "api/respond', {method: 'POST', body: '{}', ";
  for (const std::string& way :
       {call + "headers: {'Content-Type': 'application/json'}})", call + "mode: 'no-cors'})",
        "fetch('" + address + "')", "fetch('" + address + "api/models')"}) {
    const std::string told =
        value(way + ".then(r => r.text()).catch(e => 'refused')").get<std::string>();
    EXPECT_TRUE(told == "refused" || told.empty()) << way << " " << told;
  }
  value("document.body.append(Object.assign(document.createElement('iframe'), {src: '" + address +
        "'}))");
  value("document.body.append(Object.assign(document.createElement('script'), {src: '" + address +
        "page.js'}))");
  EXPECT_FALSE(browser->wait("typeof turns !== 'undefined' || frames[0].length > 0", 2));
  browser->complaints.clear();
}

TEST_F(LivePage, FitsPhonesAndDarkRooms) {
  browser->click("#example");
  expect_answer();
  browser->choose("#model", "non-hier");
  expect_answer();  // before a click, as the page moves
  browser->choose("#what", "frequent");
  browser->click("#insert");
  ASSERT_TRUE(browser->wait("document.querySelectorAll('#runs .run').length === 2"));
  value(axe());
  EXPECT_EQ(value("typeof axe"), axe().empty() ? "undefined" : "object");
  value(kFindProblems + std::string("window.findProblems = findProblems; 0"));
  for (const int width : {320, 390, 768, 1280}) {
    for (const bool dark : {false, true}) {
      browser->screen(width, 900, dark);
      EXPECT_EQ(value("findProblems()"), "") << width << (dark ? " dark" : " light");
      const Picture picture = read_png(browser->picture());
      EXPECT_EQ(picture.width, static_cast<size_t>(width));
      const uint8_t* corner = picture.pixel(0, 0);
      EXPECT_EQ(corner[0] < 60, dark);
      std::set<uint32_t> colours;
      for (size_t y = 0; y < picture.height; ++y) {
        for (size_t x = 0; x < picture.width; ++x) {
          const uint8_t* p = picture.pixel(x, y);
          colours.insert(static_cast<uint32_t>(p[0] << 16 | p[1] << 8 | p[2]));
        }
      }
      EXPECT_GT(colours.size(), 100u);
    }
  }
  // Everything that one can press has a name.
  EXPECT_EQ(
      value("[...document.querySelectorAll('button, input, select')].filter(e => !(e.ariaLabel || "
            "e.textContent.trim() || e.labels?.length)).length"),
      0);
  expect_no_complaint();
}

}  // namespace
}  // namespace heed
