// Data frames by the Arrow C stream interface.
#include "frames/arrow_in.h"

#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "frames/arrow_columns.h"

namespace dcmrank::python {
namespace {

Typed column(const char* name, const Typed& batch, WantsClicks wanted) {
  const auto found = find_column(name, batch);
  if (found) return *found;
  throw InputError(
      fmt::format("the frame has no column {} (it needs {})", name,
                  wanted == WantsClicks::kYes ? "query, items and clicks" : "query and items"));
}

FrameChunk chunk_of(const Typed& batch, WantsClicks wanted) {
  const Typed items = column("items", batch, wanted);
  FrameChunk chunk;
  chunk.rows = batch.array->length;
  chunk.query = ids_of("query", column("query", batch, wanted));
  chunk.item_lists = lists_of("items", items);
  chunk.items = ids_of("items", items.child(0));
  chunk.has_clicks = wanted == WantsClicks::kYes;
  if (chunk.has_clicks) {
    const Typed clicks = column("clicks", batch, wanted);
    chunk.click_lists = lists_of("clicks", clicks);
    chunk.clicks = flags_of(clicks.child(0));
  }
  if (const auto session = find_column("session", batch)) {
    chunk.session = ids_of("session", *session);
  }
  return chunk;
}

}  // namespace

std::shared_ptr<const Frame> frame_of_stream(ArrowArrayStream& stream, WantsClicks wanted) {
  std::vector<FrameChunk> chunks;
  visit_batches(stream, "query, items, clicks", [&](std::shared_ptr<Batch> batch) {
    chunks.push_back(chunk_of(batch->typed(), wanted));
    chunks.back().kept = std::move(batch);
  });
  return std::make_shared<const Frame>(std::move(chunks));
}

}  // namespace dcmrank::python
