#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "dcmrank/http/budget.h"
#include "dcmrank/http/server.h"

namespace dcmrank::service {

/// One connection, on the thread of its loop.
class Session {
 public:
  Session() = default;
  virtual ~Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  Session(Session&&) = delete;
  Session& operator=(Session&&) = delete;

  virtual void start() = 0;
  /// What it gave to HttpLoop::send_later.
  virtual void send() = 0;
  /// To the request that it waits with.
  virtual void answer(Response response) = 0;
  /// Its deadline has passed.
  virtual void late() = 0;
  /// The server stops: no further request is taken.
  virtual void stop() = 0;

  std::int64_t deadline = 0;  // milliseconds, as HttpLoop::now(); 0: none
};

/// What all threads of a server count together.
struct HttpShared {
  explicit HttpShared(const HttpLimits& limits) : bodies(limits.bodies) {}
  std::atomic<std::size_t> open = 0;  // connections
  ByteBudget bodies;
};

/// One thread of the server, with its connections.
class HttpLoop {
 public:
  HttpLoop(const HttpLimits& limits, HttpWatch& watch, HttpShared& shared);
  ~HttpLoop();  // NOLINT(bugprone-exception-escape): where no memory is left to stop, nothing is
  HttpLoop(const HttpLoop&) = delete;
  HttpLoop& operator=(const HttpLoop&) = delete;
  HttpLoop(HttpLoop&&) = delete;
  HttpLoop& operator=(HttpLoop&&) = delete;

  void use(Handler handler) { handler_ = std::move(handler); }
  void start(Handler handler);
  /// Any thread.
  void stop();
  void join();
  void answer(std::uint64_t session, Response response);

  boost::asio::io_context& context() { return context_; }

  // For its sessions, on its thread.
  std::uint64_t next_id() { return ++last_id_; }
  void add(std::uint64_t id, const std::shared_ptr<Session>& session);
  void remove(std::uint64_t id);
  /// Once what has come on other connections is answered, too, but soon: whoever is sent something
  /// wakes up, and takes the processor from those who still wait for their answer.
  void send_later(std::shared_ptr<Session> session);
  const Handler& handler() const { return handler_; }
  const HttpLimits& limits() const { return limits_; }
  HttpWatch& watch() { return *watch_; }
  ByteBudget& bodies() { return shared_->bodies; }
  bool stopping() const { return stopping_; }
  /// Until when what has come of a request may become a whole one, as now(): once the server stops,
  /// for a moment.
  std::int64_t takes_until() const { return takes_until_; }
  static std::int64_t now();
  /// A header line.
  std::string_view date();
  /// One that no other request has.
  std::string make_request_id();

 private:
  void tick();
  void send_now();

  HttpLimits limits_;
  HttpWatch* watch_;
  HttpShared* shared_;
  boost::asio::io_context context_{1};
  boost::asio::steady_timer timer_{context_};
  Handler handler_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Session>> sessions_;
  std::vector<std::shared_ptr<Session>> sending_;
  std::uint64_t last_id_ = 0;
  std::uint64_t last_request_ = 0;  // mixed, it is an id
  bool stopping_ = false;
  std::int64_t stop_deadline_ = 0;
  std::int64_t takes_until_ = INT64_MAX;
  std::int64_t date_at_ = -1;
  std::string date_;
  std::thread thread_;
};

}  // namespace dcmrank::service
