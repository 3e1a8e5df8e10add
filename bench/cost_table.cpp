#include "bench/cost_table.h"

#include <string>
#include <vector>

#include "bench/text_format.h"

namespace redraft {
namespace {

// A column of time shares, and the parts that it adds up.
struct Column {
  const char* name;
  std::vector<PassPart> parts;
};
const std::vector<Column>& columns() {
  static const std::vector<Column> all = {
      {"qkv", {PassPart::kQueryKeyValue}},
      {"attn", {PassPart::kAttention}},
      {"out", {PassPart::kAttentionOutput}},
      {"gate+up", {PassPart::kGateUp}},
      {"act", {PassPart::kActivation}},
      {"down", {PassPart::kDown}},
      {"head", {PassPart::kHead}},
      {"norm", {PassPart::kNorm}},
      {"rest", {PassPart::kEmbedding, PassPart::kRope, PassPart::kOther}},
  };
  return all;
}

constexpr int kShareWidth = 5;

// "gate+up" is wider than the others.
int width_of(const Column& column) { return column.name[0] == 'g' ? kShareWidth + 3 : kShareWidth; }

std::string heading() {
  std::string line =
      format("%6s %10s %7s %8s %9s %6s ", "rows", "ms", "ratio", "rows/s", "roofline", "int8");
  for (const Column& column : columns()) line += format("%*s", width_of(column), column.name);
  return line + "\n";
}

std::string row_of(const CostPoint& point) {
  std::string line =
      format("%6d %9.1f%s %7.2f %8.1f %7.0f %% %4.0f %% ", point.rows, 1e3 * point.seconds,
             point.quiet ? " " : "~", point.ratio, point.rows / point.seconds,
             100 * point.roofline_fraction, 100 * point.linears_fraction);
  for (const Column& column : columns()) {
    double share = 0;
    for (const PassPart part : column.parts) share += point.shares[static_cast<std::size_t>(part)];
    line += format("%*.0f", width_of(column), 100 * share);
  }
  return line + "\n";
}

std::string introduction(const CostTitle& title, const CostReport& report) {
  std::string text = format("model     %s\n", title.model.c_str());
  text += format("machine   %s, %s, %d thread%s\n", title.machine.c_str(),
                 title.instructions.c_str(), title.threads, title.threads == 1 ? "" : "s");
  if (title.on_gpu) {
    text +=
        format("peak      %.0f GB/s by a copy in its memory; %.0f GMAC/s by matrix instructions\n",
               report.peak.bandwidth_gbps, report.peak.bf16_gmacs);
  } else {
    text += format("peak      %.1f GB/s read from memory; GMAC/s: %.0f int8",
                   report.peak.bandwidth_gbps, report.mixed_gmacs());
    if (report.peak.bf16_gmacs > 0) text += format(", %.0f bf16", report.peak.bf16_gmacs);
    text += format(", %.0f f32\n", report.peak.f32_gmacs);
  }
  if (!report.points.empty()) {
    const CostPoint& first = report.points.front();
    text += format(
        "work      a pass reads %.2f GB; a row multiplies and adds %.2f G times\n",
        first.work.bytes / 1e9,
        (over_all_widths(first.work.integer_macs) + first.work.float_macs) / first.rows / 1e9);
  }
  return text;
}

std::string title_of_context(int context, const CostReport& report) {
  std::string text = format("\ncontext %d", context);
  for (const CostLine& line : report.lines) {
    if (line.context != context) continue;
    text += format(": one row %.1f ms, each further row %.2f ms, bound B = %.1f",
                   1e3 * line.one_row, 1e3 * line.further_row, line.bound());
  }
  return text + "\n";
}

}  // namespace

std::string cost_table(const CostTitle& title, const CostReport& report) {
  std::string text = introduction(title, report);
  int context = -1;
  for (const CostPoint& point : report.points) {
    if (point.context != context) {
      context = point.context;
      text += title_of_context(context, report) + heading();
    }
    text += row_of(point);
  }
  text +=
      "\nratio is to one row on the same context; roofline is the least possible time, by what a\n"
      "pass reads and multiplies, as a share of the time it took; int8 is what the linears reach "
      "of\n"
      "that peak, which is of this model's mix of 4- to 8-bit weights; the columns after it "
      "divide\n"
      "the time, in percent. B bounds how many times faster than plain decoding copying can be.\n";
  if (!report.quiet()) {
    text +=
        "~ the machine was never quiet while this was timed (its own peak was out of reach): the\n"
        "least of all timings stands here, and it is too high.\n";
  }
  return text;
}

}  // namespace redraft
