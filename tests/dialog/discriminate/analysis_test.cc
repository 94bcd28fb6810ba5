// Where attention goes, cosines, and the controls.
#include "dialog/discriminate/analysis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "base/error.h"
#include "dialog/discriminate/controls.h"
#include "dialog/discriminate/discriminator.h"
#include "nn/module.h"
#include "tensor/random.h"

namespace heed::discriminate {
namespace {

// 7 8 <eou> 9 <eou> <sos> 10 11 12 <eou>
const Passage kPassage{
    .id = "d#3", .dialogue_id = "", .context = {{7, 8}, {9}}, .response = {10, 11, 12}};
const std::vector<double> kAttention = {.01, .02, .04, .08, .16, .03, .05, .11, .2, .3};

TEST(AttentionMass, IsTheSumOverItsTokens) {
  const Mass mass = attention_mass(kPassage, Reads::kAll, kAttention);
  EXPECT_NEAR(mass.context, .31, 1e-12);
  EXPECT_NEAR(mass.sos, .03, 1e-12);
  EXPECT_NEAR(mass.response, .66, 1e-12);
  EXPECT_NEAR(mass.eou, .04 + .16 + .3, 1e-12);
  EXPECT_NEAR(mass.context + mass.response + mass.sos, 1, 1e-12);
  EXPECT_NEAR(response_score(kPassage, Reads::kAll, mass), 3 * .66, 1e-12);
  EXPECT_THROW(attention_mass(kPassage, Reads::kAll, std::vector<double>(9)), InternalError);
  EXPECT_THROW(attention_mass(kPassage, Reads::kAll, std::vector<double>(11)), InternalError);
}

TEST(AttentionMass, OfPartsOfThePassage) {
  const Mass response = attention_mass(kPassage, Reads::kResponse, {.1, .2, .3, .3, .1});
  EXPECT_EQ(response.context, 0);
  EXPECT_NEAR(response.sos, .1, 1e-12);
  EXPECT_NEAR(response.response, .9, 1e-12);
  const Mass context = attention_mass(kPassage, Reads::kContext, {.1, .2, .3, .3, .1});
  EXPECT_NEAR(context.context, 1, 1e-12);
  EXPECT_EQ(context.response + context.sos, 0);
  const Mass shares = token_shares(kPassage, Reads::kAll);
  EXPECT_NEAR(shares.context, .5, 1e-12);
  EXPECT_NEAR(shares.response, .4, 1e-12);
  EXPECT_NEAR(shares.eou, .3, 1e-12);
}

Discriminator small() {
  return {Config{.vocab_size = 20, .embedding_size = 6, .hidden_size = 5, .passages = {}}, 1};
}

// u_w = 0: attention is even.
TEST(AttentionMass, OfEvenAttentionIsTheShareOfTheTokens) {
  Discriminator model = small();
  for (const NamedParameter& p : parameters(model)) {
    if (p.name == "attention.query.weight") p.var.set_value(zeros_like(p.var.value()));
  }
  const Verdict verdict = verdicts_on(model, {kPassage}, 1)[0];
  const Mass mass = attention_mass(kPassage, Reads::kAll, verdict.attention),
             shares = token_shares(kPassage, Reads::kAll);
  EXPECT_NEAR(mass.context, shares.context, 1e-6);
  EXPECT_NEAR(mass.response, shares.response, 1e-6);
  EXPECT_NEAR(mass.sos, shares.sos, 1e-6);
  EXPECT_NEAR(mass.eou, shares.eou, 1e-6);
}

TEST(Cosine, HasKnownValues) {
  EXPECT_NEAR(cosine({1, 2}, {2, 4}).value(), 1, 1e-12);
  EXPECT_NEAR(cosine({1, 0}, {0, 3}).value(), 0, 1e-12);
  EXPECT_NEAR(cosine({1, 0}, {-2, 0}).value(), -1, 1e-12);
  EXPECT_NEAR(cosine({1, 0}, {1, 1}).value(), std::sqrt(.5), 1e-12);
  EXPECT_EQ(cosine({0, 0}, {1, 1}), std::nullopt);
}

// Of the two as each is read alone, in any batch.
TEST(Cosine, IsOfContextAndResponse) {
  const Discriminator model = small();
  const auto last = [&](Reads part) {
    return model(pack_sequences({sequence_of(kPassage, part)})).last.value().to_vector();
  };
  const double alone = cosine(last(Reads::kContext), last(Reads::kResponse)).value();
  EXPECT_LT(alone, 0.999);
  Passage turned = kPassage;
  turned.context = {kPassage.response};
  for (const int64_t batch : {1, 2}) {
    const auto both = context_cosines(model, {turned, kPassage}, batch);
    EXPECT_NEAR(both[1].value(), alone, 1e-6);
    EXPECT_NE(both[0].value(), both[1].value());
  }
}

// ---- controls

std::vector<Passage> items(int count) {
  Rng rng(1);
  std::vector<Passage> all;
  for (int i = 0; i < count; ++i) {
    const auto utterance = [&](uint64_t least) {
      TokenIds ids(least + rng.below(3));
      for (int32_t& id : ids) id = static_cast<int32_t>(10 + rng.below(10));
      return ids;
    };
    const bool real = i % 2 == 0;
    all.push_back({.id = std::to_string(i / 2),
                   .dialogue_id = "",
                   .conversation = i / 2,
                   .context = {utterance(3), utterance(4)},
                   .response = utterance(3),
                   .real = real});
    if (!real) all.back().context = all[all.size() - 2].context;
  }
  return all;
}

int right(const std::vector<Passage>& passages, const std::vector<double>& p_real) {
  int count = 0;
  for (size_t i = 0; i < passages.size(); ++i) count += (p_real[i] >= 0.5) == passages[i].real;
  return count;
}

TEST(Controls, LengthSeesLengthsAndNothingElse) {
  std::vector<Passage> train = items(200), test = items(100);
  EXPECT_LT(right(test, length_control(train, test)), 70);
  for (std::vector<Passage>* all : {&train, &test}) {
    for (Passage& p : *all) {
      if (!p.real) p.response.insert(p.response.end(), 4, 10);
    }
  }
  EXPECT_EQ(right(test, length_control(train, test)), 100);
}

TEST(Controls, UnigramSeesTheWordsOfTheResponse) {
  std::vector<Passage> train = items(200), test = items(100);
  EXPECT_LT(right(test, unigram_control(train, test, 30)), 70);
  for (std::vector<Passage>* all : {&train, &test}) {
    for (Passage& p : *all) p.response[0] = p.real ? 25 : 26;
  }
  EXPECT_EQ(right(test, unigram_control(train, test, 30)), 100);
  // rare words are one word
  for (std::vector<Passage>* all : {&train, &test}) {
    for (Passage& p : *all) p.response[0] = static_cast<int32_t>(p.real ? 2000 : 3000);
  }
  EXPECT_LT(right(test, unigram_control(train, test, 5000)), 70);
}

// Real responses begin with some rare word, fakes each with another known one: that there is a rare
// one is all that tells them apart.
TEST(Controls, UnigramKnowsARareWordFromAKnownOne) {
  std::vector<Passage> train = items(200), test = items(100);
  int32_t known = 30;
  for (std::vector<Passage>* all : {&train, &test}) {
    for (Passage& p : *all)
      p.response[0] = static_cast<int32_t>(p.real ? 2000 + known : known), ++known;
  }
  EXPECT_GE(right(test, unigram_control(train, test, 5000)), 98);
}

// Nobody is judged by a fit to the own conversation, each fit sees both classes, and each passage
// gets what was said of it.
TEST(Controls, AreFittedCrosswiseByConversations) {
  std::vector<Passage> passages = items(40);
  for (size_t i = 0; i < passages.size(); ++i) passages[i].id = std::to_string(i);
  std::set<std::string> judged;
  const auto fit = [&](const std::vector<Passage>& train, const std::vector<Passage>& test) {
    std::set<int> conversations;
    int real = 0;
    for (const Passage& p : train) conversations.insert(p.conversation), real += p.real;
    EXPECT_EQ(2 * real, static_cast<int>(train.size()));
    EXPECT_EQ(train.size(), 20u);
    std::vector<double> p_real;
    for (const Passage& p : test) {
      EXPECT_FALSE(conversations.contains(p.conversation)) << p.id;
      EXPECT_TRUE(judged.insert(p.id).second) << p.id;
      p_real.push_back(std::stod(p.id));
    }
    return p_real;
  };
  const std::vector<double> p_real = fitted_crosswise(passages, fit);
  ASSERT_EQ(p_real.size(), passages.size());
  for (size_t i = 0; i < passages.size(); ++i) EXPECT_EQ(p_real[i], static_cast<double>(i));
  for (Passage& p : passages) p.conversation = 2;  // one half is empty
  EXPECT_EQ(fitted_crosswise(passages, fit), std::vector<double>(passages.size(), 0.5));
}

TEST(Controls, ShuffledContextsAreOfOtherConversations) {
  std::vector<Passage> passages = items(40);
  for (size_t i = 20; i < 40; ++i) passages[i].corpus = 1;
  const std::vector<Passage> shuffled = shuffle_contexts(passages, 1);
  for (size_t i = 0; i < passages.size(); ++i) {
    EXPECT_EQ(shuffled[i].response, passages[i].response);
    EXPECT_EQ(shuffled[i].real, passages[i].real);
    EXPECT_EQ(shuffled[i].context, shuffled[i / 2 * 2].context);  // of a real one and its fake
    bool found = false;
    for (const Passage& p : passages) {
      if (p.context != shuffled[i].context) continue;
      found = true;
      EXPECT_EQ(p.corpus, passages[i].corpus);
      EXPECT_NE(p.conversation, passages[i].conversation);
    }
    EXPECT_TRUE(found);
  }
  const std::vector<Passage> other = shuffle_contexts(passages, 2);
  int same = 0;
  for (size_t i = 0; i < passages.size(); ++i) same += other[i].context == shuffled[i].context;
  EXPECT_LT(same, 20);
}

}  // namespace
}  // namespace heed::discriminate
