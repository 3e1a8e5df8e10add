#include "bench/task_table.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>

#include "bench/margins.h"
#include "bench/summary.h"
#include "bench/text_format.h"

namespace redraft {
namespace {

constexpr int kMinNameWidth = 18;

struct Column {
  const char* name;
  int width;
  std::function<std::string(const DecoderSummary&)> cell;
};

std::string number(const char* pattern, double value) { return format(pattern, value); }

// A ratio; nothing where there was nothing to compare.
std::string times(double value) { return value > 0 ? number("%.2fx", value) : "-"; }
std::string or_dash(const char* pattern, double value) {
  return value > 0 ? number(pattern, value) : "-";
}

std::vector<Column> speed_columns(const TableTitle& title) {
  std::vector<Column> columns = {
      {"tasks", 6, [](const DecoderSummary& s) { return std::to_string(s.tasks); }}};
  if (!title.replay) {
    columns.insert(
        columns.end(),
        {{"tok/s", 7, [](const DecoderSummary& s) { return number("%.1f", s.tokens_per_second); }},
         {"mean", 7,
          [](const DecoderSummary& s) { return number("%.1f", s.mean_task_tokens_per_second); }},
         {"x ar", 7, [](const DecoderSummary& s) { return times(s.speedup); }},
         {"mean", 7, [](const DecoderSummary& s) { return times(s.mean_task_speedup); }},
         {"whole", 7,
          [warm = title.warm](const DecoderSummary& s) {
            return warm ? "-" : times(s.total_speedup);
          }},
         {"ms/tok", 8, [](const DecoderSummary& s) { return or_dash("%.1f", s.ms_per_token()); }}});
  } else {
    columns.insert(
        columns.end(),
        {{"passes", 8, [](const DecoderSummary& s) { return std::to_string(s.statistics.passes); }},
         {"rows", 8, [](const DecoderSummary& s) { return std::to_string(s.statistics.rows); }}});
  }
  columns.insert(
      columns.end(),
      {{"priced", 8, [](const DecoderSummary& s) { return times(s.priced_speedup); }},
       {"worst", 7, [](const DecoderSummary& s) { return times(s.worst_priced_speedup); }},
       {"tok/pass", 9,
        [](const DecoderSummary& s) { return number("%.2f", s.statistics.tokens_per_pass()); }},
       {"rows/pass", 10, [](const DecoderSummary& s) { return number("%.2f", s.rows_per_pass()); }},
       {"accept", 7,
        [](const DecoderSummary& s) { return or_dash("%.2f", s.statistics.acceptance_length()); }},
       {"same", 8, [](const DecoderSummary& s) {
          return std::to_string(s.identical) + "/" + std::to_string(s.tasks);
        }}});
  return columns;
}

// Where the parts of a long draft count as one pass, forward passes tell more.
bool chunks(const DecoderSummary& s) { return s.statistics.forwards > s.statistics.passes; }

std::vector<Column> forward_columns() {
  return {
      {"passes", 8, [](const DecoderSummary& s) { return std::to_string(s.statistics.passes); }},
      {"forwards", 9,
       [](const DecoderSummary& s) { return std::to_string(s.statistics.forwards); }},
      {"tok/fwd", 8,
       [](const DecoderSummary& s) { return or_dash("%.2f", s.statistics.tokens_per_forward()); }}};
}

std::vector<Column> search_columns() {
  const auto count = [](const char* name, int SearchCounts::*field) {
    return Column{name, 9, [field](const DecoderSummary& s) {
                    const int value = s.searches.*field;
                    return value > 0 ? std::to_string(value) : std::string("-");
                  }};
  };
  return {count("CACHE", &SearchCounts::cache_asked), count("hits", &SearchCounts::cache_hits),
          count("searches", &SearchCounts::searches),
          count("skipped", &SearchCounts::searches_skipped),
          count("missing", &SearchCounts::searches_missing)};
}

std::vector<Column> draft_columns(bool judged) {
  std::vector<Column> columns = {
      {"drafted", 8,
       [](const DecoderSummary& s) { return number("%.0f %%", 100 * s.drafted_share()); }},
      {"tau1", 7,
       [](const DecoderSummary& s) {
         return or_dash("%.2f", s.accepted_per_attempt(DraftOrigin::kCopy));
       }},
      {"tau2", 7,
       [](const DecoderSummary& s) {
         return or_dash("%.2f", s.accepted_per_attempt(DraftOrigin::kModel));
       }},
      {"us/pass", 9, [](const DecoderSummary& s) {
         return s.statistics.passes
                    ? number("%.0f", 1e6 * s.statistics.draft_seconds / s.statistics.passes)
                    : "-";
       }}};
  for (const NamedDraftOrigin& origin : kDraftOrigins) {
    columns.push_back(
        {origin.name, std::max(7, static_cast<int>(std::string_view(origin.name).size()) + 2),
         [index = static_cast<std::size_t>(origin.origin)](const DecoderSummary& s) {
           const auto accepted = static_cast<double>(s.statistics.accepted_by_origin[index]);
           return or_dash("%.1f %%",
                          s.statistics.new_tokens ? 100 * accepted / s.statistics.new_tokens : 0);
         }});
  }
  columns.push_back(
      {"ES", 7, [](const DecoderSummary& s) { return or_dash("%.1f", 100 * s.edit_similarity); }});
  if (judged) {
    columns.push_back({"pass@1", 9, [](const DecoderSummary& s) {
                         return s.judged ? number("%.1f %%", 100.0 * s.passed / s.judged) : "-";
                       }});
  }
  return columns;
}

// Without the columns in which no line says anything.
std::string table(const std::vector<DecoderSummary>& summaries, std::vector<Column> columns,
                  int name_width) {
  std::erase_if(columns, [&](const Column& column) {
    return std::all_of(summaries.begin(), summaries.end(),
                       [&](const DecoderSummary& each) { return column.cell(each) == "-"; });
  });
  std::string text = left("decoder", name_width);
  for (const Column& column : columns) text += right(column.name, column.width);
  text += "\n";
  for (const DecoderSummary& each : summaries) {
    text += left(each.decoder, name_width);
    for (const Column& column : columns) text += right(column.cell(each), column.width);
    text += "\n";
  }
  return text;
}

std::string introduction(const TableTitle& title) {
  std::string text = "data      " + title.data + "\ntarget    " + title.target;
  if (title.replay) text += "'s tokenizer; no model: the reference outputs are replayed";
  if (!title.draft.empty()) text += "\ndraft     " + title.draft;
  if (!title.machine.empty()) text += "\nmachine   " + title.machine;
  return text + "\n\n";
}

std::string legend(bool replay) {
  std::string text = "\n";
  if (!replay) {
    text +=
        "tok/s is of decoding alone, total by total, then the mean of tasks; x ar the same two to "
        "plain\ndecoding, whole with the prefill. ";
  }
  return text +
         "priced: speed to plain decoding by the cost curve, from the rows and\n"
         "context of each pass; worst: the lowest of a task. accept: tokens a pass with a draft; "
         "same: outputs\nequal to plain decoding's. drafted: share of the output from drafts, then "
         "by source; tau1, tau2:\naccepted a try, of copies and of the draft model; us/pass: time "
         "spent on drafts. forwards: forward passes, where the chunks of one draft count as one "
         "pass.\nES: edit similarity to the reference. CACHE, hits, searches, skipped, missing: "
         "FastCoder's look-ups.\n";
}

std::string near_ties(std::span<const TaskRecord> records) {
  std::vector<long> counts(kMarginClasses, 0);
  long all = 0;
  for (const TaskRecord& record : records) {
    for (std::size_t i = 0; i < record.margins.size() && i < counts.size(); ++i) {
      counts[i] += record.margins[i];
      all += record.margins[i];
    }
  }
  if (all == 0) return {};
  std::string text =
      "\nmargin of the best logit over the second, of " + std::to_string(all) + " tokens\n";
  for (int i = 0; i < kMarginClasses; ++i) {
    const std::string name = i < kMarginClasses - 1
                                 ? format("below %g", kMarginEnds[i])
                                 : format("%g and more", kMarginEnds[kMarginClasses - 2]);
    text += left(name, 14) + right(std::to_string(counts[i]), 9) +
            format("%9.3f %%\n", 100.0 * static_cast<double>(counts[i]) / static_cast<double>(all));
  }
  return text;
}

std::string skipped_text(std::span<const SkippedTask> skipped) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const SkippedTask& each : skipped) by_reason[each.reason].push_back(each.id);
  std::string text;
  for (const auto& [reason, ids] : by_reason) {
    text += "skipped " + std::to_string(ids.size()) + ": " + reason + " (" + ids.front() +
            (ids.size() > 1 ? ", …" : "") + ")\n";
  }
  return text;
}

}  // namespace

std::string task_table(const TableTitle& title, TaskKind kind, std::span<const TaskRecord> records,
                       std::span<const SkippedTask> skipped) {
  std::string text = introduction(title);
  const std::vector<DecoderSummary> all = summarize(records);
  int name_width = kMinNameWidth;
  bool judged = false;
  for (const DecoderSummary& each : all) {
    name_width = std::max(name_width, static_cast<int>(each.decoder.size()));
    judged = judged || each.judged > 0;
  }
  text += table(all, speed_columns(title), name_width);
  int turns = 1;
  for (const TaskRecord& record : records) turns = std::max(turns, record.key.turn);
  for (int turn = 1; kind == TaskKind::kDialogue && turn <= turns; ++turn) {
    text += "\nturn " + std::to_string(turn) + "\n" +
            table(summarize(records, turn), speed_columns(title), name_width);
  }
  std::vector<Column> columns = draft_columns(judged);
  if (std::ranges::any_of(all, chunks))
    std::ranges::copy(forward_columns(), std::back_inserter(columns));
  std::ranges::copy(search_columns(), std::back_inserter(columns));
  text += "\n" + table(all, columns, name_width);
  return text + near_ties(records) + legend(title.replay) + skipped_text(skipped);
}

}  // namespace redraft
