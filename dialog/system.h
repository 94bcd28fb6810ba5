// A system is a kind of model: how it is trained, how it is loaded, and what it can do. Commands
// request what they need, a ContextEncoder or a Ranker, and know no system by its name.
//
// To add one:
//   1. a folder dialog/FOLDER with the model (a Module), its settings (settings.h), the Task that
//      the loop runs (train/task.h), its own part of a run (dialog/runs_of.h), and a function
//        System NAME_system();
//      which returns the row: its capabilities, load(), and what trained() adds (training_of.h).
//      The folder includes dialog/parts, dialog/data and train, but no other system;
//   2. a row in dialog/systems.cc. (Your own program calls register_system() instead.)
// Then `heed train NAME` trains it, with an option for each setting, and resumes it with --resume;
// `heed info` describes it; features, probe and encode take it if it encodes, rank if it ranks. A
// small example is dialog/carry/system.cc.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dialog/parts/annotator.h"
#include "dialog/parts/encoder.h"
#include "nn/module.h"
#include "train/any_settings.h"
#include "train/loop.h"
#include "train/neighbours.h"

namespace heed {

enum class Capability { kRespond, kRank, kTag, kClassify, kEncode, kAnswer };
const char* name_of(Capability capability);  // "respond", "rank", "tag", ...

// How training reports to people.
struct Talk {
  std::function<void(const std::string& line)> say = [](const std::string&) {};   // results
  std::function<void(const std::string& line)> note = [](const std::string&) {};  // remarks
  Device device = {};  // for long work before the first step
};

// The paths of --data, usually one.
using Paths = std::vector<std::string>;

// Training, from its settings to its model; open_run() (dialog/open_run.h) shows the order in which
// the functions are called.
class Training {
 public:
  virtual ~Training() = default;

  // Whether an option was given, rather than taken from a preset.
  std::function<bool(const std::string& option)> given = [](const std::string&) { return false; };
  // Shown during long work before the first step.
  OnValidation progress = [](int64_t, int64_t) {};

  // These refer to this object.
  virtual AnySettings settings() = 0;
  virtual LoopSettings& loop() = 0;
  // Folders of models that it begins with: options in addition to those of the settings.
  struct Folder {
    std::string option, help;
    std::string* path;
  };
  virtual std::vector<Folder> folders() { return {}; }
  // Called when all options are in the settings; sets the values that follow from them.
  virtual void complete() {}

  // Replaces its own settings by those of the run, after a call of take(asked, those of the run),
  // which may be empty. Throws DataError if the directory holds no run of this system.
  using Take = std::function<void(AnySettings asked, AnySettings run)>;
  virtual void go_on(const std::string& run, const Take& take) = 0;
  // Reads the dialogues, with the vocabulary of `run`, or for a new run (empty) with a new one.
  // Throws DataError, also if they are not the dialogues that the run was begun with.
  virtual void read(const Paths& data, const std::string& run) = 0;
  // Takes over the data that the first rank of the machine has read.
  virtual void share(const Neighbours&) {}
  // Throws UsageError or DataError if training is impossible, before anything is written.
  virtual void prepare(const Talk&) = 0;
  // Writes the initial files of a run; settings.json, which makes the directory a run, comes last.
  virtual void start(const std::string& run, const std::string& made_with) = 0;
  virtual bool train(const std::string& run, Device device, const TrainHooks& hooks) = 0;

  // For people: what is trained on which data; a step, an epoch; and the end, when the files are
  // there. Throws Error if training has failed.
  virtual void describe(const std::string& run, bool is_new, const Talk& talk) const = 0;
  virtual std::string step_text(const TrainProgress& progress) const = 0;
  virtual std::string epoch_text(const EpochLog& epoch, bool best) const = 0;
  virtual std::string end_text(const std::string& run) const;
};

// Throws DataError unless the dialogues are those of the run; `limit` is how many of them it read.
void check_same_data(bool same, const Paths& data, const std::string& run,
                     const std::string& limit = "");

// A model in the form that commands use. Capabilities that it lacks are null.
struct LoadedSystem {
  std::string system = {};                      // its row's name
  std::shared_ptr<Module> module = {};          // on the CPU; move() takes it to a device
  std::shared_ptr<Vocabulary> vocabulary = {};  // null if texts are read in another way
  ExampleOptions bounds = {};                   // of its training examples
  // These refer to the module and the other parts that they need.
  std::shared_ptr<const ContextEncoder> encoder = {};
  std::shared_ptr<const Ranker> ranker = {};
  std::shared_ptr<const Annotator> tagger = {}, answerer = {};
};

struct System {
  std::string name = {};  // "retrieve/dual-encoder": for `heed train`, and "system" in config.json
  std::string what = {};  // "a response model", for people
  std::vector<Capability> can = {};
  // The model of a run or of a directory; for a run also that of another epoch (load_epoch(),
  // dialog/respond/run.h). Throws DataError.
  std::function<LoadedSystem(const std::string& directory, const std::string& epoch)> load = {};
  std::shared_ptr<const Annotator> rules = {};  // a tagger without a model
  std::string older_name = {};                  // in config.json, if that is not `name`

  // ---- for systems that are trained here
  std::string help = {};    // the text of `heed train NAME --help`
  std::string footer = {};  // examples
  std::function<std::unique_ptr<Training>(const std::string& preset, const std::string& form)>
      train = {};
  struct Choice {  // --preset and --structure; no names: there is no such option
    std::vector<std::string> names = {};
    std::string usual = {}, help = {};
  };
  std::function<Choice()> presets = [] { return Choice{}; };
  std::function<Choice()> forms = [] { return Choice{}; };
  std::function<bool(const Setting&)> is_option = [](const Setting&) { return true; };
  // The settings that it writes to config.json and to settings.json, or to its own single file,
  // with the defaults, without a preset.
  struct Files {
    std::shared_ptr<void> settings;
    std::vector<AnySettings> files;
  };
  std::function<Files()> files = {};
  bool several_corpora = false;  // --data takes several, separated by commas
  bool ranks = false;            // several processes may train it together

  bool has(Capability capability) const;
};

// All of them, in the order of the list.
const std::vector<System>& systems();
// The system of this name. Throws UsageError, with the names, if there is none.
const System& find_system(const std::string& name);
// Adds a program's own system. Call it before anything is trained or loaded. Throws UsageError for
// a name that is taken.
void register_system(System system);

// The system of a directory, by its config.json; respond if there is no key "system", as in older
// versions. Throws DataError if there is no model, or one of a system that is not listed.
const System& system_of(const std::string& directory);
// The same of a run that need not have a model yet.
const System& system_of_run(const std::string& directory);
// Throws UsageError "DIR: a discriminator, which cannot respond; these can: respond" for a model
// without the capability.
void require(const std::string& directory, Capability capability);
LoadedSystem load_system(const std::string& directory, const std::string& epoch = "best");
// Does both, and moves the model to the device.
LoadedSystem open_model(const std::string& directory, Capability capability, Device device);

}  // namespace heed
