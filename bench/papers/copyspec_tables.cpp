// CopySpec: its tables, and the sweeps of figures 3, 4, 6 and 7.
#include "bench/papers/copyspec_numbers.h"
#include "bench/papers/paper_table.h"

namespace redraft {
namespace {

constexpr double kNone = kNoNumber;
constexpr const char* kCategories[] = {"coding",    "extraction", "humanities", "math",
                                       "reasoning", "roleplay",   "stem",       "writing"};

constexpr const char* kTimes = "Times are of decoding alone, without reading the prompt.";
constexpr const char* kSecondTurn =
    "Every decoder's later turns answer what plain decoding wrote before, so all have one prompt.";
constexpr const char* kOwnData =
    "Its dialogues are written by `bench/paper_data.py` from your own copy of the data.";
constexpr const char* kPrompts = "The instructions are ours, after the paper's description.";

std::vector<PaperRow> category_rows() {
  std::vector<PaperRow> rows;
  for (const char* name : kCategories) rows.push_back({.label = name, .of = {.category = name}});
  rows.push_back({.label = "average", .of = {}});
  return rows;
}

std::string name_of(int number) { return "copyspec-" + std::to_string(number); }

struct ByCategory {
  int number;
  const char* models;
  const char* run;
};

// Tables 2, 6 to 9 and 11 to 15.
PaperTable by_category(const ByCategory& which) {
  PaperBlock block{.title = which.run == std::string("mt-bench") ? "MT-Bench" : "MT-Redundant",
                   .columns = {},
                   .rows = category_rows(),
                   .paper = {{which.models, kCopySpecByCategory.at(which.number)}},
                   .ranked = 5};
  for (const int turn : {1, 2}) {
    const std::string suffix = ", turn " + std::to_string(turn);
    block.columns.push_back({"plain" + suffix,
                             PaperMetric::kTokensPerSecond,
                             {.run = which.run, .decoder = "ar", .turn = turn}});
    block.columns.push_back({"CopySpec" + suffix,
                             PaperMetric::kTokensPerSecond,
                             {.run = which.run, .decoder = "copyspec", .turn = turn}});
    block.columns.push_back({"speed-up" + suffix,
                             PaperMetric::kSpeedup,
                             {.run = which.run, .decoder = "copyspec", .turn = turn}});
  }
  return {.id = name_of(which.number),
          .title = "CopySpec, table " + std::to_string(which.number) + ": tokens/s by category",
          .blocks = {block},
          .notes = {kTimes, kSecondTurn}};
}

// Tables 3, 10, 16 and 17.
PaperTable with_drafts(int number, const char* run, int draft) {
  const std::string tokens = std::to_string(draft);
  const std::pair<const char*, std::string> methods[] = {
      {"plain", "ar"},
      {"draft model", "sd:gamma=" + tokens},
      {"+ copy, gamma 3", "copyspec+sd:gamma=3:draft=" + tokens},
      {"+ copy, gamma 5", "copyspec+sd:gamma=5:draft=" + tokens}};
  PaperBlock block{.title = (run == std::string("mt-bench") ? "MT-Bench" : "MT-Redundant") +
                            std::string(", drafts of ") + tokens + " tokens",
                   .columns = {},
                   .rows = category_rows(),
                   .paper = {{"Qwen2.5 32B and 7B", kCopySpecWithDrafts.at(number)}},
                   .ranked = 6};
  for (const int turn : {1, 2}) {
    for (const auto& [title, decoder] : methods) {
      block.columns.push_back({title + std::string(", turn ") + std::to_string(turn),
                               PaperMetric::kTokensPerSecond,
                               {.run = run, .decoder = decoder, .turn = turn}});
    }
  }
  block.ranked_columns = {4, 5, 6, 7};
  return {.id = name_of(number),
          .title = "CopySpec, table " + std::to_string(number) + ": with a draft model",
          .blocks = {block},
          .notes = {kTimes, kSecondTurn}};
}

// Table 1. The paper's speed-ups are the ratios of its tokens/s.
PaperTable table_1() {
  struct Model {
    const char* name;
    double plain[5];
    double copied_speed[5];
    double copied[5];
  };
  constexpr Model kModels[] = {{"Qwen2.5-72B",
                                {4.82, 3.70, 4.55, 4.83, 4.98},
                                {6.42, 8.68, 7.01, 5.55, 7.01},
                                {32.35, 82.48, 47.59, 20.53, 37.47}},
                               {"Qwen2.5-32B",
                                {10.26, 7.79, 9.76, 10.29, 10.46},
                                {13.82, 18.34, 14.84, 12.15, 14.41},
                                {33.17, 81.82, 44.93, 22.61, 34.23}},
                               {"Qwen2.5-7B",
                                {39.88, 25.25, 38.58, 39.98, 33.63},
                                {54.05, 47.15, 63.37, 46.85, 48.79},
                                {34.42, 65.67, 53.01, 22.86, 32.68}},
                               {"Llama-3.1-70B",
                                {4.98, 4.19, 4.77, 4.98, 5.05},
                                {6.57, 5.49, 6.06, 5.83, 6.24},
                                {31.42, 38.35, 30.07, 21.83, 27.54}},
                               {"Llama-3.1-8B",
                                {35.51, 26.57, 35.19, 35.43, 37.57},
                                {49.28, 37.44, 49.60, 45.84, 46.49},
                                {35.45, 38.32, 38.01, 30.01, 26.44}}};
  PaperBlock block{.title = "All data sets",
                   .columns = {{"plain", PaperMetric::kTokensPerSecond, {.decoder = "ar"}},
                               {"CopySpec", PaperMetric::kTokensPerSecond, {.decoder = "copyspec"}},
                               {"speed-up", PaperMetric::kSpeedup, {.decoder = "copyspec"}},
                               {"copied, %", PaperMetric::kCopied, {.decoder = "copyspec"}}},
                   .rows = {{.label = "MT-Redundant", .of = {.run = "mt-redundant"}},
                            {.label = "CNN/DM", .of = {.run = "cnn-dm"}},
                            {.label = "GSM-8K", .of = {.run = "gsm8k"}},
                            {.label = "MT-Bench", .of = {.run = "mt-bench"}},
                            {.label = "HumanEval", .of = {.run = "humaneval-chat"}}},
                   .paper = {},
                   .ranked = 2};
  for (const Model& model : kModels) {
    PaperNumbers part{model.name, {}};
    for (int i = 0; i < 5; ++i) {
      part.values.push_back({model.plain[i], model.copied_speed[i],
                             model.copied_speed[i] / model.plain[i], model.copied[i]});
    }
    block.paper.push_back(std::move(part));
  }
  return {.id = "copyspec-1",
          .title = "CopySpec, table 1: all models and data sets",
          .blocks = {block},
          .notes = {kTimes, kSecondTurn, kOwnData, kPrompts,
                    "The paper's speed-ups are the ratios of its tokens/s. Its scores (GPT-4, "
                    "ROUGE-L) are left out: outputs are those of plain decoding."}};
}

// Table 4.
PaperTable table_4() {
  PaperBlock block{
      .title = "Tokens that are copied",
      .columns = {{"MT-Redundant", PaperMetric::kTokensPerSecond, {.run = "mt-redundant"}},
                  {"MT-Bench", PaperMetric::kTokensPerSecond, {.run = "mt-bench"}}},
      .rows = {{.label = "plain", .of = {.decoder = "ar"}},
               {.label = "0", .of = {.decoder = "copyspec:tokens=0"}},
               {.label = "5", .of = {.decoder = "copyspec:tokens=5"}},
               {.label = "10", .of = {.decoder = "copyspec"}},
               {.label = "50", .of = {.decoder = "copyspec:tokens=50"}},
               {.label = "100", .of = {.decoder = "copyspec:tokens=100"}}},
      .paper = {{"Llama-3.1-8B",
                 {{35.63, 35.30},
                  {35.46, 35.22},
                  {47.64, 44.69},
                  {49.52, 45.74},
                  {45.56, 41.59},
                  {39.41, 35.76}}}},
      .ranked = 0};
  return {.id = "copyspec-4",
          .title = "CopySpec, table 4: how many tokens are copied",
          .blocks = {block},
          .figure = {PaperFigure::Kind::kSweep, "tokens copied"},
          .notes = {kTimes, kSecondTurn}};
}

// Tables 5 and 18: of turns 1, 2 and 3 copied, tokens/s, tau1 and tau2.
PaperTable self_correction(int number, int draft, const PaperValues& with_draft_model) {
  const std::string tokens = std::to_string(draft);
  PaperBlock block{
      .title = "GSM-8K, self-correction, drafts of " + tokens + " tokens",
      .columns = {},
      .rows = {{.label = "plain", .of = {.decoder = "ar"}},
               {.label = "CopySpec, gamma 3", .of = {.decoder = "copyspec"}},
               {.label = "CopySpec, gamma 5", .of = {.decoder = "copyspec:gamma=5"}},
               {.label = "draft model", .of = {.decoder = "sd:gamma=" + tokens}},
               {.label = "+ copy, gamma 3",
                .of = {.decoder = "copyspec+sd:gamma=3:draft=" + tokens}},
               {.label = "+ copy, gamma 5",
                .of = {.decoder = "copyspec+sd:gamma=5:draft=" + tokens}}},
      .paper =
          {{"Qwen2.5 32B and 7B",
            {{kNone, 10.25, kNone, kNone, kNone, 10.17, kNone, kNone, kNone, 8.68, kNone, kNone},
             {5.76, 10.13, 0.58, kNone, 44.17, 15.72, 4.90, kNone, 82.79, 21.89, 7.67, kNone},
             {1.01, 9.91, 0.72, kNone, 40.67, 14.79, 6.96, kNone, 82.78, 21.39, 8.70, kNone}}}},
      .ranked = 9};
  for (const std::vector<double>& line : with_draft_model)
    block.paper.front().values.push_back(line);
  for (const int turn : {1, 2, 3}) {
    const std::string suffix = ", turn " + std::to_string(turn);
    const CellOf of{.run = "gsm8k", .turn = turn};
    block.columns.push_back({"copied, %" + suffix, PaperMetric::kCopied, of});
    block.columns.push_back({"tokens/s" + suffix, PaperMetric::kTokensPerSecond, of});
    block.columns.push_back({"tau1" + suffix, PaperMetric::kTau1, of});
    block.columns.push_back({"tau2" + suffix, PaperMetric::kTau2, of});
  }
  return {.id = name_of(number),
          .title = "CopySpec, table " + std::to_string(number) + ": self-correction",
          .blocks = {block},
          .notes = {kTimes, kSecondTurn, kOwnData, kPrompts}};
}

// Table 19.
PaperTable table_19() {
  PaperBlock block{.title = "GSM-8K, self-correction",
                   .columns = {},
                   .rows = {{.label = "CopySpec", .of = {.decoder = "copyspec"}},
                            {.label = "plain", .of = {.decoder = "ar"}}},
                   .paper = {{"Qwen2.5-72B",
                              {{6.12, 4.71, 0.63, 47.49, 7.49, 4.35, 88.68, 10.59, 7.94},
                               {kNone, 4.74, kNone, kNone, 4.76, kNone, kNone, 3.98, kNone}}},
                             {"Qwen2.5-32B",
                              {{5.76, 10.13, 0.58, 44.17, 15.72, 4.90, 82.78, 21.89, 7.67},
                               {kNone, 10.25, kNone, kNone, 10.17, kNone, kNone, 8.68, kNone}}},
                             {"Qwen2.5-7B",
                              {{9.36, 41.01, 0.87, 60.34, 75.34, 5.65, 84.23, 93.68, 7.35},
                               {kNone, 40.29, kNone, kNone, 39.67, kNone, kNone, 35.63, kNone}}}},
                   .ranked = 7};
  for (const int turn : {1, 2, 3}) {
    const std::string suffix = ", turn " + std::to_string(turn);
    const CellOf of{.run = "gsm8k", .turn = turn};
    block.columns.push_back({"copied, %" + suffix, PaperMetric::kCopied, of});
    block.columns.push_back({"tokens/s" + suffix, PaperMetric::kTokensPerSecond, of});
    block.columns.push_back({"tau" + suffix, PaperMetric::kTau1, of});
  }
  return {.id = "copyspec-19",
          .title = "CopySpec, table 19: self-correction by model",
          .blocks = {block},
          .notes = {kTimes, kSecondTurn, kOwnData, kPrompts,
                    "The paper's accuracy of turns 1 and 3 is left out: outputs are those of plain "
                    "decoding."}};
}

PaperTable gamma_sweep(const char* figure, const char* title, const char* run,
                       const std::vector<PaperMetric>& metrics) {
  PaperBlock block{.title = title, .columns = {}, .rows = {}, .paper = {}, .ranked = -1};
  for (const PaperMetric metric : metrics)
    block.columns.push_back({to_string(metric), metric, {.run = run}});
  block.rows.push_back({.label = "plain", .of = {.decoder = "ar"}});
  for (const int gamma : {2, 3, 4, 5, 6, 8, 10}) {
    const std::string number = std::to_string(gamma);
    block.rows.push_back(
        {.label = number, .of = {.decoder = gamma == 3 ? "copyspec" : "copyspec:gamma=" + number}});
  }
  return {.id = std::string("copyspec-") + figure,
          .title = "CopySpec, figure " + std::string(figure + 1) + ": gamma on " + title,
          .blocks = {block},
          .figure = {PaperFigure::Kind::kSweep, "gamma"},
          .notes = {kTimes,
                    "The figure has no numbers; the paper: fastest with 3, and 2 close to it; the "
                    "smaller gamma, the more is copied, in more attempts; tau1 grows with gamma."}};
}

}  // namespace

std::vector<PaperTable> copyspec_tables() {
  using enum PaperMetric;
  std::vector<PaperTable> tables = {table_1()};
  const auto categories = [&](int number, const char* models, const char* run) {
    tables.push_back(by_category({number, models, run}));
  };
  categories(2, "Qwen2.5-72B", "mt-redundant");
  tables.push_back(with_drafts(3, "mt-redundant", 3));
  tables.push_back(table_4());
  tables.push_back(self_correction(
      5, 3,
      {{kNone, 13.47, kNone, 2.55, kNone, 12.99, kNone, 2.31, kNone, 11.27, kNone, 2.75},
       {2.59, 13.09, 0.60, 2.52, 41.70, 16.37, 5.85, 1.86, 81.81, 21.23, 7.70, 2.39},
       {0.49, 13.67, 0.90, 2.55, 39.26, 16.59, 7.89, 1.92, 82.58, 21.91, 8.71, 2.35}}));
  categories(6, "Qwen2.5-32B", "mt-redundant");
  categories(7, "Qwen2.5-7B", "mt-redundant");
  categories(8, "Llama-3.1-70B", "mt-redundant");
  categories(9, "Llama-3.1-8B", "mt-redundant");
  tables.push_back(with_drafts(10, "mt-redundant", 5));
  categories(11, "Qwen2.5-72B", "mt-bench");
  categories(12, "Qwen2.5-32B", "mt-bench");
  categories(13, "Qwen2.5-7B", "mt-bench");
  categories(14, "Llama-3.1-70B", "mt-bench");
  categories(15, "Llama-3.1-8B", "mt-bench");
  tables.push_back(with_drafts(16, "mt-bench", 3));
  tables.push_back(with_drafts(17, "mt-bench", 5));
  tables.push_back(self_correction(
      18, 5,
      {{kNone, 12.92, kNone, 3.77, kNone, 12.27, kNone, 3.36, kNone, 11.44, kNone, 4.30},
       {1.47, 12.67, 0.53, 3.77, 40.23, 14.65, 6.08, 2.52, 81.18, 20.81, 7.71, 3.39},
       {0.30, 12.99, 0.55, 3.78, 38.93, 14.95, 7.81, 2.59, 81.84, 21.51, 8.72, 3.40}}));
  tables.push_back(table_19());
  const std::vector<PaperMetric> swept = {kTokensPerSecond, kCopied, kCopyAttempts};
  tables.push_back(gamma_sweep("f3", "HumanEval", "humaneval-chat", swept));
  tables.push_back(gamma_sweep("f4", "HumanEval", "humaneval-chat", {kTau1}));
  tables.push_back(gamma_sweep("f6", "MT-Redundant", "mt-redundant", swept));
  tables.push_back(gamma_sweep("f7", "MT-Bench", "mt-bench", swept));
  return tables;
}

}  // namespace redraft
