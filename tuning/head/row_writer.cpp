#include "tuning/head/row_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstring>
#include <utility>

#include "support/files/private_folder.h"
#include "support/files/whole_file.h"
#include "support/seconds_since.h"

namespace redraft {
namespace {

constexpr std::size_t kShardBytes = std::size_t{256} << 20;  // of features, about
constexpr double kSaveSeconds = 10;

Error problem(const std::filesystem::path& file) {
  return Error(file.string() + ": " + std::strerror(errno));
}

Result<void> append(const FileHandle& handle, std::span<const std::byte> bytes,
                    const std::filesystem::path& file) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(handle.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return problem(file);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

// Opens a shard's file and keeps its header and its first `rows` rows; drops the rest.
Result<FileHandle> open_part(const std::filesystem::path& file, const RecordedShape& shape,
                             ShardPart part, std::size_t rows) {
  FileHandle handle(::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND, 0600));
  if (!handle) return problem(file);
  const off_t had = ::lseek(handle.get(), 0, SEEK_END);
  const std::size_t kept = rows == 0 ? 0 : kShardHeaderBytes + rows * row_bytes(shape, part);
  if (had < static_cast<off_t>(kept))
    return Error(file.string() + ": is shorter than " + RecordedManifest::kName + " says");
  if (::ftruncate(handle.get(), static_cast<off_t>(kept)) != 0) return problem(file);
  if (rows > 0) return handle;
  if (Result<void> written = append(handle, shard_header(shape, part), file); !written)
    return written.error();
  return handle;
}

Result<RecordedManifest> manifest_in(const std::filesystem::path& folder, RecordedShape shape,
                                     std::string settings) {
  std::error_code ignored;
  if (!std::filesystem::exists(folder / RecordedManifest::kName, ignored))
    return RecordedManifest{std::move(shape), std::move(settings), {}};
  const Result<JsonDocument> document = JsonDocument::open(folder / RecordedManifest::kName);
  if (!document) return document.error();
  Result<RecordedManifest> manifest = RecordedManifest::read(*document);
  if (!manifest) return manifest.error();
  if (manifest->shape != shape)
    return Error(folder.string() +
                 ": has rows of another model, of other layers or of another "
                 "number of tokens; choose another --out");
  if (manifest->settings != settings)
    return Error(folder.string() + ": was begun with other options (" + manifest->settings +
                 "), not with " + settings + "; choose another --out");
  return manifest;
}

}  // namespace

Result<RowWriter> RowWriter::open(const std::filesystem::path& folder, RecordedShape shape,
                                  std::string settings) {
  if (Result<void> made = make_folders(folder); !made) return made.error();
  Result<std::optional<LockFile>> lock = LockFile::take(folder / ".lock");
  if (!lock) return lock.error();
  if (!*lock) return Error(folder.string() + ": another recording is writing to this folder");
  Result<RecordedManifest> manifest = manifest_in(folder, std::move(shape), std::move(settings));
  if (!manifest) return manifest.error();
  RowWriter writer(folder, std::move(*manifest), std::move(**lock));
  if (writer.progress().shards.empty()) writer.manifest_.progress.shards.push_back(0);
  if (Result<void> opened = writer.open_shard(); !opened) return opened.error();
  return writer;
}

Result<void> RowWriter::open_shard() {
  const std::size_t shard = progress().shards.size() - 1;
  const auto rows = static_cast<std::size_t>(progress().shards.back());
  for (const ShardPart part : {ShardPart::kFeatures, ShardPart::kLabels}) {
    Result<FileHandle> handle =
        open_part(shard_file(folder_, shard, part), manifest_.shape, part, rows);
    if (!handle) return handle.error();
    (part == ShardPart::kFeatures ? features_ : labels_) = std::move(*handle);
  }
  return {};
}

Result<void> RowWriter::add(std::span<const TokenId> tokens, const TextRows& rows) {
  const RecordedShape& shape = manifest_.shape;
  RecordedProgress& to = manifest_.progress;
  assert(rows.features.size() == rows.labels.size() * shape.feature_count());
  if (static_cast<std::size_t>(to.shards.back()) * row_bytes(shape, ShardPart::kFeatures) >=
      kShardBytes) {
    if (Result<void> saved = save(); !saved) return saved;
    to.shards.push_back(0);
    if (Result<void> opened = open_shard(); !opened) return opened;
  }
  std::vector<std::int32_t> records;
  for (const RowLabels& labels : rows.labels) {
    const std::vector<std::int32_t> record = to_record(shape, labels);
    records.insert(records.end(), record.begin(), record.end());
  }
  Result<void> added = append(features_, std::as_bytes(std::span(rows.features)), folder_);
  if (added) added = append(labels_, std::as_bytes(std::span(records)), folder_);
  if (!added) return added;
  to.shards.back() += static_cast<std::int64_t>(rows.labels.size());
  to.texts += 1;
  to.tokens += static_cast<std::int64_t>(tokens.size());
  to.digest = digest_of_tokens(to.digest, tokens);
  return seconds_since(saved_at_) < kSaveSeconds ? Result<void>() : save();
}

Result<void> RowWriter::save() {
  saved_at_ = std::chrono::steady_clock::now();
  // Rows reach the disk before the manifest that counts them.
  if (::fdatasync(features_.get()) != 0 || ::fdatasync(labels_.get()) != 0) return problem(folder_);
  const std::string text = manifest_.text();
  return write_whole_file(folder_ / RecordedManifest::kName,
                          {std::as_bytes(std::span(text.data(), text.size()))});
}

}  // namespace redraft
