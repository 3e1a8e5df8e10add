// The papers' tables: what they ask for exists, what they quote fits together, and how results are
// shown. REDRAFT_UPDATE_CASES=1 writes the rendered table anew.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <set>

#include "bench/markdown.h"
#include "bench/papers/paper_report.h"
#include "bench/papers/rank_agreement.h"
#include "bench/report.h"
#include "decoding/decoder_name.h"

namespace redraft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string contents(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}
const std::filesystem::path kSource = REDRAFT_SOURCE;

TEST(PaperTables, EveryCellNamesADecoderAndARun) {
  std::set<std::string> ids;
  for (const PaperTable& table : paper_tables()) {
    SCOPED_TRACE(table.id);
    EXPECT_TRUE(ids.insert(table.id).second) << "twice";
    EXPECT_EQ(find_paper_table(table.id), &table);
    ASSERT_FALSE(table.blocks.empty());
    for (const PaperBlock& block : table.blocks) {
      EXPECT_LT(block.ranked, std::ssize(block.columns));
      for (const PaperRow& row : block.rows) {
        for (const PaperColumn& column : block.columns) {
          if (!row.absent.empty()) continue;
          const CellOf cell = cell_of(row, column);
          EXPECT_NE(find_paper_run(cell.run), nullptr) << row.label << ": " << cell.run;
          EXPECT_TRUE(DecoderName::parse(cell.decoder)) << row.label << ": " << cell.decoder;
        }
      }
    }
  }
  for (const LeftOutTable& each : left_out_tables()) {
    EXPECT_TRUE(ids.insert(each.id).second) << each.id;
    EXPECT_FALSE(each.reason.empty());
  }
}

// A number a cell; and a table that quotes none says why.
TEST(PaperTables, HaveTheirPapersNumbers) {
  for (const PaperTable& table : paper_tables()) {
    SCOPED_TRACE(table.id);
    for (const PaperBlock& block : table.blocks) {
      bool any = false;
      for (const PaperNumbers& paper : block.paper) {
        ASSERT_EQ(paper.values.size(), block.rows.size()) << paper.setting;
        for (const std::vector<double>& line : paper.values) {
          ASSERT_EQ(line.size(), block.columns.size()) << paper.setting;
          for (const double value : line) any = any || !std::isnan(value);
        }
      }
      EXPECT_TRUE(any || table.id.find("-f") != std::string::npos) << block.title;
    }
  }
}

// A slip of the pen in a number would show: a speed-up is the ratio of two speeds of its table. One
// of the paper's own is not: 47.86 / 44.59 is 1.07.
const std::string kNotARatio = "fastcoder-1, RepoEval, CodeLlama-13B, REST, speed-up";

TEST(PaperTables, TheirSpeedUpsAreTheRatiosOfTheirSpeeds) {
  int checked = 0;
  for (const PaperTable& table : paper_tables()) {
    for (const PaperBlock& block : table.blocks) {
      for (const PaperNumbers& paper : block.paper) {
        for (std::size_t row = 0; row < block.rows.size(); ++row) {
          for (std::size_t i = 0; i < block.columns.size(); ++i) {
            const PaperColumn& column = block.columns[i];
            const double speedup = paper.values[row][i];
            if (column.metric != PaperMetric::kSpeedup || std::isnan(speedup)) continue;
            const std::string where = table.id + ", " + block.title + ", " + paper.setting + ", " +
                                      block.rows[row].label + ", " + column.title;
            double ratio = kNoNumber;
            if (i >= 2 && block.columns[i - 2].metric == PaperMetric::kTokensPerSecond) {
              ratio = paper.values[row][i - 1] / paper.values[row][i - 2];
            } else if (block.rows[0].of.decoder == "ar" && i >= 1) {
              const double plain = paper.values[0][i - 1];
              const double own = paper.values[row][i - 1];
              ratio = block.columns[i - 1].metric == PaperMetric::kMsPerToken ? plain / own
                                                                              : own / plain;
            }
            if (std::isnan(ratio) || where == kNotARatio) continue;
            ++checked;
            EXPECT_NEAR(speedup / ratio, 1, 0.013) << where;
          }
        }
      }
    }
  }
  EXPECT_GT(checked, 250);
}

