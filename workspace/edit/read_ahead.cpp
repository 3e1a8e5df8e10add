#include "workspace/edit/read_ahead.h"

#include <utility>

#include "support/trace/trace.h"
#include "workspace/edit/edit_decision.h"
#include "workspace/edit/edit_plan.h"

namespace redraft {
namespace {

constexpr const char* kFailed = "reading ahead failed";

}  // namespace

void ReadAhead::announce(EditRequest request, Observer observer) {
  stop();
  reading_ = ++last_id_;
  request_ = std::move(request);
  observer_ = std::move(observer);
  // This is urgent and only parses: the user wants to see the lines, even while an edit runs.
  job_ = host_.queue().add(
      [this, call = call_, host = &host_, id = reading_,
       request = request_](const DecodeQueue::Control&) {
        const auto region = run_on_engine(*host, kFailed, [&](Engine& engine) -> Result<ByteRange> {
          const Result<EditRegion> found =
              requested_region(request, edit_region_bytes(engine.prompt_size(request.prompt_size)));
          if (!found) return found.error();
          return found->range();
        });
        call([this, id, region] { receive_region(id, region); });
      },
      Urgency::kCompletion, {},
      [this, call = call_, id = reading_](const Error& error) {
        call([this, id, error = error.in(kFailed)] { receive_region(id, error); });
      });
}

void ReadAhead::receive_region(std::int64_t id, const Result<ByteRange>& region) {
  if (id != reading_) return;
  if (!region) return end(region.error().message());
  if (observer_.on_region) observer_.on_region(*region);
  if (id != reading_) return;
  if (observer_.reads) return read(id);
  end("");
}

void ReadAhead::read(std::int64_t id) {
  job_ = host_.queue().add(
      [this, call = call_, host = &host_, on_read_ahead = on_read_ahead_, id,
       request = request_](const DecodeQueue::Control& control) {
        const Span span("read ahead", "id", id);
        const auto on_read = [&](double fraction) {
          call([this, id, fraction] { receive_fraction(id, fraction); });
          if (!control.stop.stop_requested()) control.give_way();
        };
        const Result<void> read = run_on_engine(*host, kFailed, [&](Engine& engine) {
          Result<void> done = read_edit_ahead(engine, request, on_read, control.stop);
          post_read_ahead_work(engine, call, on_read_ahead);
          return done;
        });
        // The edit reads the rest.
        call([this, id, why = read ? std::string() : read.error().message()] {
          if (id == reading_) end(why);
        });
      },
      Urgency::kWarmUp, {},
      [this, call = call_, id](const Error& error) {
        call([this, id, why = error.in(kFailed).message()] {
          if (id == reading_) end(why);
        });
      });
}

void ReadAhead::receive_fraction(std::int64_t id, double fraction) {
  if (id == reading_ && observer_.on_read) observer_.on_read(fraction);
}

void ReadAhead::end(const std::string& why) {
  reading_ = 0;
  if (const auto on_end = std::exchange(observer_.on_end, {})) on_end(why);
}

void ReadAhead::stop() {
  if (reading_ == 0) return;
  host_.queue().cancel(job_);
  end("another request came before it");
}

void ReadAhead::forget(const std::string& uri) {
  if (reading_ != 0 && request_.document->uri() == uri) stop();
}

}  // namespace redraft
