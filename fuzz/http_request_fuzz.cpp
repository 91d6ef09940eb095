// The head of a request, its path and its chunks: the same however they are cut into pieces.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "dcmrank/service/http_message.h"
#include "dcmrank/service/route.h"

namespace {

using namespace dcmrank::service;

constexpr std::size_t kMost = 4096;

// The outcome of decoding `text`, given `step` bytes at a time.
std::string decode(std::string_view text, std::size_t step) {
  ChunkDecoder decoder;
  std::string body;
  std::string pending;
  while (true) {
    const std::size_t part = std::min(step, text.size());
    pending += text.substr(0, part);
    text.remove_prefix(part);
    std::size_t taken = 0;
    const auto status = decoder.feed(pending, taken, body, kMost);
    if (taken > pending.size() || body.size() > kMost) __builtin_trap();
    pending.erase(0, taken);
    if (status == ChunkDecoder::Status::kDone) return "done " + body;
    if (status != ChunkDecoder::Status::kMore) return "refused";
    if (text.empty()) return "more";
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find("\r\n\r\n");
  if (end == std::string_view::npos) return 0;
  RequestHead head;
  if (parse_head(text.substr(0, end + 4), head)) return 0;
  if (head.chunked && head.has_length) __builtin_trap();
  try {
    find_route(head.method, head.path);
  } catch (const ApiError&) {
  }
  const std::string_view rest = text.substr(end + 4);
  if (head.chunked && decode(rest, rest.size() + 1) != decode(rest, 1)) __builtin_trap();
  return 0;
}
