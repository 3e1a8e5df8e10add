#include "workspace/engine/check_text.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace redraft {
namespace {

constexpr std::string_view kCode =
    R"code("""Watering plan of an allotment garden: which bed gets how much water, and when."""

import datetime
from dataclasses import dataclass, field


@dataclass
class Bed:
    name: str
    square_metres: float
    crop: str
    last_watered: datetime.date = None
    notes: list = field(default_factory=list)

    def days_since_watered(self, today):
        if self.last_watered is None:
            return None
        return (today - self.last_watered).days


class WateringPlan:
    """Knows all beds and the litres in the rain barrel."""

    def __init__(self, barrel_litres):
        self.barrel_litres = barrel_litres
        self.beds = {}

    def add_bed(self, bed):
        if bed.name in self.beds:
            raise ValueError(f"there is already a bed called {bed.name}")
        self.beds[bed.name] = bed

    def remove_bed(self, name):
        if name not in self.beds:
            raise KeyError(f"there is no bed called {name}")
        del self.beds[name]

    def litres_needed(self, bed, temperature):
        litres_per_metre = THIRST.get(bed.crop, 4.0)
        if temperature > 28:
            litres_per_metre *= 1.5
        elif temperature < 12:
            litres_per_metre *= 0.5
        return bed.square_metres * litres_per_metre

    def dry_beds(self, today):
        dry = []
        for bed in self.beds.values():
            days = bed.days_since_watered(today)
            if days is None or days >= 2:
                dry.append(bed)
        return sorted(dry, key=lambda bed: bed.name)

    def water(self, today, temperature):
        """Waters the dry beds until the barrel is empty. Returns the names of those that got water."""
        watered = []
        for bed in self.dry_beds(today):
            litres = self.litres_needed(bed, temperature)
            if litres > self.barrel_litres:
                bed.notes.append(f"{today}: not enough water, {litres:.1f} litres needed")
                continue
            self.barrel_litres -= litres
            bed.last_watered = today
            watered.append(bed.name)
        return watered


THIRST = {"tomatoes": 6.0, "beans": 3.5, "lettuce": 5.0, "onions": 2.0}


def main():
    plan = WateringPlan(barrel_litres=120)
    plan.add_bed(Bed("south", 6.0, "tomatoes"))
    plan.add_bed(Bed("north", 4.5, "lettuce"))
    plan.add_bed(Bed("fence", 8.0, "beans"))
    today = datetime.date(2026, 7, 14)
    for name in plan.water(today, temperature=30):
        print(f"watered {name}")
    print(f"{plan.barrel_litres:.1f} litres are left in the barrel")


if __name__ == "__main__":
    main()
)code";

// Every byte once: some of them are not UTF-8.
std::string all_bytes() {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  return bytes;
}

std::vector<std::string> make_round_trip_texts() {
  return {std::string(kCode),
          "if (a != b && c <= d) { x += \"\\n\"; }\t// tab\r\nwindows\r\n\r\n",
          "   \n\t\t \n\n\n    four\n     five\n ",
          " leading and trailing ",
          "0123456789 3.14159 1e-9 0xFF 12345678901234567890 007",
          "it's we'll they'RE I'D don't",
          "Gr\u00FC\u00DFe \u00E9 e\u0301 \u00C5 A\u030A \u0130 \u01C5",  // also not composed
          "\u4F60\u597D\u4E16\u754C \u3053\u3093\u306B\u3061\u306F \uC548\uB155",
          "\u041F\u0440\u0438\u0432\u0435\u0442 \u0645\u0631\u062D\u0628\u0627 \u0928\u092E\u0938",
          "\U0001F469\u200D\U0001F4BB \U0001F1EB\U0001F1F7 \u2665\uFE0F \U0001D400",
          "\u00A0\u2003\u3000\u2028\u200B\uFEFF",
          "<|im_start|>system\n<|endoftext|></s><s>[INST]<think></think><|fim_prefix|>",
          "\xC3\x28 \xE2\x82 \xF0\x9F \xFF\xFE",
          all_bytes()};
}

// The high bits of a linear congruential generator: the same on every machine.
class Random {
 public:
  // Below `count`, which is small.
  std::size_t below(std::size_t count) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::size_t>((state_ >> 33) % count);
  }

 private:
  std::uint64_t state_ = 1;
};

}  // namespace

std::string_view check_code() { return kCode; }

std::string with_shuffled_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::size_t size = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  Random random;
  for (std::size_t i = lines.size(); i > 1; --i) std::swap(lines[i - 1], lines[random.below(i)]);
  std::string shuffled;
  for (const std::string_view line : lines) shuffled += line;
  return shuffled;
}

const std::vector<std::string>& round_trip_texts() {
  static const std::vector<std::string> texts = make_round_trip_texts();
  return texts;
}

}  // namespace redraft
