#include "decoding/kernels/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "decoding/kernels/work_shares.h"
#include "support/named_thread.h"

namespace redraft {
namespace {

// Between two operators of a layer the caller is busy for a few microseconds. If a worker slept in
// that time, waking it would cost tens of microseconds per operator.
constexpr std::chrono::microseconds kSpin{60};
// One of this many jobs is timed, to learn how fast the threads are: reading what all of them did
// takes about as long as publishing a job. A shorter job is not informative.
constexpr std::uint32_t kTimedJobs = 8;
constexpr double kMinTimed = 20e-6;
// A share has at most this many chunks, so that chunk numbers fit in 16 bits for 1024 threads.
constexpr int kChunksPerShare = 60;
constexpr std::size_t kCacheLine = 64;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// The pool whose body this thread is running. Calls from there run in place.
thread_local const void* inside = nullptr;

}  // namespace

// The unclaimed chunks of a share, [front, back), and the job that they belong to.
struct Share {
  std::uint32_t job = 0;
  std::uint16_t front = 0;
  std::uint16_t back = 0;

  int left() const { return back - front; }
};
static_assert(std::atomic<Share>::is_always_lock_free);

// Every thread owns a share of neighbouring chunks and claims them front to back: it reads one
// stream, which the processor prefetches as such. A thread whose share is done claims chunks from
// the backs of the other shares, unless it is slower than the rest (work_shares.cpp). Each claim
// takes a fraction of what is left, smaller and smaller, so that all threads finish together even
// if one of them lost the CPU for a while.
//
// A chunk is claimed by compare-and-swap on the share, so a claim succeeds only in the job whose
// number was read, and never in a job that is over (nothing is left there). So the caller can
// return as soon as all chunks are done: it need not wait for a thread that slept through a job.
//
// Memory order. A job's fields are written before its shares (release) and read after one of them
// (acquire). A thread may read fields of the next job, but then its claim fails: while a share has
// something to claim, its job is not over, and the next one is not published. The writes of the
// bodies reach the caller through `done` (release, acquire). A worker that goes to sleep writes
// `sleepers` and then reads `published`; the caller does the reverse. Both are sequentially
// consistent, so one of them sees the other.
//
// Data that all threads write, that they write at another time, and that they only read are in
// different cache lines.
struct ThreadPool::State {
  explicit State(int n)
      : threads(n),
        shares(static_cast<std::size_t>(n)),
        speeds(n),
        bounds(static_cast<std::size_t>(n) + 1),
        work_done(static_cast<std::size_t>(n)) {
    try {
      for (int i = 1; i < n; ++i)
        workers.push_back(start_thread(ThreadName("redraft-pool", i), [this, i] { work(i); }));
    } catch (const std::system_error& refused) {
      end_workers();
      throw std::runtime_error("cannot start " + std::to_string(n) + " compute threads: " +
                               refused.code().message() + ". Use fewer with --threads");
    }
  }
  ~State() { end_workers(); }

  void end_workers() {
    {
      const std::lock_guard lock(mutex);
      stop.store(true);
    }
    wake.notify_all();
    for (std::jthread& worker : workers) worker.join();
  }

  // Runs chunks until none is left, starting with the thread's own share.
  void run_chunks(int own) {
    const void* const outer = std::exchange(inside, this);
    Slot& slot = shares[static_cast<std::size_t>(own)];
    const bool is_timed = timed.load(std::memory_order_relaxed);
    const Clock::time_point began = is_timed ? Clock::now() : Clock::time_point();
    int finished = 0;
    while (run_claim(own, /*steal=*/false, finished)) {
    }
    const bool helps = slot.helps.load(std::memory_order_relaxed);
    for (int i = 1; helps && i < threads; ++i) {
      while (run_claim((own + i) % threads, /*steal=*/true, finished)) {
      }
    }
    inside = outer;
    if (is_timed && finished > 0) {
      slot.chunks.store(finished, std::memory_order_relaxed);
      slot.seconds.store(std::chrono::duration<double>(Clock::now() - began).count(),
                         std::memory_order_relaxed);
    }
    // The job cannot be over before this, so everything claimed above belonged to one job.
    if (finished > 0) done.fetch_add(finished, std::memory_order_release);
  }

