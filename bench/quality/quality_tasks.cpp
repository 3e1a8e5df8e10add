#include "bench/quality/quality_tasks.h"

#include <map>
#include <utility>

namespace redraft {
namespace {

class Collector {
 public:
  explicit Collector(const QualityChoice& choice) : choice_(choice) {}

  Result<void> read(const std::string& file);
  QualityItems take();

 private:
  using Task = std::shared_ptr<const BenchTask>;

  bool wants(Measure measure) const {
    return choice_.measures.empty() || choice_.measures.contains(measure);
  }
  bool only_next_edits() const {
    return choice_.measures == std::set<Measure>{Measure::kNextEdits};
  }
  void add(Measure measure, const Task& task, const std::vector<std::string>& questions);
  void add_edit(const Task& task);

  const QualityChoice& choice_;
  std::string set_;  // of the file that is read
  std::set<std::string> ids_;
  std::map<Measure, std::vector<QualityItem>> items_;
  std::map<Measure, int> n_tasks_;  // of that file
  std::vector<SkippedTask> skipped_;
};

Result<void> Collector::read(const std::string& file) {
  set_ = std::filesystem::path(file).stem().string();
  n_tasks_.clear();
  const TaskOptions options{.instruction = choice_.instruction};
  Result<TaskFile> edits = read_tasks(file, TaskKind::kEdits, options);
  if (!edits) return edits.error();
  Result<TaskFile> completions = read_tasks(file, TaskKind::kCompletion, options);
  if (!completions) return completions.error();
  const auto take_id = [&](const std::string& id) -> Result<void> {
    if (ids_.insert(id).second) return {};
    return Error(file + ": the id '" + id + "' is in an earlier file, or is two tasks");
  };
  std::map<std::string, std::string> no_completion;
  for (const SkippedTask& each : completions->skipped) no_completion[each.id] = each.reason;
  for (BenchTask& task : edits->tasks) {
    if (const Result<void> taken = take_id(task.id); !taken) return taken;
    add_edit(std::make_shared<const BenchTask>(std::move(task)));
  }
  for (BenchTask& task : completions->tasks) {
    if (const Result<void> taken = take_id(task.id); !taken) return taken;
    add(Measure::kCompletion, std::make_shared<const BenchTask>(std::move(task)), {""});
  }
  for (const SkippedTask& each : edits->skipped) {
    const auto reason = no_completion.find(each.id);
    if (reason != no_completion.end())
      skipped_.push_back({each.id, each.reason + ", and " + reason->second});
  }
  return {};
}

void Collector::add_edit(const Task& task) {
  add(Measure::kEdits, task, {""});
  if (!task->is_commit && !only_next_edits()) return;
  if (!wants(Measure::kNextEdits)) return;  // questions take time
  std::vector<std::string> names;
  for (const NextEditQuestion& question : next_edit_questions(*task))
    names.emplace_back(question.name);
  if (!names.empty()) add(Measure::kNextEdits, task, names);
}

void Collector::add(Measure measure, const Task& task, const std::vector<std::string>& questions) {
  if (!wants(measure)) return;
  if (choice_.half && half_of(task->id) != *choice_.half) return;
  if (choice_.limit > 0 && n_tasks_[measure] >= choice_.limit) return;
  ++n_tasks_[measure];
  for (const std::string& question : questions)
    items_[measure].push_back({task, {measure, task->id, question}, set_});
}

QualityItems Collector::take() {
  QualityItems all{.items = {}, .skipped = std::move(skipped_)};
  for (auto& [measure, items] : items_)
    all.items.insert(all.items.end(), items.begin(), items.end());
  return all;
}

}  // namespace

Result<QualityItems> read_quality_items(const std::vector<std::string>& files,
                                        const QualityChoice& choice) {
  Collector collector(choice);
  for (const std::string& file : files) {
    if (const Result<void> read = collector.read(file); !read) return read.error();
  }
  return collector.take();
}

}  // namespace redraft