// In docs/lab/papers.md; what they are is said in docs/lab/bench.md.
TEST(PaperRuns, AreDocumentedWithTheirFiles) {
  const std::string document = contents(kSource / "docs" / "lab" / "papers.md");
  for (const PaperRun& run : paper_runs()) {
    EXPECT_THAT(document, HasSubstr("`" + run.id + "`"));
    for (const std::string& file : run.files) EXPECT_THAT(document, HasSubstr("`" + file + "`"));
    const std::string program = run.converter.substr(0, run.converter.find(' '));
    EXPECT_TRUE(program.empty() || std::filesystem::exists(kSource / program)) << program;
  }
  for (const PaperTable& table : paper_tables())
    EXPECT_THAT(document, HasSubstr("`" + table.id + "`"));
  for (const LeftOutTable& each : left_out_tables())
    EXPECT_THAT(document, HasSubstr("`" + each.id + "`"));
}

TEST(PaperRuns, ATableNeedsEachDecoderOfARunOnce) {
  const std::vector<NeededRun> needed = needed_runs(*find_paper_table("efficientedit-1"));
  ASSERT_EQ(needed.size(), 4U);
  EXPECT_EQ(needed[0].run->id, "canitedit-lazy");
  EXPECT_THAT(needed[0].decoders, ElementsAre("ar", "sd:gamma=7", "fastfixer", "ouroboros:gamma=7",
                                              "efficientedit:entropy", "redraft"));
  EXPECT_THAT(needed_runs(*find_paper_table("copyspec-2"))[0].decoders,
              ElementsAre("ar", "copyspec"));
}

TEST(RankAgreement, IsKendallsTau) {
  const auto tau = [](std::vector<double> a, std::vector<double> b) { return kendall_tau(a, b); };
  EXPECT_EQ(tau({1, 2, 3}, {10, 20, 30}), 1);
  EXPECT_EQ(tau({1, 2, 3}, {3, 2, 1}), -1);
  EXPECT_DOUBLE_EQ(*tau({1, 2, 3, 4}, {1, 2, 4, 3}), 4.0 / 6);
  EXPECT_DOUBLE_EQ(*tau({1, 1, 2}, {1, 2, 3}), 2 / std::sqrt(6.0)) << "a tie";
  EXPECT_EQ(tau({1}, {1}), std::nullopt);
  EXPECT_EQ(tau({1, 1}, {1, 2}), std::nullopt);
  EXPECT_EQ(tau({}, {}), std::nullopt);
}

TEST(Markdown, WrapsProseAndEscapesCells) {
  EXPECT_EQ(wrapped("- " + std::string(50, 'a') + " " + std::string(50, 'b') + " c"),
            "- " + std::string(50, 'a') + "\n  " + std::string(50, 'b') + " c");
  EXPECT_EQ(wrapped("one  two"), "one two");
  MarkdownTable table;
  table.add_column("", false);
  table.add_column("n");
  table.add_row({"a|b", "1"});
  EXPECT_EQ(table.text(), "|  | n |\n|---|---:|\n| a\\|b | 1 |\n");
}

// A made-up run: `tokens` in `seconds`, in passes of which the first `forwards` have four rows.
TaskRecord record(const std::string& id, const std::string& decoder, int tokens, double seconds,
                  int forwards, double overlap) {
  TaskRecord record;
  record.key = {id, 1, decoder};
  record.finish_reason = "stop";
  DecodeStatistics& s = record.statistics;
  s.new_tokens = tokens;
  s.passes = s.forwards = forwards;
  s.rows = 4 * forwards;
  record.passes_by_rows = {4, forwards};
  record.seconds = s.decode_seconds = seconds;
  record.overlap = overlap;
  record.passed = id == "t/1";
  record.edit_similarity = overlap;
  if (decoder == "ar") {
    s.rows = forwards;
    s.bonus_tokens = tokens;
    record.passes_by_rows = {1, forwards};
    return record;
  }
  const bool model = decoder.starts_with("sd") || decoder.starts_with("efficientedit");
  const auto origin = static_cast<std::size_t>(model ? DraftOrigin::kModel : DraftOrigin::kReuse);
  s.drafted_by_origin[origin] = 3 * forwards;
  s.passes_by_origin[origin] = forwards;
  s.accepted_by_origin[origin] = tokens - forwards;
  s.bonus_tokens = forwards;
  return record;
}

