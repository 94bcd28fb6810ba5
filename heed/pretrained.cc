// Encoders that were trained elsewhere: heed import, encode, export.
#include <charconv>

#include "base/file.h"
#include "base/path.h"
#include "dialog/pretrained/encoder.h"
#include "dialog/system.h"
#include "dialog/text/text_file.h"
#include "heed/command.h"
#include "heed/progress.h"
#include "tensor/npy.h"
#include "train/strict_json.h"

namespace heed {
namespace {

struct PretrainedOptions : CommandOptions {
  std::string model, in, out;
  int64_t max_pieces = 0;  // 0: as many as the model reads
};

void say(const char* done, const pretrained::Encoder& encoder, const std::string& folder) {
  const pretrained::BertConfig& c = encoder.model.config();
  const auto text = [](int64_t number) { return std::to_string(number); };
  print_text(std::string(done) + " " + folder + ": BERT, " + counted(c.num_hidden_layers, "layer") +
             " x " + text(c.hidden_size) + ", " + text(c.num_attention_heads) + " heads, " +
             text(encoder.pieces.size()) + " pieces, " + text(parameter_count(encoder.model)) +
             " numbers; texts of up to " + text(encoder.max_length) + " pieces\n");
}

// The texts of a file with one {"text": ...} a line.
std::vector<std::string> read_texts(const std::string& path) {
  std::vector<std::string> texts;
  LineReader lines(path);
  for (nlohmann::json json; next_object(lines, json, "not a JSON object");) {
    const auto text = json.find("text");
    if (text == json.end() || !text->is_string()) lines.fail("\"text\" must be a text");
    texts.push_back(*text);
  }
  if (texts.empty()) throw DataError(path + ": holds no texts");
  return texts;
}

// The fewest digits that distinguish the f32 from all others.
std::string numbers_text(const Tensor& vector) {
  std::string text;
  const float* numbers = vector.data<float>();
  for (int64_t i = 0; i < vector.numel(); ++i) {
    char digits[32];
    const auto end = std::to_chars(digits, std::end(digits), numbers[i]).ptr;
    text += (i ? ", " : "") + std::string(digits, end);
  }
  return text;
}

using Read = ContextEncoder::Text;

void write_lines(const std::string& path, const std::vector<std::string>& texts,
                 const std::vector<Read>& read, const Tensor& vectors) {
  TextWriter file(path);
  for (size_t i = 0; i < texts.size(); ++i) {
    file.write("{\"text\": " + nlohmann::json(texts[i]).dump() +
               ", \"ids\": " + nlohmann::json(read[i].ids).dump() + ", \"vector\": [" +
               numbers_text(vectors[static_cast<int64_t>(i)]) + "]}\n");
  }
  file.commit();
}

void encode(const PretrainedOptions& o) {
  const Device device = start(*o.common);
  if (o.out.ends_with(".npy.gz")) {
    throw UsageError("--out " + o.out + ": .npy is not compressed; let the name end in .npy");
  }
  check_writable(o.out);
  const LoadedSystem loaded = open_model(o.model, Capability::kEncode, device);
  const std::vector<std::string> texts = read_texts(o.in);
  std::vector<Read> read;
  size_t cut = 0, longest = 0;
  for (const std::string& text : texts) {
    read.push_back(loaded.encoder->read(text, o.max_pieces));
    if (read.back().left_out == 0) continue;
    ++cut;
    longest = read.back().ids.size();
  }
  Progress progress;
  const Tensor vectors = loaded.encoder->encode_texts(
      read, {.batch = 64, .progress = [&](int64_t done, int64_t) {
               progress.show(std::to_string(done) + " of " + counted(texts.size(), "text"));
             }});
  progress.done();
  if (o.out.ends_with(".npy")) {
    save_npy(o.out, vectors);
  } else {
    write_lines(o.out, texts, read, vectors);
  }
  std::string text = counted(texts.size(), "vector") + " of " + o.in + ": " +
                     std::to_string(vectors.shape()[1]) + " numbers each";
  if (cut > 0) {
    text += "; " + counted(cut, "text") + " cut to " + std::to_string(longest) +
            (loaded.vocabulary ? " tokens" : " pieces");
  }
  print_text(text + "\n");
}

void import_model(const PretrainedOptions& o) {
  if (!path_exists(o.in)) {
    throw DataError(
        o.in +
        ": no such folder; one with config.json, model.safetensors and vocab.txt can be "
        "imported");
  }
  say("imported", pretrained::import_encoder(o.in, o.out), o.out);
}

void export_model(const PretrainedOptions& o) {
  say("exported to", pretrained::export_encoder(o.model, o.out), o.out);
}

}  // namespace

void add_import(CLI::App& app) {
  const auto [c, o] = declare<PretrainedOptions>(
      app, "import", "Import a pretrained encoder (BERT) from a folder in Hugging Face's format",
      "The folder holds config.json, model.safetensors and vocab.txt; tokenizer_config.json and "
      "sentence_bert_config.json are read if present (docs/pretrained.md). The command refuses "
      "other kinds of models, sizes that do not fit and missing tensors.\n"
      "Example:\n"
      "  heed import all-MiniLM-L6-v2 --out models/minilm\n"
      "  heed encode --model models/minilm --in texts.jsonl --out vectors.jsonl",
      {.device = false, .seed = ""}, import_model);
  c.add_option("folder", o.in, "Folder of the pretrained model")->required();
  c.add_option("--out", o.out, "Directory of the model, made if missing")->required();
}

void add_export(CLI::App& app) {
  const auto [c, o] = declare<PretrainedOptions>(
      app, "export",
      "Export an imported encoder, or a fine-tuned one, to a folder that other programs read",
      "In Python: transformers.AutoModel.from_pretrained(FOLDER).\n"
      "Example:\n"
      "  heed export --model models/minilm --out minilm",
      {.device = false, .seed = ""}, export_model);
  c.add_option("--model", o.model,
               "Directory of a run or a model: an import by heed import, or a run that fine-tuned "
               "one (heed train retrieval --encoder pretrained)")
      ->required();
  c.add_option("--out", o.out, "The folder, made if missing")->required();
}

void add_encode(CLI::App& app) {
  const auto [c, o] = declare<PretrainedOptions>(
      app, "encode", "Compute vectors of texts with an imported encoder, or another model",
      "A line of --in is {\"text\": ...}, of --out {\"text\", \"ids\", \"vector\"}: of an imported "
      "encoder the ids of the pieces with [CLS] and [SEP], and the mean of their last states, "
      "scaled to length 1, so that the dot product of two vectors is their cosine. A run of heed "
      "train retrieval reads a text as a context, and gives the vector that the score begins with, "
      "of any length. An --out that ends in .npy gets only the vectors, one row per text.\n"
      "Example:\n"
      "  heed encode --model models/minilm --in texts.jsonl --out vectors.jsonl",
      {.seed = ""}, encode);
  c.add_option("--model", o.model, "Directory of a run or a model (one that encodes)")->required();
  c.add_option("--in", o.in, "File of the texts: JSON Lines, plain or gzip")->required();
  c.add_option("--out", o.out, "File of their vectors: JSON Lines (.gz: gzip), or .npy")
      ->required();
  c.add_option(
       "--max-pieces", o.max_pieces,
       "Read only the first N pieces of a text, counting [CLS] and [SEP] (a run of heed train "
       "retrieval: the last N pieces, or words with the text's end); if not given: as many "
       "as the model reads")
      ->check(whole_number(3, 1 << 24));
}

}  // namespace heed
