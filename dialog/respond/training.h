// The training of a response model, which systems with more to train extend.
#pragma once

#include <optional>
#include <string>

#include "dialog/respond/task.h"
#include "dialog/training_of.h"

namespace heed {

class RespondTraining : public TrainingOf<TrainSettings> {
 public:
  RespondTraining(const std::string& preset, const std::string& form);

  std::vector<Folder> folders() override;
  void complete() override;
  void read(const Paths& data, const std::string& run) override;
  void share(const Neighbours& neighbours) override { data_.share(neighbours); }
  void prepare(const Talk& talk) override;
  void start(const std::string& run, const std::string& made_with) override;
  bool train(const std::string& run, Device device, const TrainHooks& hooks) override {
    return heed::train(run, s_, data_, device, hooks);
  }
  void describe(const std::string& run, bool is_new, const Talk& talk) const override;
  std::string step_text(const TrainProgress& p) const override;
  std::string epoch_text(const EpochLog& e, bool best) const override;
  // Throws Error if the model is worse than a guess, so that a command after `&&` does not
  // start.
  std::string end_text(const std::string& run) const override;

 protected:
  TrainSettings load(const std::string& run) const override { return load_settings(run); }
  void before_going_on(const std::string&, const TrainSettings& of_run) override {
    if (!of_run.limit) asked_limit_ = s_.limit.value_or(0);
  }

  TrainData data_;

 private:
  std::optional<Vocabulary> words_of_init() const;
  void take_conditions();
  void check_given() const;
  void say_taken(const std::string& run, const Talk& talk) const;

  size_t asked_limit_ = 0;  // for a run of an older version, which did not keep its own
  int64_t preset_batch_ = 0;
};

}  // namespace heed
