// The body of a feedback request, in all its forms: refused with ApiError, or events that come back
// from the database as they went in.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dcmrank/service/bodies.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dcmrank::service;
  static BodyParser parser{Limits()};
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  for (const std::string_view type : {"application/json", "application/x-ndjson"}) {
    try {
      for (const ParsedEvent& parsed : parser.feedback(body, type).events) {
        const Event* event = std::get_if<Event>(&parsed);
        if (event == nullptr) continue;
        if (event->impression.empty()) __builtin_trap();
        if (encode(decode_event(encode(*event))) != encode(*event)) __builtin_trap();
      }
    } catch (const ApiError&) {
    }
  }
  return 0;
}