nlohmann::ordered_json made_up_report(const std::vector<std::string>& decoders) {
  std::vector<TaskRecord> records;
  for (const char* id : {"t/1", "t/2"}) {
    const double overlap = id == std::string("t/1") ? 0.75 : 0.95;
    double seconds = 10;
    for (const std::string& decoder : decoders) {
      const int forwards = decoder == "ar" ? 101 : static_cast<int>(5 * seconds);
      records.push_back(record(id, decoder, 100, seconds, forwards, overlap));
      seconds -= 1.5;
    }
  }
  return bench_report({{"bench", "edits"},
                       {"replay", false},
                       {"data", {{{"file", "x/edit/canitedit.jsonl"}, {"sha256", "0"}}}},
                       {"decoders", decoders},
                       {"target", "some-model"},
                       {"draft", ""},
                       {"limit", 2},
                       {"max_new_tokens", 512},
                       {"warm", true},
                       {"pass_at_1", true},
                       {"instruction", "lazy"},
                       {"chat", false},
                       {"left_only", false},
                       {"machine", "a machine"},
                       {"threads", 2}},
                      records, {});
}

PaperResults parsed(const nlohmann::ordered_json& report, const std::string& run) {
  const auto document = JsonDocument::parse("r.json", report.dump());
  if (!document) throw std::runtime_error(document.error().message());
  Result<PaperResults> results = PaperResults::parse(*document, *find_paper_run(run));
  if (!results) throw std::runtime_error(results.error().message());
  return std::move(*results);
}

PaperReportInputs made_up_inputs() {
  PaperReportInputs inputs;
  inputs.results.emplace("canitedit-lazy", parsed(made_up_report({"ar", "sd:gamma=7", "fastfixer",
                                                                  "efficientedit:entropy",
                                                                  "efficientedit:entropy:k=5"}),
                                                  "canitedit-lazy"));
  inputs.missing["canitedit-descriptive"] = "not run yet";
  inputs.missing["codeif-l1"] = "not run, the task file is missing";
  inputs.missing["codeif-l2"] = "not run, the task file is missing";
  inputs.command = "redraft bench papers efficientedit-1 --limit 2";
  inputs.curve = CostCurve({{1, 1}, {64, 1.63}});
  inputs.curve_text = "1:1,64:1.63";
  inputs.draft_cost = 0.1;
  return inputs;
}

TEST(PaperReport, ShowsAMadeUpRunAsItDid) {
  const std::filesystem::path golden =
      kSource / "tests" / "cases" / "bench" / "papers" / "efficientedit-1.md";
  PaperTable table = *find_paper_table("efficientedit-1");
  // The row stands for one whose decoder is not in the build, before and after that is merged.
  for (PaperBlock& block : table.blocks) {
    for (PaperRow& row : block.rows) {
      if (row.label == "Ouroboros") row.of.decoder = "no-such-decoder";
    }
  }
  const std::string text = paper_report(table, made_up_inputs(), "");
  if (std::getenv("REDRAFT_UPDATE_CASES")) std::ofstream(golden) << text;
  EXPECT_EQ(text, contents(golden));
}

