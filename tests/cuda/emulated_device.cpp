#include "tests/cuda/emulated_device.h"

#include <setjmp.h>
#include <ucontext.h>

#include <array>
#include <bit>
#include <cmath>
#include <deque>
#include <exception>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "decoding/kernels/half.h"

namespace redraft::cuda {
namespace emulator {
namespace {

constexpr std::size_t kStackBytes = 128 * 1024;
constexpr unsigned kLanes = 32;

// Where threads wait for each other. A barrier opens when its last thread has arrived.
struct Meeting {
  unsigned arrived = 0;
  std::uint64_t held = 0;  // barriers passed so far
};

// A thread of the device. Created as a ucontext, then switched by _longjmp, which leaves the signal
// mask alone and so needs no system call.
struct Fiber {
  Fiber() = default;
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  ucontext_t context;
  jmp_buf place_in_code;
  bool begun = false;
  std::unique_ptr<std::uint8_t[]> stack = std::make_unique<std::uint8_t[]>(kStackBytes);
  dim3 place;
  bool done = false;
};

// The data of one barrier are read while those of the next one arrive.
struct Warp {
  Meeting meeting;
  std::array<std::vector<std::uint8_t>, 2> pieces;
};

class Block {
 public:
  void run(dim3 size, std::size_t shared_bytes, const std::function<void()>& thread) {
    const unsigned count = size.x * size.y * size.z;
    thread_ = &thread;
    shared_.assign(shared_bytes + 16, 0xff);  // NaN for a thread that reads before writing
    warps_.assign((count + kLanes - 1) / kLanes, {});
    block_meeting_ = {};
    threads_ = count;
    if (fibers_.size() < count) fibers_.resize(count);
    for (unsigned i = 0; i < count; ++i) begin(i, size);
    std::uint64_t before = ~progress_;
    for (unsigned running = count; running > 0;) {
      if (before == progress_)
        throw std::logic_error("threads of a block wait for some that do not come");
      before = progress_;
      for (current_ = 0; current_ < count; ++current_) {
        Fiber& fiber = fibers_[current_];
        if (fiber.done) continue;
        threadIdx = fiber.place;
        resume(fiber);
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
        if (fiber.done) --running;
      }
    }
  }

  std::uint8_t* shared() {
    const auto address = reinterpret_cast<std::uintptr_t>(shared_.data());
    return shared_.data() + (16 - address % 16) % 16;
  }

  void meet_block() {
    meet(block_meeting_, threads_, [] {});
  }

  void meet_warp(void* piece, std::size_t bytes, const std::function<void(std::uint8_t*)>& all) {
    Warp& warp = warps_[current_ / kLanes];
    const unsigned lane = current_ % kLanes;
    std::vector<std::uint8_t>& pieces = warp.pieces[warp.meeting.held % 2];
    if (pieces.size() < kLanes * bytes) pieces.resize(kLanes * bytes);
    std::memcpy(pieces.data() + lane * bytes, piece, bytes);
    meet(warp.meeting, kLanes, [&] { all(pieces.data()); });
    std::memcpy(piece, pieces.data() + lane * bytes, bytes);
  }

 private:
  static void enter(unsigned high, unsigned low) {
    auto* self = reinterpret_cast<Block*>(static_cast<std::uintptr_t>(high) << 32 | low);
    Fiber& own = self->fibers_[self->current_];
    try {
      (*self->thread_)();
    } catch (...) {
      self->failure_ = std::current_exception();
    }
    own.done = true;
    ++self->progress_;
    _longjmp(self->scheduler_, 1);
  }

  void resume(Fiber& fiber) {
    if (_setjmp(scheduler_) != 0) return;
    if (std::exchange(fiber.begun, true)) _longjmp(fiber.place_in_code, 1);
    setcontext(&fiber.context);
  }
  // From within a fiber: lets others run until it is this one's turn again.
  void yield(Fiber& fiber) {
    if (_setjmp(fiber.place_in_code) == 0) _longjmp(scheduler_, 1);
  }

  void begin(unsigned i, dim3 size) {
    Fiber& fiber = fibers_[i];
    fiber.done = fiber.begun = false;
    fiber.place = {i % size.x, i / size.x % size.y, i / size.x / size.y};
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = kStackBytes;
    fiber.context.uc_link = nullptr;
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&fiber.context, reinterpret_cast<void (*)()>(&Block::enter), 2,
                static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
  }

  template <typename Last>
  void meet(Meeting& meeting, unsigned expected, const Last& last) {
    const std::uint64_t own = meeting.held;
    if (++meeting.arrived == expected) {
      last();
      meeting.arrived = 0;
      ++meeting.held;
      ++progress_;
      return;
    }
    ++progress_;
    Fiber& self = fibers_[current_];
    while (meeting.held == own) yield(self);
  }

