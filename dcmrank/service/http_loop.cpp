#include "dcmrank/service/http_loop.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace dcmrank::service {
namespace {

constexpr std::uint64_t kListener = 1;
constexpr std::uint64_t kMail = 2;
constexpr std::int64_t kTick = 250;           // milliseconds between looks at the deadlines
constexpr std::int64_t kStopWithin = 10'000;  // milliseconds

std::int64_t steady_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

void watch(int epoll, int fd, std::uint64_t id, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = id;
  epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

}  // namespace

Connection::~Connection() { ::close(fd); }

HttpLoop::HttpLoop(const Limits& limits, Metrics& metrics, std::atomic<std::size_t>& open)
    : limits_(limits),
      metrics_(&metrics),
      open_(&open),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  watch(epoll_, event_, kMail, EPOLLIN);
}

HttpLoop::~HttpLoop() {
  connections_.clear();
  ::close(event_);
  ::close(epoll_);
}

void HttpLoop::accept_from(int listener, std::vector<HttpLoop*> loops) {
  listener_ = listener;
  loops_ = std::move(loops);
  watch(epoll_, listener_, kListener, EPOLLIN);
}

void HttpLoop::start(Handler handler) {
  handler_ = std::move(handler);
  thread_ = std::thread([this] { run(); });
}

void HttpLoop::stop() {
  stop_ = true;
  wake();
}

void HttpLoop::join() {
  if (thread_.joinable()) thread_.join();
}

void HttpLoop::wake() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(event_, &one, sizeof one);
}

void HttpLoop::adopt(int fd) {
  {
    const std::lock_guard lock(mutex_);
    mail_.adopted.push_back(fd);
  }
  wake();
}

void HttpLoop::answer(std::uint64_t connection, Response response) {
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = mail_.answers.empty();
    mail_.answers.emplace_back(connection, std::move(response));
  }
  if (first) wake();
}

void Ticket::answer(Response response) const { loop_->answer(connection_, std::move(response)); }

void HttpLoop::run() {
  std::array<epoll_event, 256> events{};
  std::int64_t last_check = steady_now();
  while (true) {
    const int wait = ready_.empty() ? static_cast<int>(kTick) : 0;
    const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), wait);
    now_ = steady_now();
    for (int n = 0; n < count; ++n) {
      const epoll_event& event = events.at(static_cast<std::size_t>(n));
      const std::uint64_t id = event.data.u64;  // a copy: the kernel's struct is packed
      if (id == kListener) {
        accept_all();
      } else if (id == kMail) {
        read_mail();
      } else if (const auto at = connections_.find(id); at != connections_.end()) {
        if ((event.events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) {
          at->second->readable = true;
        }
        drive(*at->second);
      }
    }
    for (const std::uint64_t id : std::exchange(ready_, {})) {
      if (const auto at = connections_.find(id); at != connections_.end()) drive(*at->second);
    }
    if (stop_ && !stopping_) begin_stop();
    if (now_ - last_check >= kTick) {
      last_check = now_;
      check_deadlines();
    }
    if (stopping_ && (connections_.empty() || now_ > stop_deadline_)) return;
  }
}

// Idle connections are closed; those with a request under way get their answer first.
void HttpLoop::begin_stop() {
  stopping_ = true;
  stop_deadline_ = now_ + kStopWithin;
  if (listener_ >= 0) epoll_ctl(epoll_, EPOLL_CTL_DEL, listener_, nullptr);
  std::vector<Connection*> idle;
  for (auto& [id, connection] : connections_) {
    connection->keep_alive = false;
    const bool quiet = connection->state == Connection::State::kHead &&
                       connection->in.size() == connection->used && connection->out.empty();
    if (quiet) idle.push_back(connection.get());
  }
  for (Connection* connection : idle) drop(*connection);
}

void HttpLoop::read_mail() {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto got = ::read(event_, &count, sizeof count);
  Mail mail;
  {
    const std::lock_guard lock(mutex_);
    mail = std::exchange(mail_, {});
  }
  for (const int fd : mail.adopted) take_in(fd);
  for (auto& [id, response] : mail.answers) {
    const auto at = connections_.find(id);
    if (at == connections_.end()) continue;  // the caller has gone
    respond(*at->second, response);
    drive(*at->second);
  }
}

void HttpLoop::accept_all() {
  if (now_ < accept_again_) return;
  for (int n = 0; n < 64; ++n) {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
      // No descriptor or no memory is left: others must close first.
      if (errno != EAGAIN && errno != ECONNABORTED && errno != EINTR) accept_again_ = now_ + 100;
      return;
    }
    if (open_->load() >= limits_.connections) {
      const std::string body =
          error_body({503, "too_many_connections", "too many connections are open"});
      const std::string text =
          "HTTP/1.1 503 Service Unavailable\r\nContent-Type: "
          "application/json\r\nRetry-After: 1\r\nConnection: "
          "close\r\nContent-Length: " +
          std::to_string(body.size()) + "\r\n\r\n" + body;
      [[maybe_unused]] const auto sent = ::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
      metrics_->refused("too_many_connections");
      ::close(fd);
      continue;
    }
    open_->fetch_add(1);
    HttpLoop* loop = loops_[next_loop_++ % loops_.size()];
    loop == this ? take_in(fd) : loop->adopt(fd);
  }
}

void HttpLoop::take_in(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  auto connection = std::make_unique<Connection>(fd);
  connection->id = next_id_++;
  connection->deadline = now_ + limits_.header_time;
  Connection& added = *connection;
  connections_.emplace(added.id, std::move(connection));
  metrics_->connections.Set(static_cast<double>(open_->load()));
  watch(epoll_, fd, added.id, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
  if (stopping_) drop(added);
}

void HttpLoop::drop(Connection& connection) {
  open_->fetch_sub(1);
  metrics_->connections.Set(static_cast<double>(open_->load()));
  connections_.erase(connection.id);
}

void HttpLoop::check_deadlines() {
  std::vector<Connection*> late;
  for (const auto& [id, connection] : connections_) {
    if (connection->state != Connection::State::kWaiting && now_ > connection->deadline) {
      late.push_back(connection.get());
    }
  }
  for (Connection* connection : late) {
    const bool begun =
        connection->state == Connection::State::kBody ||
        connection->state == Connection::State::kChunks ||
        (connection->state == Connection::State::kHead && connection->in.size() > connection->used);
    if (!begun || !connection->out.empty()) {
      drop(*connection);
      continue;
    }
    refuse(*connection, {408, "timeout", "the request took too long to arrive"});
    drive(*connection);
  }
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
