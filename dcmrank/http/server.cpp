#include "dcmrank/http/server.h"

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>
#include <openssl/ssl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "dcmrank/base/atomic_file.h"
#include "dcmrank/base/error.h"
#include "dcmrank/http/address.h"
#include "dcmrank/http/head.h"
#include "dcmrank/http/session.h"

namespace dcmrank::service {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Local = asio::local::stream_protocol;
using Error = boost::system::error_code;

constexpr int kWaiting = 1024;                            // connections that nobody has taken yet
constexpr std::chrono::milliseconds kNoDescriptors(100);  // until others have closed

void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// bind() would say of the socket that it is not there.
void check_folder(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  if (folder.empty() || std::filesystem::is_directory(folder)) return;
  throw InputError(fmt::format("--listen unix:{}: there is no folder {}", path, folder.string()));
}

using FileIdentity = std::pair<dev_t, ino_t>;

std::optional<FileIdentity> identity_of(const std::string& path) {
  struct stat found {};
  if (lstat(path.c_str(), &found) != 0) return std::nullopt;
  return FileIdentity{found.st_dev, found.st_ino};
}

// Whether a server answers at a Unix socket: the file alone outlives its server.
bool answers(const std::string& path) {
  asio::io_context context;
  Local::socket socket(context);
  Error error;
  socket.connect(Local::endpoint(path), error);
  return !error;
}

}  // namespace

struct HttpServer::Listening {
  Listening(const HttpLimits& given, HttpWatch& watching)
      : limits(given), watch(&watching), shared(given) {}

  HttpLoop& choose_loop() { return *loops[next_loop++ % loops.size()]; }

  // The end: those who have connected already are taken in, since they may have sent a request.
  template <class Acceptor>
  void take_the_last(Acceptor& acceptor) {
    Error error;
    if (acceptor.is_open()) acceptor.non_blocking(true, error);
    for (int n = 0; acceptor.is_open() && !error && n < kWaiting; ++n) {
      HttpLoop& loop = choose_loop();
      typename Acceptor::protocol_type::socket socket(loop.context());
      acceptor.accept(socket, error);
      if (!error) take(loop, std::move(socket));
    }
    Error ignored;
    acceptor.close(ignored);
  }

  template <class Acceptor>
  void accept(Acceptor& acceptor) {
    HttpLoop& loop = choose_loop();
    const auto socket = std::make_shared<typename Acceptor::protocol_type::socket>(loop.context());
    acceptor.async_accept(*socket, [this, &acceptor, &loop, socket](const Error& error) {
      if (!error) take(loop, std::move(*socket));
      if (!acceptor.is_open()) return;
      if (error && error != asio::error::connection_aborted) {
        // No descriptor or no memory is left: others must close first.
        watch->refused("no_descriptor");
        watch->not_accepting(error.message());
        wait.expires_after(kNoDescriptors);
        return wait.async_wait([this, &acceptor](const Error& cancelled) {
          if (!cancelled && acceptor.is_open()) accept(acceptor);
        });
      }
      accept(acceptor);
    });
  }

  template <class Accepted>
  void take(HttpLoop& loop, Accepted accepted) {
    if (shared.open.load() >= limits.connections) return turn_away(std::move(accepted));
    shared.open.fetch_add(1);
    Error ignored;
    std::string peer;
    if constexpr (std::is_same_v<Accepted, tcp::socket>) {
      accepted.set_option(tcp::no_delay(true), ignored);
      const tcp::endpoint end = accepted.remote_endpoint(ignored);
      if (!ignored) peer = end.address().to_string();
    }
    asio::post(loop.context(), [&loop, secrets = tls_now(), peer = std::move(peer),
                                socket = Socket(std::move(accepted))]() mutable {
      if (secrets) {
        begin(loop, TlsStream(std::move(socket), *secrets), std::move(peer));
      } else {
        begin(loop, std::move(socket), std::move(peer));
      }
    });
  }

  template <class Stream>
  static void begin(HttpLoop& loop, Stream stream, std::string peer) {
    const auto session =
        std::make_shared<HttpSession<Stream>>(std::move(stream), loop, std::move(peer));
    loop.add(session->id(), session);
  }

