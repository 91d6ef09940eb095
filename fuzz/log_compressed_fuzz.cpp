// A compressed log: read to its end or to where it is damaged or changed.
#include <memory>

#include "log_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dcmrank;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto inner = std::make_unique<TextSource>(bytes, 1 + size / 3);
  const auto source = decompress(detect_compression(bytes), std::move(inner));
  Rewriter sink(kTsv);
  try {
    read_source(*source, kTsv, sink, false);
  } catch (const ChangedFile&) {
    // Nothing of it is used.
  }
  return 0;
}
