#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "dcmrank/service/http_server.h"

namespace dcmrank::service {

/// One connection: what came in and is not yet understood, what goes out and is not yet taken.
struct Connection {
  enum class State { kHead, kBody, kChunks, kWaiting, kStreaming, kLingering };

  explicit Connection(int descriptor) : fd(descriptor) {}
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  Connection(Connection&&) = delete;
  Connection& operator=(Connection&&) = delete;

  int fd;
  std::uint64_t id = 0;
  State state = State::kHead;
  std::string in;
  std::size_t used = 0;     // of `in`
  std::size_t scanned = 0;  // of `in`, for the end of the head
  std::string head;         // a copy, where the body is not there yet
  RequestHead parsed;
  std::size_t body_limit = 0;
  ChunkDecoder chunks;
  std::string chunk_body;
  std::string out;
  std::size_t sent = 0;  // of `out`
  std::function<bool(std::string&)> more;
  bool readable = true;
  bool ended = false;        // the peer sends no more
  bool keep_alive = true;    // after the present request
  bool close_after = false;  // once `out` is sent
  std::int64_t deadline = 0;
};

/// One thread of the server, with its connections.
class HttpLoop {
 public:
  HttpLoop(const Limits& limits, Metrics& metrics, std::atomic<std::size_t>& open);
  ~HttpLoop();
  HttpLoop(const HttpLoop&) = delete;
  HttpLoop& operator=(const HttpLoop&) = delete;
  HttpLoop(HttpLoop&&) = delete;
  HttpLoop& operator=(HttpLoop&&) = delete;

  /// The loop that also accepts hands connections to all `loops` in turn.
  void accept_from(int listener, std::vector<HttpLoop*> loops);
  void start(Handler handler);
  void stop();
  void join();

  /// Any thread.
  void adopt(int fd);
  void answer(std::uint64_t connection, Response response);

 private:
  struct Mail {
    std::vector<int> adopted;
    std::vector<std::pair<std::uint64_t, Response>> answers;
  };

  void run();
  void wake() const;
  void read_mail();
  void accept_all();
  void take_in(int fd);
  void drive(Connection& connection);
  bool receive(Connection& connection);
  bool advance(Connection& connection);
  bool read_head(Connection& connection);
  bool read_body(Connection& connection);
  bool read_chunks(Connection& connection);
  void dispatch(Connection& connection, const RequestHead& head, std::string_view body);
  void respond(Connection& connection, Response& response);
  void refuse(Connection& connection, const ApiError& error);
  bool flush(Connection& connection);
  bool pump(Connection& connection);
  void linger(Connection& connection);
  void drop(Connection& connection);
  void check_deadlines();
  void begin_stop();
  std::string_view date();

  Limits limits_;
  Metrics* metrics_;
  std::atomic<std::size_t>* open_;
  int epoll_ = -1;
  int event_ = -1;
  int listener_ = -1;
  std::vector<HttpLoop*> loops_;
  std::size_t next_loop_ = 0;
  std::int64_t accept_again_ = 0;

  std::mutex mutex_;
  Mail mail_;
  std::atomic<bool> stop_ = false;
  bool stopping_ = false;
  std::int64_t stop_deadline_ = 0;

  Handler handler_;
  Response response_;
  std::vector<char> received_ = std::vector<char>(64U << 10U);
  std::unordered_map<std::uint64_t, std::unique_ptr<Connection>> connections_;
  std::vector<std::uint64_t> ready_;  // have more to do than their turn allowed
  std::uint64_t next_id_ = 16;
  std::int64_t now_ = 0;  // milliseconds, of this round
  std::int64_t date_at_ = -1;
  std::string date_;
  std::thread thread_;
};

}  // namespace dcmrank::service
