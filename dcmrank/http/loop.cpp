#include "dcmrank/http/loop.h"

#include <array>
#include <chrono>
#include <ctime>
#include <random>
#include <utility>

#include <boost/asio/post.hpp>

#include "dcmrank/random/rng.h"

namespace dcmrank::service {
namespace {

constexpr std::chrono::milliseconds kTick(100);  // between looks at the deadlines
constexpr std::size_t kTogether = 16;            // answers that are sent at a time
constexpr std::int64_t kStopWithin = 10'000;     // milliseconds
constexpr std::int64_t kTakeWithin = 3'000;      // of these, for requests that have not come whole

}  // namespace

std::int64_t HttpLoop::now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

HttpLoop::HttpLoop(const HttpLimits& limits, HttpWatch& watch, HttpShared& shared)
    : limits_(limits), watch_(&watch), shared_(&shared) {}

HttpLoop::~HttpLoop() {  // NOLINT(bugprone-exception-escape)
  stop();
  join();
}

void HttpLoop::start(Handler handler) {
  use(std::move(handler));
  tick();
  thread_ = std::thread([this] { context_.run(); });
}

// Idle connections are closed; those with a request under way get their answer first.
void HttpLoop::stop() {
  boost::asio::post(context_, [this] {
    if (stopping_) return;
    stopping_ = true;
    stop_deadline_ = now() + kStopWithin;
    takes_until_ = now() + kTakeWithin;
    const auto sessions = sessions_;
    for (const auto& [id, session] : sessions) session->stop();
    if (sessions_.empty()) context_.stop();
  });
}

void HttpLoop::join() {
  if (thread_.joinable()) thread_.join();
}

void HttpLoop::add(std::uint64_t id, const std::shared_ptr<Session>& session) {
  sessions_.emplace(id, session);
  watch_->now_open(shared_->open.load());
  session->start();
  if (stopping_) session->stop();
}

void HttpLoop::remove(std::uint64_t id) {
  if (sessions_.erase(id) == 0) return;
  shared_->open.fetch_sub(1);
  watch_->now_open(shared_->open.load());
  if (stopping_ && sessions_.empty()) context_.stop();
}

void HttpLoop::send_later(std::shared_ptr<Session> session) {
  sending_.push_back(std::move(session));
  if (sending_.size() == kTogether) return send_now();
  if (sending_.size() == 1) boost::asio::post(context_, [this] { send_now(); });
}

void HttpLoop::send_now() {
  const auto sending = std::exchange(sending_, {});
  for (const auto& session : sending) session->send();
}

void HttpLoop::answer(std::uint64_t session, Response response) {
  boost::asio::post(context_, [this, session, response = std::move(response)]() mutable {
    const auto at = sessions_.find(session);
    if (at == sessions_.end()) return;  // the caller has gone
    const auto kept = at->second;
    kept->answer(std::move(response));
  });
}

void Ticket::answer(Response response) const { loop_->answer(session_, std::move(response)); }

void HttpLoop::tick() {
  timer_.expires_after(kTick);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    const std::int64_t time = now();
    std::vector<std::shared_ptr<Session>> late;
    for (const auto& [id, session] : sessions_) {
      if (session->deadline != 0 && time > session->deadline) late.push_back(session);
    }
    for (const auto& session : late) session->late();
    if (stopping_ && time > stop_deadline_) return context_.stop();
    tick();
  });
}

// Steps from a random start, mixed.
std::string HttpLoop::make_request_id() {
  if (last_request_ == 0) last_request_ = (std::uint64_t{std::random_device()()} << 32U) + 1;
  std::uint64_t x = mix64(last_request_ += kGolden);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string id(16, '0');
  for (char& digit : id) {
    digit = kDigits[x & 15U];
    x >>= 4U;
  }
  return id;
}

std::string_view HttpLoop::date() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  if (now.tv_sec != date_at_) {
    date_at_ = now.tv_sec;
    tm parts{};
    gmtime_r(&now.tv_sec, &parts);
    std::array<char, 64> text{};
    const std::size_t size =
        strftime(text.data(), text.size(), "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &parts);
    date_.assign(text.data(), size);
  }
  return date_;
}

}  // namespace dcmrank::service