  const std::function<void()>* thread_ = nullptr;
  std::deque<Fiber> fibers_;
  std::vector<Warp> warps_;
  Meeting block_meeting_;
  std::vector<std::uint8_t> shared_;
  unsigned threads_ = 0;
  unsigned current_ = 0;
  std::uint64_t progress_ = 0;
  jmp_buf scheduler_;
  std::exception_ptr failure_;
};

Block& the_block() {
  static Block block;
  return block;
}

float of_format(std::uint32_t bits, bool bfloat) {
  const auto low = static_cast<std::uint16_t>(bits);
  return bfloat ? kernels::bfloat16_to_float(low) : kernels::half_to_float(low);
}

struct Fragments {
  float acc[4];
  std::uint32_t a[4];
  std::uint32_t b[2];
};

// Sums in double precision and rounds once: more exact than a device, and equally independent of
// which rows and columns are computed together.
void multiply(float (&acc)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1,
              bool bfloat) {
  Fragments own{{acc[0], acc[1], acc[2], acc[3]}, {a[0], a[1], a[2], a[3]}, {b0, b1}};
  meet_warp(&own, sizeof own, [bfloat, flaw = device().flaw](std::uint8_t* pieces) {
    auto* lanes = reinterpret_cast<Fragments*>(pieces);
    float left[16][16], right[16][8];
    for (int lane = 0; lane < 32; ++lane) {
      const int g = lane / 4, t = lane % 4;
      for (int part = 0; part < 4; ++part) {
        for (int i = 0; i < 2; ++i) {
          const float value = of_format(lanes[lane].a[part] >> (16 * i), bfloat);
          left[g + 8 * (part % 2)][2 * t + i + 8 * (part / 2)] = value;
        }
      }
      for (int part = 0; part < 2; ++part) {
        for (int i = 0; i < 2; ++i)
          right[2 * t + i + 8 * part][g] = of_format(lanes[lane].b[part] >> (16 * i), bfloat);
      }
    }
    for (int lane = 0; lane < 32; ++lane) {
      for (int i = 0; i < 4; ++i) {
        const int row = lane / 4 + 8 * (i / 2), column = 2 * (lane % 4) + i % 2;
        double sum = lanes[lane].acc[i];
        for (int k = 0; k < 16; ++k) sum += static_cast<double>(left[row][k]) * right[k][column];
        if (flaw == Flaw::kProducts) sum *= 1.01;
        lanes[lane].acc[i] = static_cast<float>(sum);
        if (flaw == Flaw::kNeighbours && column == 0 && right[0][1] != 0)
          lanes[lane].acc[i] = std::nextafterf(lanes[lane].acc[i], INFINITY);
      }
    }
  });
  for (int i = 0; i < 4; ++i) acc[i] = own.acc[i];
}

// What a device rounds once must not be rounded to single precision first.
std::uint16_t round_to_half(double value) {
  const auto near = static_cast<float>(value);
  const double error = value - static_cast<double>(near);
  if (error == 0 || !std::isfinite(near)) return kernels::float_to_half(near);
  // Only a float on the border between two halves can be rounded wrongly.
  const float nudged = std::nextafterf(near, error > 0 ? INFINITY : -INFINITY);
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(near);
  return kernels::float_to_half((bits & 0xfff) == 0 ? nudged : near);
}

std::uint32_t pair(std::uint16_t low, std::uint16_t high) {
  return low | static_cast<std::uint32_t>(high) << 16;
}

}  // namespace

void run(dim3 grid, dim3 block, std::size_t shared_bytes, const std::function<void()>& thread) {
  const MemoryAccess access;
  gridDim = grid;
  blockDim = block;
  for (unsigned z = 0; z < grid.z; ++z) {
    for (unsigned y = 0; y < grid.y; ++y) {
      for (unsigned x = 0; x < grid.x; ++x) {
        blockIdx = {x, y, z};
        the_block().run(block, shared_bytes, thread);
      }
    }
  }
}

namespace {
std::vector<std::function<void()>>* the_recording = nullptr;
}  // namespace

void submit(const std::function<void()>& work) {
  if (the_recording) {
    the_recording->push_back(work);
  } else {
    work();
  }
}
void record_to(std::vector<std::function<void()>>* recording) { the_recording = recording; }
bool is_recording() { return the_recording != nullptr; }

std::uint8_t* shared_memory() { return the_block().shared(); }
void meet_block() { the_block().meet_block(); }
void meet_warp(void* piece, std::size_t bytes, const std::function<void(std::uint8_t*)>& all) {
  the_block().meet_warp(piece, bytes, all);
}

}  // namespace emulator

void multiply_halves(float (&acc)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                     std::uint32_t b1) {
  emulator::multiply(acc, a, b0, b1, false);
}
void multiply_bfloats(float (&acc)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                      std::uint32_t b1) {
  emulator::multiply(acc, a, b0, b1, true);
}

std::uint32_t to_halves(float low, float high) {
  return emulator::pair(kernels::float_to_half(low), kernels::float_to_half(high));
}
std::uint32_t to_bfloats(float low, float high) {
  const auto round = [](float value) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value)) return static_cast<std::uint16_t>(0x7fff);
    return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  };
  return emulator::pair(round(low), round(high));
}
float low_half(std::uint32_t halves) {
  return kernels::half_to_float(static_cast<std::uint16_t>(halves));
}
float low_bfloat(std::uint32_t bfloats) { return std::bit_cast<float>(bfloats << 16); }
float high_half(std::uint32_t halves) { return low_half(halves >> 16); }
std::uint32_t add_halves(std::uint32_t a, std::uint32_t b) {
  return to_halves(low_half(a) + low_half(b), high_half(a) + high_half(b));
}
std::uint32_t fma_halves(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  // The product of two halves is exact in double precision; the sum nearly always is.
  const auto fma = [](float x, float y, float z) {
    return emulator::round_to_half(static_cast<double>(x) * y + z);
  };
  return emulator::pair(fma(low_half(a), low_half(b), low_half(c)),
                        fma(high_half(a), high_half(b), high_half(c)));
}
std::uint32_t pick_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  const std::uint64_t all = a | static_cast<std::uint64_t>(b) << 32;
  std::uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned from = selector >> (4 * i) & 7;
    result |= static_cast<std::uint32_t>(all >> (8 * from) & 0xff) << (8 * i);
  }
  return result;
}

}  // namespace redraft::cuda
