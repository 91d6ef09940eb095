// A compressed log: read to its end or to where it is damaged.
#include <memory>

#include "log_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dcmrank;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto inner = std::make_unique<TextSource>(bytes, 1 + size / 3);
  const auto source = decompress(detect_compression(bytes), std::move(inner));
  Rewriter sink(kTsv);
  read_source(*source, kTsv, sink, false);
  return 0;
}