TEST(PaperReport, RanksAndPrices) {
  std::string text = paper_report(*find_paper_table("efficientedit-1"), made_up_inputs(), "");
  for (std::size_t at; (at = text.find("\n  ")) != std::string::npos;) text.replace(at, 3, " ");
  EXPECT_THAT(text, HasSubstr("By speed-up, here: EfficientEdit, FastFixer, SD, AR."));
  EXPECT_THAT(text, HasSubstr("Kendall's tau with the order here: 1.00, of the 4"));
  const PaperResults results =
      parsed(made_up_report({"ar", "sd:gamma=7", "fastfixer"}), "canitedit-lazy");
  const CostCurve curve({{1, 1}, {64, 1.63}});
  // sd: 42 passes of four rows each, 126 drafted tokens; in both tasks.
  EXPECT_NEAR(*results.priced_speedup({.decoder = "sd:gamma=7"}, curve, 0.1),
              101.0 / (42 * 1.03 + 126 * 0.1), 1e-9);
  EXPECT_NEAR(*results.priced_speedup({.decoder = "fastfixer"}, curve, 0.1), 101.0 / (35 * 1.03),
              1e-9);
  EXPECT_EQ(*results.priced_speedup({.decoder = "ar"}, curve, 0.1), 1);
  EXPECT_EQ(results.priced_speedup({.decoder = "pld"}, curve, 0.1), std::nullopt);
}

TEST(PaperReport, ShowsItsFigure) {
  EXPECT_THAT(paper_report(*find_paper_table("efficientedit-f5"), made_up_inputs(), "f.svg"),
              HasSubstr("\n![efficientedit-f5](f.svg)\n"));
}

TEST(PaperFigure, DrawsASweepAndAnOverlap) {
  const std::string sweep = paper_figure(*find_paper_table("efficientedit-f5"), made_up_inputs());
  EXPECT_THAT(sweep, HasSubstr("CanItEdit, lazy instructions: speed-up"));
  EXPECT_THAT(sweep, HasSubstr("Qwen2.5-Coder 32B and 7B"));
  EXPECT_THAT(sweep, Not(HasSubstr("descriptive"))) << "nothing was measured of that";
  const std::string overlap = paper_figure(*find_paper_table("efficientedit-f3"), made_up_inputs());
  EXPECT_THAT(overlap, HasSubstr("80 %"));
  EXPECT_THAT(overlap, HasSubstr("FastFixer"));
  EXPECT_EQ(paper_figure(*find_paper_table("efficientedit-1"), made_up_inputs()), "");
  EXPECT_EQ(paper_figure(*find_paper_table("efficientedit-f5"), {}), "");
}

TEST(PaperResults, MeasuresByTurnAndCategory) {
  std::vector<TaskRecord> records;
  for (const int turn : {1, 2}) {
    for (const char* category : {"coding", "math"}) {
      for (const char* decoder : {"ar", "copyspec"}) {
        TaskRecord one =
            record(category, decoder, 100, decoder == std::string("ar") ? 10 : 5, 20, 1);
        one.key.turn = turn;
        one.category = category;
        one.passed = std::nullopt;
        if (turn == 2 && category == std::string("math") && decoder == std::string("copyspec"))
          one.seconds = 1;
        records.push_back(one);
      }
    }
  }
  const auto report = bench_report(
      {{"bench", "dialogue"}, {"data", {{{"file", "mt_redundant.jsonl"}}}}}, records, {});
  const PaperResults results = parsed(report, "mt-redundant");
  const auto speedup = [&](const std::string& category, int turn) {
    return results.value(PaperMetric::kSpeedup,
                         {.decoder = "copyspec", .category = category, .turn = turn});
  };
  EXPECT_EQ(speedup("coding", 2), 2);
  EXPECT_EQ(speedup("math", 1), 2);
  EXPECT_EQ(speedup("math", 2), 10);
  EXPECT_DOUBLE_EQ(*speedup("", 2), 20.0 / 6);
  EXPECT_EQ(speedup("art", 2), std::nullopt);
  EXPECT_EQ(results.value(PaperMetric::kPassAt1, {.decoder = "ar"}), std::nullopt);
}

