#include "decoding/kernels/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace redraft {
namespace {

// Between two operators of a layer the caller is busy for a few microseconds: a worker that slept
// there would cost a wake-up of tens of microseconds per operator.
constexpr std::chrono::microseconds kSpin{60};
constexpr int kChunksPerThread =
    8;  // so that a thread that lost the CPU for a while holds up little
constexpr std::size_t kCacheLine = 64;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// The pool whose body this thread is in: calls from there run in place.
thread_local const void* inside = nullptr;

}  // namespace

// The claim word holds a job's number above and its unclaimed chunks below. A chunk is claimed by
// compare-and-swap, so a claim succeeds only in the job whose number was read, and never in a job
// that is over (nothing is left there). That lets the caller return as soon as all chunks are done:
// a thread that overslept a job need not be waited for.
//
// What all threads write, what they write at another time, and what they only read lie in different
// cache lines.
struct ThreadPool::State {
  explicit State(int n) : threads(n) {
    for (int i = 1; i < n; ++i) workers.emplace_back([this] { work(); });
  }
  ~State() {
    {
      const std::lock_guard lock(mutex);
      stop.store(true);
    }
    wake.notify_all();
    for (std::thread& worker : workers) worker.join();
  }

  bool has_chunks() const { return static_cast<std::uint32_t>(claim.load()) != 0; }

  // Runs chunks until none is left.
  void run_chunks() {
    const void* const outer = std::exchange(inside, this);
    std::uint64_t word = claim.load();
    while (static_cast<std::uint32_t>(word) != 0) {
      const std::function<void(int, int)>* job = body.load(std::memory_order_relaxed);
      const int end = count.load(std::memory_order_relaxed);
      const int size = chunk.load(std::memory_order_relaxed);
      const int all = chunks.load(std::memory_order_relaxed);
      if (!claim.compare_exchange_weak(word, word - 1)) continue;
      const int begin = (all - static_cast<int>(static_cast<std::uint32_t>(word))) * size;
      try {
        (*job)(begin, std::min(end, begin + size));
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!error) error = std::current_exception();
      }
      done.fetch_add(1, std::memory_order_release);
      word = claim.load();
    }
    inside = outer;
  }

  void work() {
    while (!stop.load()) {
      run_chunks();
      const auto until = std::chrono::steady_clock::now() + kSpin;
      bool found = false;
      while (!found && std::chrono::steady_clock::now() < until) {
        for (int i = 0; i < 32 && !found; ++i) {
          relax();
          found = has_chunks() || stop.load();
        }
      }
      if (!found) sleep();
    }
  }

  void sleep() {
    std::unique_lock lock(mutex);
    sleepers.fetch_add(1);
    wake.wait(lock, [this] { return has_chunks() || stop.load(); });
    sleepers.fetch_sub(1);
  }

  // Makes the job known. Its fields are written before the claim word that guards them.
  void publish(const std::function<void(int, int)>& job, int job_count, int size, int job_chunks) {
    body.store(&job, std::memory_order_relaxed);
    count.store(job_count, std::memory_order_relaxed);
    chunk.store(size, std::memory_order_relaxed);
    chunks.store(job_chunks, std::memory_order_relaxed);
    done.store(0, std::memory_order_relaxed);
    const std::uint64_t number = (claim.load() >> 32) + 1;
    claim.store(number << 32 | static_cast<std::uint32_t>(job_chunks));
    if (sleepers.load() > 0) {
      const std::lock_guard lock(mutex);
      wake.notify_all();
    }
  }

  alignas(kCacheLine) std::atomic<std::uint64_t> claim{0};
  alignas(kCacheLine) std::atomic<int> done{0};
  alignas(kCacheLine) std::atomic<const std::function<void(int, int)>*> body{nullptr};
  std::atomic<int> count{0}, chunk{0}, chunks{0};
  alignas(kCacheLine) std::atomic<int> sleepers{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;  // guards sleeping and `error`
  std::condition_variable wake;
  std::exception_ptr error;  // the first of the job
  std::mutex turn;           // held by the caller whose job it is
  const int threads;
  std::vector<std::thread> workers;  // last: they use all of the above
};

ThreadPool::ThreadPool(int threads) : state_(std::make_unique<State>(std::max(1, threads))) {}
ThreadPool::~ThreadPool() = default;

int ThreadPool::threads() const { return state_->threads; }

void ThreadPool::parallel_for(int count, int grain,
                              const std::function<void(int begin, int end)>& body) {
  if (count <= 0) return;
  State& state = *state_;
  grain = std::max(1, grain);
  const int grains = (count - 1) / grain + 1;
  if (state.threads == 1 || grains == 1 || inside == &state) return body(0, count);
  const int grains_per_chunk = (grains - 1) / (state.threads * kChunksPerThread) + 1;
  const int size = grains_per_chunk * grain;
  const int chunks = (count - 1) / size + 1;
  const std::lock_guard turn(state.turn);
  state.publish(body, count, size, chunks);
  state.run_chunks();
  // The last chunks are with other threads; one that lost its core may keep its chunk for long.
  for (int spins = 0; state.done.load(std::memory_order_acquire) != chunks; ++spins) {
    spins < 10000 ? relax() : std::this_thread::yield();
  }
  // Written before the last chunk was counted as done.
  if (state.error) std::rethrow_exception(std::exchange(state.error, nullptr));
}

}  // namespace redraft
