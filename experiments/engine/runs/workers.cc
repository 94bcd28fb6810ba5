#include "experiments/engine/runs/workers.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tensor/bytes.h"
#include "train/crew.h"

namespace heed {

static void each_member(auto& bytes, WorkerNews& news) {
  bytes(news.kind, news.run, news.epoch, news.max_epochs, news.part, news.metric, news.seconds,
        news.message, news.process);
}

// As a text of BytesOut: its size, then its bytes.
static void send(int pipe, WorkerNews news) {
  news.process = ::getpid();
  BytesOut bytes, text;
  bytes(news);
  text.put_text(bytes.bytes());
  write_all(pipe, text.bytes());
}

std::vector<std::string> run_workers(int jobs, const std::function<void(const TellNews&)>& body,
                                     const WorkerWatch& watch, const std::atomic<bool>& stop) {
  const auto life = [&](int pipe) {
    try {
      body([pipe](const WorkerNews& news) { send(pipe, news); });
      return 0;
    } catch (const std::exception& e) {
      send(pipe, {.kind = WorkerNews::Kind::kFailed, .message = e.what()});
      return 1;
    }
  };
  const auto pass_on = [&](Crew::Member& worker) {
    while (worker.text.size() >= sizeof(size_t)) {
      const size_t size = sizeof size + BytesIn(worker.text).get<size_t>();
      if (worker.text.size() < size) return;
      WorkerNews news;
      BytesIn in(std::string_view(worker.text).substr(sizeof size, size - sizeof size));
      in(news);
      worker.text.erase(0, size);
      watch.on_news(news);
    }
  };
  Crew crew("workers", stop, SIGTERM);
  std::vector<std::string> problems;
  const auto mourn = [&](const Crew::Member& worker, int status) {
    if (!WIFSIGNALED(status)) return;
    const std::string how = "was ended by signal " + std::to_string(WTERMSIG(status));
    problems.push_back("worker process " + std::to_string(worker.id) + " " + how);
    if (!stop && watch.on_death && watch.on_death(worker.id, how)) crew.start(life);
  };
  for (int i = 0; i < jobs; ++i) crew.start(life);
  crew.watch({pass_on, mourn, watch.on_idle});
  return problems;
}

}  // namespace heed