TEST(PaperResults, SearchCountsBecomeShares) {
  TaskRecord one = record("a", "fastcoder", 100, 5, 20, 1);
  one.searches.cache_asked = 50;
  one.searches.cache_hits = 30;
  one.searches.searches = 60;
  one.searches.searches_skipped = 6;
  one.searches.searches_missing = 4;
  one.searches.cache_seconds = 0.01;
  one.searches.search_seconds = 0.12;
  const auto report = bench_report({{"bench", "completion"},
                                    {"data", {{{"file", "deveval_function.jsonl"}}}},
                                    {"left_only", true}},
                                   std::vector{one}, {});
  const PaperResults results = parsed(report, "deveval");
  const auto value = [&](PaperMetric metric) {
    return results.value(metric, {.decoder = "fastcoder"}).value_or(-1);
  };
  EXPECT_DOUBLE_EQ(value(PaperMetric::kCacheHits), 100 * 30.0 / 90);
  EXPECT_DOUBLE_EQ(value(PaperMetric::kSkipped), 10);
  EXPECT_DOUBLE_EQ(value(PaperMetric::kCacheMs), 0.2);
  EXPECT_DOUBLE_EQ(value(PaperMetric::kSearchMs), 2);
  EXPECT_DOUBLE_EQ(value(PaperMetric::kTokensPerForward), 5);
  EXPECT_THAT(results.facts().differences, testing::Contains("without common code"));
}

std::string problem(const nlohmann::ordered_json& report) {
  const auto document = JsonDocument::parse("r.json", report.dump());
  if (!document) return document.error().message();
  const auto results = PaperResults::parse(*document, *find_paper_run("canitedit-lazy"));
  return results ? "none" : results.error().message();
}

TEST(PaperResults, RefusesThoseOfAnotherRun) {
  const auto sound = made_up_report({"ar", "fastfixer"});
  EXPECT_EQ(problem(sound), "none");
  const auto with = [&](const char* key, const nlohmann::ordered_json& value) {
    auto other = sound;
    other["settings"][key] = value;
    return problem(other);
  };
  EXPECT_THAT(with("bench", "dialogue"), HasSubstr("bench dialogue"));
  EXPECT_THAT(with("replay", true), HasSubstr("replay"));
  EXPECT_THAT(with("instruction", "descriptive"), HasSubstr("instructions"));
  EXPECT_THAT(with("data", {{{"file", "other.jsonl"}}}), HasSubstr("other task files"));
  EXPECT_THAT(with("chat", true), HasSubstr("another way"));
  EXPECT_EQ(with("max_new_tokens", 7), "none") << "is told, not refused";
  auto other = sound;
  other["tasks"][0]["passes"] = "many";
  EXPECT_THAT(problem(other), HasSubstr("passes"));
  EXPECT_THAT(problem({{"tasks", 1}}), HasSubstr("settings"));
}

// Whatever is in the file: an error or results, and tables can be made of those.
TEST(PaperResults, SurvivesDamage) {
  const std::string sound = made_up_report({"ar", "fastfixer"}).dump();
  std::mt19937 random(7);
  int read = 0;
  for (int round = 0; round < 300; ++round) {
    std::string text = sound;
    for (int i = 0; i < 1 + round % 3; ++i)
      text[random() % text.size()] = "0123456789\"{}[],:x-"[random() % 19];
    const auto document = JsonDocument::parse("r.json", text);
    if (!document) continue;
    Result<PaperResults> results =
        PaperResults::parse(*document, *find_paper_run("canitedit-lazy"));
    if (!results) continue;
    ++read;
    PaperReportInputs inputs = made_up_inputs();
    inputs.results.insert_or_assign("canitedit-lazy", std::move(*results));
    for (const char* id : {"efficientedit-1", "efficientedit-f3"})
      EXPECT_FALSE(paper_report(*find_paper_table(id), inputs, "").empty());
    paper_figure(*find_paper_table("efficientedit-f3"), inputs);
  }
  EXPECT_GT(read, 20);
}

TEST(PaperList, NamesTablesRunsAndWhatIsLeftOut) {
  const std::string list = paper_list();
  EXPECT_THAT(list, HasSubstr("efficientedit-3"));
  EXPECT_THAT(list, HasSubstr("runs: deveval (8)"));
  EXPECT_THAT(list, HasSubstr("CoEdPilot"));
}

}  // namespace
}  // namespace redraft
