#include "dialog/retrieve/pool.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "dialog/retrieve/kept_pool.h"
#include "tests/file_helpers.h"

namespace heed::retrieve {
namespace {

using Texts = std::vector<std::string>;

TEST(Pool, HasTheMostFrequentTextsInTheirCommonestForm) {
  const Texts said = {"No.", "Yes!", "yes", "thank  you", ":)", "Thank you!", "yes", "maybe", ":)"};
  EXPECT_EQ(most_frequent(said, 3), (Texts{"yes", "thank  you", ":)"}));
  EXPECT_EQ(most_frequent(said, 10).size(), 5u);
  EXPECT_DOUBLE_EQ(coverage({"Yes!", "thank you"}, {"yes", "no", "Thank you.", "you thank"}), 0.5);
}

// Of any script; texts of nothing else are equal to themselves only.
TEST(Pool, ComparesTextsWithoutPunctuationAndSymbols) {
  for (const char* yes :
       {"YES", " yes!", "yes…", "“yes”", "yes —", "¡yes!", "yes 👍🏽", "yes ❤️"}) {
    EXPECT_EQ(bare(yes), "yes") << yes;
  }
  EXPECT_EQ(bare("Don't"), "dont");
  EXPECT_EQ(bare("it’s  a re-boot"), "its a reboot");
  EXPECT_EQ(bare("run __init__"), "run init");
  EXPECT_EQ(bare("ÉTÉ"), "été");
  EXPECT_EQ(bare(" :) "), ":)");
  EXPECT_EQ(bare("?"), "?");
  EXPECT_EQ(bare(" "), "");
  EXPECT_DOUBLE_EQ(coverage({":)", "yes"}, {":)", "?", ";)", "Yes."}), 0.5);
}

TEST(Pool, OfBlankTextsHasNone) {
  struct NoVectors : VectorRanker {
    Tensor contexts(const Contexts&, int64_t, const OnTexts&, size_t*) const override { return {}; }
    Tensor responses(const Texts&, int64_t, const OnTexts&, size_t*) const override { return {}; }
  };
  EXPECT_EQ(most_frequent({" ", ""}, 3), Texts());
  EXPECT_EQ(most_frequent_of_clusters({" ", ""}, 3, NoVectors(), 1), Texts());
}

TEST(Pool, IsReadOnceEach) {
  const TempDir dir;
  size_t repeated = 0;
  EXPECT_EQ(read_pool(dir.write("a", " yes \n\nno\r\nyes\n"), &repeated), (Texts{"yes", "no"}));
  EXPECT_EQ(repeated, 1u);
  const std::string one = dir.write("b", "yes\nyes\n");
  EXPECT_EQ(error_of<DataError>([&] { read_pool(one); }),
            one + ": a pool needs two different texts at least, a line each; there is one");
  const std::string bytes = dir.write("c", "yes\nwi fi \xff\nno\n");
  EXPECT_EQ(error_of<DataError>([&] { read_pool(bytes); }), bytes + ":2: the text is not UTF-8");
}

// Vectors are of texts, in their order, and of all weights: the model's and those of an encoder
// that it began with.
TEST(KeptPool, IsOfItsTextsAndOfAllWeights) {
  const TempDir dir;
  const std::string run = dir.path("run"), own = "run/model.safetensors",
                    first = "run/encoder/model.safetensors";
  dir.write(own, "weights"), dir.write(first, "first weights");
  const Texts pool = {"yes", "no", "maybe"};
  const Tensor vectors = Tensor::from(std::vector<double>{1, 2, 3, 4, 5, 6}, {3, 2}).to(DType::f32);
  keep_vectors(run, pool, vectors);
  const auto kept = [&](const Texts& texts) {
    bool stale = false;
    const Tensor found = kept_vectors(run, texts, &stale);
    EXPECT_EQ(found.defined(), !stale);
    if (!stale) {
      EXPECT_EQ(found.to_vector(), vectors.to_vector());
    }
    return !stale;
  };
  EXPECT_TRUE(kept(pool));
  for (const Texts& other : {Texts{"Yes", "no", "maybe"},
                             {"yes", "No", "maybe"},
                             {"yes", "no", "Maybe"},
                             {"yes", "maybe", "no"},
                             {"yes", "no"}}) {
    EXPECT_FALSE(kept(other)) << other[0] << other[1];
  }
  for (const std::string& file : {own, first}) {
    const std::string bytes = dir.read(file);
    dir.write(file, "other weights");
    EXPECT_FALSE(kept(pool)) << file;
    dir.write(file, bytes);
    EXPECT_TRUE(kept(pool)) << file;
  }
}

// Scores the length of a text by what the context says last.
struct ByLengthAsAsked : Ranker {
  Scores score(const Texts& texts, const std::vector<RankQuery>& queries, int64_t,
               const std::function<void(size_t, size_t)>&) const override {
    Scores scores;
    for (const RankQuery& query : queries) {
      auto& of = scores.of_queries.emplace_back();
      const double sign = query.context.back() == "long" ? 1 : -1;
      for (const int32_t c : query.candidates) {
        of.push_back(sign * static_cast<double>(texts[static_cast<size_t>(c)].size()));
      }
    }
    return scores;
  }
};

TEST(Pool, ChoosesTheBestAndTheirWordsInCommon) {
  const Texts pool = {"b b", "a, b! c a", "dd", "e"};
  std::vector<Texts> contexts(70, Texts{"short"});  // more than are scored at once
  contexts.back() = {"A or b", "long"};
  std::vector<size_t> told;
  const auto best = choose(ByLengthAsAsked(), pool, contexts, 2, [&](size_t done, size_t of) {
    EXPECT_EQ(of, 70u);
    told.push_back(done);
  });
  EXPECT_EQ(told, (std::vector<size_t>{64, 70}));
  ASSERT_EQ(best.size(), 70u);
  EXPECT_EQ(best[0][0].text, "e");
  EXPECT_EQ(best[0][1].text, "dd");
  EXPECT_EQ(best[69][0].text, "a, b! c a");
  EXPECT_EQ(best[69][0].common, (Texts{"a", "b"}));
  EXPECT_EQ(best[69][0].score, 9);
  EXPECT_EQ(choose(ByLengthAsAsked(), {"xx", "yy"}, {{"long"}}, 5)[0][0].text,
            "xx");  // equal: in order
}

// However often the pool has them, in whatever form.
TEST(Pool, WhatWasSaidComesLast) {
  const Texts pool = {"Install it!!!!!!", "install it", "install, it ...", "yes", ":)", "?"};
  const auto texts_of = [&](const Texts& context, size_t count) {
    Texts texts;
    const auto best = choose(ByLengthAsAsked(), pool, {context}, count);
    for (const Choice& c : best[0]) texts.push_back(c.text);
    return texts;
  };
  EXPECT_EQ(texts_of({"install it", "long"}, 2), (Texts{"yes", ":)"}));
  EXPECT_EQ(texts_of({"install it", "long"}, 5),
            (Texts{"yes", ":)", "?", "Install it!!!!!!", "install, it ..."}));
  EXPECT_EQ(texts_of({"?", "short"}, 1), (Texts{":)"}));
  EXPECT_EQ(texts_of({"...", "short"}, 1), (Texts{"?"}));
}

}  // namespace
}  // namespace heed::retrieve