  // Claims and runs part of a share: a quarter of what is left, or half of another thread's share.
  // False if nothing was left. Adds the number of chunks to `finished`.
  bool run_claim(int share_of, bool steal, int& finished) {
    std::atomic<Share>& share = shares[static_cast<std::size_t>(share_of)].unclaimed;
    Share seen = share.load();
    while (seen.left() > 0) {
      const std::function<void(int, int)>* job = body.load(std::memory_order_relaxed);
      const int end = count.load(std::memory_order_relaxed);
      const int size = chunk.load(std::memory_order_relaxed);
      const int claimed = steal ? stolen_claim(seen.left()) : own_claim(seen.left());
      Share rest = seen;
      if (steal) {
        rest.back = static_cast<std::uint16_t>(seen.back - claimed);
      } else {
        rest.front = static_cast<std::uint16_t>(seen.front + claimed);
      }
      if (!share.compare_exchange_weak(seen, rest)) continue;
      const int first = steal ? rest.back : seen.front;
      const auto stop_at = std::min<std::int64_t>(end, std::int64_t{size} * (first + claimed));
      try {
        (*job)(first * size, static_cast<int>(stop_at));
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!error) error = std::current_exception();
      }
      finished += claimed;
      return true;
    }
    return false;
  }

  void work(int own) {
    std::uint32_t seen = 0;
    const auto has_news = [&] { return published.load() != seen || stop.load(); };
    while (!stop.load()) {
      seen = published.load();
      run_chunks(own);
      const auto until = std::chrono::steady_clock::now() + kSpin;
      bool found = false;
      while (!found && std::chrono::steady_clock::now() < until) {
        for (int i = 0; i < 32 && !found; ++i) {
          relax();
          found = has_news();
        }
      }
      if (found) continue;
      std::unique_lock lock(mutex);
      sleepers.fetch_add(1);
      wake.wait(lock, has_news);
      sleepers.fetch_sub(1);
    }
  }

  // Publishes the job. Writes its fields before the shares that guard them.
  void publish(const std::function<void(int, int)>& job, int job_count, int size, int chunks) {
    body.store(&job, std::memory_order_relaxed);
    count.store(job_count, std::memory_order_relaxed);
    chunk.store(size, std::memory_order_relaxed);
    done.store(0, std::memory_order_relaxed);
    const std::uint32_t number = published.load() + 1;
    timed.store(number % kTimedJobs == 0, std::memory_order_relaxed);
    divide_chunks(chunks, speeds.speeds(), bounds);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      Slot& slot = shares[i];
      slot.helps.store(helps_others(speeds.speeds()[i]), std::memory_order_relaxed);
      slot.chunks.store(0, std::memory_order_relaxed);
      slot.unclaimed.store({number, static_cast<std::uint16_t>(bounds[i]),
                            static_cast<std::uint16_t>(bounds[i + 1])});
    }
    published.store(number);
    if (sleepers.load() > 0) {
      const std::lock_guard lock(mutex);
      wake.notify_all();
    }
  }

  // Learns from a finished job how fast the threads are.
  void learn() {
    if (!timed.load(std::memory_order_relaxed)) return;
    double longest = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      work_done[i] = {shares[i].chunks.load(std::memory_order_relaxed),
                      shares[i].seconds.load(std::memory_order_relaxed)};
      if (work_done[i].chunks > 0) longest = std::max(longest, work_done[i].seconds);
    }
    if (longest >= kMinTimed) speeds.learn(work_done);
  }

  using Clock = std::chrono::steady_clock;
  struct alignas(kCacheLine) Slot {
    std::atomic<Share> unclaimed{};
    std::atomic<bool> helps{true};
    // For the thread that owns the share, in a timed job:
    std::atomic<int> chunks{0};
    std::atomic<double> seconds{0};
  };

  const int threads;
  std::vector<Slot> shares;                      // one for each thread; the caller's is the first
  alignas(kCacheLine) std::atomic<int> done{0};  // chunks
  alignas(kCacheLine) std::atomic<const std::function<void(int, int)>*> body{nullptr};
  std::atomic<int> count{0}, chunk{0};
  std::atomic<bool> timed{false};
  std::atomic<std::uint32_t> published{0};  // number of the last job
  alignas(kCacheLine) std::atomic<int> sleepers{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;  // guards sleeping and `error`
  std::condition_variable wake;
  std::exception_ptr error;  // the first of the job
  std::mutex turn;           // held by the caller whose job is running; guards the next three
  ThreadSpeeds speeds;
  std::vector<int> bounds;
  std::vector<ThreadSpeeds::Work> work_done;
  std::vector<std::jthread> workers;  // last: they use everything above
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
  const int grains_per_chunk = (grains - 1) / (state.threads * kChunksPerShare) + 1;
  const int size = grains_per_chunk * grain;
  const int chunks = (count - 1) / size + 1;
  const std::lock_guard turn(state.turn);
  state.publish(body, count, size, chunks);
  state.run_chunks(0);
  // Other threads run the last chunks. A thread that lost its core may keep its chunk for long.
  for (int spins = 0; state.done.load(std::memory_order_acquire) != chunks; ++spins) {
    spins < 10000 ? relax() : std::this_thread::yield();
  }
  state.learn();
  // Written before the last chunk was counted as done.
  if (state.error) std::rethrow_exception(std::exchange(state.error, nullptr));
}

}  // namespace redraft