  template <class Accepted>
  void turn_away(Accepted socket) {
    watch->refused("too_many_connections");
    if (tls_now()) return;  // it could not read the answer
    const std::string body =
        error_body({503, "too_many_connections", "too many connections are open"});
    std::string text = fmt::format(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n"
        "Retry-After: 1\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        body.size());
    Error ignored;
    socket.non_blocking(true, ignored);
    // Of the request there may be something already.
    std::array<char, std::string_view("HEAD ").size()> method{};
    const std::size_t size = socket.receive(asio::buffer(method), Accepted::message_peek, ignored);
    if (!starts_with_head({method.data(), size})) text += body;
    asio::write(socket, asio::buffer(text), ignored);
  }

  void await_hangup() {
    signals.async_wait([this](const Error& error, int) {
      if (error) return;
      try {
        hangup();
      } catch (const InputError&) {
        watch->refused("reload");
      }
      if (!stopping) await_hangup();
    });
  }

  std::shared_ptr<asio::ssl::context> tls_now() {
    const std::lock_guard lock(mutex);
    return tls;
  }

  HttpLimits limits;
  HttpWatch* watch;
  HttpShared shared;
  asio::io_context context{1};
  tcp::acceptor tcp_acceptor{context};
  Local::acceptor local_acceptor{context};
  asio::steady_timer wait{context};
  asio::signal_set signals{context};
  std::function<void()> hangup;
  bool stopping = false;  // the acceptor's thread
  std::string socket_file;
  std::optional<FileIdentity> socket_identity;  // of that which was made there
  std::vector<std::unique_ptr<HttpLoop>> loops;
  std::size_t next_loop = 0;
  std::mutex mutex;
  std::shared_ptr<asio::ssl::context> tls;  // of new connections
  std::thread thread;
};

HttpServer::HttpServer(const HttpLimits& limits, HttpWatch& watch)
    : listening_(std::make_unique<Listening>(limits, watch)) {}

HttpServer::~HttpServer() { stop(); }  // NOLINT(bugprone-exception-escape)

std::string HttpServer::listen(const std::string& address, std::optional<unsigned> mode) {
  Listening& here = *listening_;
  raise_descriptor_limit();
  try {
    if (const auto path = unix_path(address)) {
      check_folder(*path);
      if (std::filesystem::is_socket(*path) && !answers(*path)) std::filesystem::remove(*path);
      here.local_acceptor.open();
      here.local_acceptor.bind(Local::endpoint(*path));
      here.socket_file = *path;
      here.socket_identity = identity_of(*path);
      // Before it listens: nobody slips in by a wider mode. At once, so that no other server takes
      // the file for that of one that is gone.
      if (mode) std::filesystem::permissions(*path, static_cast<std::filesystem::perms>(*mode));
      here.local_acceptor.listen(kWaiting);
      return address;
    }
    const tcp::endpoint endpoint = resolve_address(address);
    here.tcp_acceptor.open(endpoint.protocol());
    here.tcp_acceptor.set_option(tcp::acceptor::reuse_address(true));
    here.tcp_acceptor.bind(endpoint);
    return print_address(here.tcp_acceptor.local_endpoint());
  } catch (const boost::system::system_error& error) {
    throw InputError(fmt::format("--listen {}: {}", address, error.code().message()));
  } catch (const std::filesystem::filesystem_error& error) {
    throw InputError(fmt::format("--listen {}: {}", address, error.code().message()));
  }
}

static std::string read_pem(const char* option, const std::string& file) {
  try {
    return read_regular_file(file);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{} {}: {}", option, file, error.what()));
  }
}

static std::shared_ptr<asio::ssl::context> read_tls(const std::string& certificate,
                                                    const std::string& key) {
  auto tls = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
  tls->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_compression);
  SSL_CTX_set_min_proto_version(tls->native_handle(), TLS1_2_VERSION);
  Error error;
  tls->use_certificate_chain(asio::buffer(read_pem("--tls-cert", certificate)), error);
  if (error) {
    throw InputError(fmt::format("--tls-cert {}: {}", certificate, error.message()));
  }
  tls->use_private_key(asio::buffer(read_pem("--tls-key", key)), asio::ssl::context::pem, error);
  if (error) throw InputError(fmt::format("--tls-key {}: {}", key, error.message()));
  if (SSL_CTX_check_private_key(tls->native_handle()) != 1) {
    throw InputError(fmt::format("--tls-key {} is not the key of {}", key, certificate));
  }
  return tls;
}

void check_tls(const std::string& certificate, const std::string& key) {
  read_tls(certificate, key);
}

void HttpServer::use_tls(const std::string& certificate, const std::string& key) {
  auto tls = read_tls(certificate, key);
  const std::lock_guard lock(listening_->mutex);
  listening_->tls = std::move(tls);
}

void HttpServer::on_hangup(std::function<void()> work) {
  listening_->hangup = std::move(work);
  listening_->signals.add(SIGHUP);
  listening_->await_hangup();
}

void HttpServer::start(std::size_t threads, const std::function<Handler()>& make_handler) {
  Listening& here = *listening_;
  if (here.tcp_acceptor.is_open()) {
    Error error;
    here.tcp_acceptor.listen(kWaiting, error);
    if (error) throw InputError(fmt::format("--listen: {}", error.message()));
  }
  for (std::size_t n = 0; n < threads; ++n) {
    here.loops.push_back(std::make_unique<HttpLoop>(here.limits, *here.watch, here.shared));
  }
  for (const auto& loop : here.loops) loop->start(make_handler());
  if (here.tcp_acceptor.is_open()) here.accept(here.tcp_acceptor);
  if (here.local_acceptor.is_open()) here.accept(here.local_acceptor);
  here.thread = std::thread([&here] { here.context.run(); });
}

void HttpServer::stop() {
  Listening& here = *listening_;
  // While it is open, no other file has its identity.
  if (here.socket_identity && identity_of(here.socket_file) == here.socket_identity) {
    std::error_code gone;
    std::filesystem::remove(here.socket_file, gone);
  }
  here.socket_identity.reset();
  if (here.thread.joinable()) {
    asio::post(here.context, [&here] {
      here.stopping = true;
      here.take_the_last(here.tcp_acceptor);
      here.take_the_last(here.local_acceptor);
      here.wait.cancel();
      here.signals.cancel();
    });
    here.thread.join();
  }
  for (const auto& loop : here.loops) loop->stop();
  for (const auto& loop : here.loops) loop->join();
}

}  // namespace dcmrank::service
