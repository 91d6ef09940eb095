// A connection of the service: whatever comes, however it is cut into pieces, whether answers are
// there at once or come later, the same answers are given in the same order.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include "dcmrank/http/session.h"
#include "dcmrank/service/route.h"

namespace {

using namespace dcmrank::service;
using Local = boost::asio::local::stream_protocol;

// What the caller reads, without the dates, where it sends `text` in pieces of `step` bytes.
std::string talk(std::string_view text, std::size_t step, bool later) {
  struct Deaf final : HttpWatch {
    void refused(const std::string& /*code*/) override {}
    void not_tls(std::string_view /*peer*/, const std::string& /*why*/) override {}
    void not_accepting(const std::string& /*why*/) override {}
    void now_open(std::size_t /*connections*/) override {}
    void answered(const Exchange& /*exchange*/) override {}
  };
  static Deaf watch;
  HttpLimits limits;
  limits.header = 1000;
  HttpShared shared(limits);
  shared.open = 1;
  HttpLoop loop(limits, watch, shared);
  std::vector<std::pair<Ticket, Response>> waiting;
  Handler handler;
  handler.body_limit = [](const RequestHead& head) {
    find_route(head.method, head.path);
    return std::size_t{2000};
  };
  handler.handle = [&](const Request& request, Response& response, const Ticket& ticket) {
    response.body = std::string(request.head.method) + " " + std::string(request.body);
    if (request.head.path == "/v1/export") {
      response.more = [left = 3](std::string& out) mutable {
        out += "piece";
        return --left > 0;
      };
    }
    if (later) waiting.emplace_back(ticket, std::move(response));
    return !later;
  };
  loop.use(std::move(handler));
  Local::socket here(loop.context());
  Local::socket there(loop.context());
  boost::asio::local::connect_pair(here, there);
  there.non_blocking(true);
  const auto session = std::make_shared<HttpSession<Socket>>(Socket(std::move(here)), loop, "");
  loop.add(session->id(), session);

  std::string answers;
  const auto run = [&] {
    boost::system::error_code error;
    do {
      loop.context().restart();
      loop.context().poll();
      for (auto& [ticket, response] : std::exchange(waiting, {}))
        ticket.answer(std::move(response));
      std::string piece(65536, '\0');
      const std::size_t size = there.read_some(boost::asio::buffer(piece), error);
      answers.append(piece, 0, size);
      loop.context().restart();
    } while (!error || loop.context().poll() > 0 || !waiting.empty());
  };
  run();
  while (!text.empty()) {
    boost::system::error_code error;
    there.write_some(boost::asio::buffer(text.data(), std::min(step, text.size())), error);
    if (error) break;
    text.remove_prefix(std::min(step, text.size()));
    run();
  }
  boost::system::error_code ignored;
  there.shutdown(Local::socket::shutdown_send, ignored);
  run();
  if (shared.open != 0) __builtin_trap();  // it has ended, and nothing of it is left
  for (const std::string_view name : {"Date: ", "X-Request-Id: "}) {
    for (std::size_t at = 0; (at = answers.find(name, at)) != std::string::npos;) {
      answers.erase(at, answers.find("\r\n", at) + 2 - at);
    }
  }
  return answers;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 8000) return 0;
  const std::size_t step = 1 + data[0] % 64U;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string whole = talk(text, text.size() + 1, false);
  if (talk(text, step, (data[0] & 64U) != 0) != whole) __builtin_trap();
  return 0;
}
