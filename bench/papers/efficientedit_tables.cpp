// EfficientEdit: tables I to III, figures 3 and 5.
#include "bench/papers/paper_table.h"

namespace redraft {
namespace {

using Numbers = std::vector<std::vector<double>>;
constexpr double kNone = kNoNumber;
constexpr const char* kQwen = "Qwen2.5-Coder 32B and 7B";
constexpr const char* kDeepSeek = "DeepSeek-Coder 33B and 6.7B";

// One line a row; of each data set tokens/s, speed-up and pass@1.
// clang-format off
const Numbers kTable1Qwen = {
    {13.0, 1.00, 54.3, 13.0, 1.00, 68.6, 13.4, 1.00, 43.1, 12.7, 1.00, 4.2},
    {22.9, 1.76, 54.3, 23.2, 1.78, 68.6, 23.1, 1.73, 43.1, 22.6, 1.78, 4.2},
    {37.1, 2.85, 54.3, 38.6, 2.97, 68.6, 60.8, 4.54, 43.1, 97.0, 7.64, 4.2},
    {kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone},
    {70.7, 5.44, 55.2, 70.0, 5.38, 70.5, 81.4, 6.07, 43.1, 104.9, 8.26, 4.5}};
const Numbers kTable1DeepSeek = {
    {11.8, 1.00, 49.5, 11.8, 1.00, 60.0, 11.6, 1.00, 35.8, 12.0, 1.00, 8.4},
    {19.6, 1.67, 49.5, 19.9, 1.69, 60.0, 18.5, 1.59, 35.8, 18.7, 1.56, 8.4},
    {77.9, 6.60, 49.5, 61.7, 5.23, 60.0, 93.7, 8.08, 35.8, 128.5, 10.71, 8.4},
    {36.1, 3.06, 49.5, 36.1, 3.06, 60.0, 31.8, 2.74, 35.8, 33.2, 2.77, 8.4},
    {122.5, 10.38, 48.5, 94.6, 8.02, 59.0, 111.7, 9.63, 36.5, 157.1, 13.09, 8.7}};
const Numbers kTable2Qwen = {
    {21.7, 1.67, 54.3, 22.0, 1.69, 68.6, 22.8, 1.70, 43.1, 22.5, 1.77, 4.2},
    {60.5, 4.65, 54.3, 63.5, 4.88, 68.6, 70.6, 5.27, 43.1, 88.0, 6.93, 4.2},
    {63.7, 4.90, 54.3, 65.9, 5.07, 68.6, 79.9, 5.96, 43.1, 99.8, 7.86, 4.2},
    {70.4, 5.42, 56.2, 68.3, 5.25, 70.5, 75.7, 5.65, 42.9, 100.3, 7.90, 4.2},
    {70.7, 5.44, 55.2, 70.0, 5.38, 70.5, 81.4, 6.07, 43.1, 104.9, 8.26, 4.5}};
const Numbers kTable2DeepSeek = {
    {18.9, 1.60, 49.5, 19.1, 1.62, 60.0, 18.6, 1.60, 35.8, 18.2, 1.52, 8.4},
    {97.8, 8.29, 49.5, 79.3, 6.72, 60.0, 103.9, 8.96, 35.8, 138.1, 11.51, 8.4},
    {105.1, 8.91, 49.5, 85.0, 7.20, 60.0, 105.9, 9.13, 35.8, 140.2, 11.68, 8.4},
    {127.1, 10.77, 43.8, 90.7, 7.69, 54.3, 112.6, 9.71, 37.0, 157.7, 13.14, 9.8},
    {122.5, 10.38, 48.5, 94.6, 8.02, 59.0, 111.7, 9.63, 36.5, 157.1, 13.09, 8.7}};
const Numbers kTable3 = {
    {105.1, 8.91, 49.5, 85.0, 7.20, 60.0, 105.9, 9.13, 35.8, 140.2, 13.32, 8.4},
    {128.1, 10.86, 44.8, 102.5, 8.68, 50.5, 112.9, 9.78, 35.6, 159.8, 13.31, 9.3},
    {131.4, 11.14, 43.8, 102.7, 8.70, 48.6, 113.4, 9.77, 35.4, 160.8, 13.43, 9.8},
    {131.9, 11.18, 43.8, 102.0, 8.64, 47.6, 114.4, 9.86, 35.1, 161.2, 13.89, 9.8},
    {122.5, 10.38, 48.5, 94.6, 8.02, 59.0, 111.7, 9.63, 36.5, 157.1, 13.09, 8.7}};
// clang-format on

struct DataSet {
  const char* title;
  const char* run;
};
constexpr DataSet kDataSets[] = {{"CanItEdit, lazy instructions", "canitedit-lazy"},
                                 {"CanItEdit, descriptive instructions", "canitedit-descriptive"},
                                 {"CodeIF-Bench, L-1", "codeif-l1"},
                                 {"CodeIF-Bench, L-2", "codeif-l2"}};

PaperNumbers part_of(const char* setting, const Numbers& all, std::size_t data_set) {
  constexpr std::size_t kColumns = 3;
  PaperNumbers part{setting, {}};
  for (const std::vector<double>& line : all) {
    const auto begin = line.begin() + static_cast<std::ptrdiff_t>(data_set * kColumns);
    part.values.emplace_back(begin, begin + kColumns);
  }
  return part;
}

std::vector<PaperColumn> columns_of(const std::string& run) {
  return {{"tokens/s", PaperMetric::kTokensPerSecond, {.run = run}},
          {"speed-up", PaperMetric::kSpeedup, {.run = run}},
          {"pass@1", PaperMetric::kPassAt1, {.run = run}}};
}

// A block for each data set. `numbers` have a line for each of the first rows.
std::vector<PaperBlock> blocks(const std::vector<PaperRow>& rows,
                               const std::vector<std::pair<const char*, const Numbers*>>& numbers) {
  std::vector<PaperBlock> all;
  for (std::size_t i = 0; i < std::size(kDataSets); ++i) {
    PaperBlock block{.title = kDataSets[i].title,
                     .columns = columns_of(kDataSets[i].run),
                     .rows = rows,
                     .paper = {},
                     .ranked = 1};
    for (const auto& [setting, lines] : numbers) {
      PaperNumbers part = part_of(setting, *lines, i);
      part.values.resize(rows.size(), std::vector<double>(block.columns.size(), kNone));
      block.paper.push_back(std::move(part));
    }
    all.push_back(std::move(block));
  }
  return all;
}

PaperRow row(const char* label, const char* decoder) {
  return {.label = label, .of = {.decoder = decoder}};
}
PaperRow absent(const char* label, const char* reason) {
  return {.label = label, .of = {}, .absent = reason};
}

constexpr const char* kBaseDraft =
    "The draft model is the untrained small one. With one that `redraft tune` trained (EoFT or "
    "SFT), give `--draft MODEL+ADAPTER` and another `--out`: the same rows are then those of the "
    "trained draft.";
constexpr const char* kWarm = "Times are of decoding alone, without reading the prompt.";
constexpr const char* kK = "k is 3; the paper takes 5 for DeepSeek-Coder.";
constexpr const char* kTrained = "the rows without it again, with `--draft MODEL+ADAPTER`";

PaperTable table_1() {
  return {.id = "efficientedit-1",
          .title = "EfficientEdit, table I: beside other methods",
          .blocks = blocks(
              {row("AR", "ar"), row("SD", "sd:gamma=7"), row("FastFixer", "fastfixer"),
               row("Ouroboros", "ouroboros:gamma=7"), row("EfficientEdit", "efficientedit:entropy"),
               row("redraft (not in the paper)", "redraft")},
              {{kQwen, &kTable1Qwen}, {kDeepSeek, &kTable1DeepSeek}}),
          .notes = {kBaseDraft, kWarm, kK}};
}

PaperTable table_2() {
  return {
      .id = "efficientedit-2",
      .title = "EfficientEdit, table II: ablation",
      .blocks = blocks({row("Base+Greedy", "sd:gamma=7"), row("Reuse+Base+Greedy", "efficientedit"),
                        absent("Reuse+Our+Greedy", kTrained), absent("Reuse+SFT+Entropy", kTrained),
                        absent("Reuse+Our+Entropy", kTrained),
                        row("Reuse+Base+Entropy (not in the paper)", "efficientedit:entropy"),
                        row("Reuse alone (section VIII: 3 to 5)", "efficientedit:reuse-only")},
                       {{kQwen, &kTable2Qwen}, {kDeepSeek, &kTable2DeepSeek}}),
      .notes = {kBaseDraft, kWarm, kK}};
}

PaperTable table_3() {
  return {.id = "efficientedit-3",
          .title = "EfficientEdit, table III: rules of verification",
          .blocks = blocks(
              {row("Greedy", "efficientedit"), row("Top-k=3", "efficientedit:top-k:k=3"),
               row("Top-k=5", "efficientedit:top-k:k=5"), row("Direct", "efficientedit:direct"),
               row("Entropy", "efficientedit:entropy")},
              {{kDeepSeek, &kTable3}}),
          .notes = {kBaseDraft, kWarm, kK,
                    "The paper gives Greedy on L-2 as 13.32 here and as 11.68 in table II; 140.2 "
                    "of 12.0 tokens/s is 11.68."}};
}

std::vector<PaperBlock> can_it_edit(std::vector<PaperBlock> all) {
  all.resize(2);
  return all;
}

PaperTable figure_3() {
  PaperTable table{
      .id = "efficientedit-f3",
      .title = "EfficientEdit, figure 3: speed-up by the share of tokens that are reused",
      .blocks = can_it_edit(blocks({row("EfficientEdit", "efficientedit:entropy"),
                                    row("FastFixer", "fastfixer"), row("redraft", "redraft")},
                                   {})),
      .figure = {PaperFigure::Kind::kOverlap, "share of the output that stands in the original"},
      .notes = {kBaseDraft, kWarm,
                "The paper: most with everything reused, over 50 times (DeepSeek-Coder) and under "
                "25 times (Qwen2.5-Coder)."}};
  for (PaperBlock& block : table.blocks) block.ranked = -1;
  return table;
}

PaperTable figure_5() {
  PaperTable table{.id = "efficientedit-f5",
                   .title = "EfficientEdit, figure 5: the threshold k",
                   .blocks = can_it_edit(blocks(
                       {row("3", "efficientedit:entropy"), row("5", "efficientedit:entropy:k=5"),
                        row("7", "efficientedit:entropy:k=7")},
                       {})),
                   .figure = {PaperFigure::Kind::kSweep, "k"},
                   .notes = {kBaseDraft, kWarm,
                             "The figure has no numbers but those of table I: k=3 for "
                             "Qwen2.5-Coder, k=5 for DeepSeek-Coder."}};
  for (std::size_t i = 0; i < table.blocks.size(); ++i) {
    const std::vector<double> none(3, kNone);
    table.blocks[i].paper = {{kQwen, {part_of("", kTable1Qwen, i).values[4], none, none}},
                             {kDeepSeek, {none, part_of("", kTable1DeepSeek, i).values[4], none}}};
  }
  return table;
}

}  // namespace

std::vector<PaperTable> efficientedit_tables() {
  return {table_1(), table_2(), table_3(), figure_3(), figure_5()};
}

}  // namespace redraft
