#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "dcmrank/service/keys.h"
#include "dcmrank/service/options.h"

namespace dcmrank::service {

/// Who may use the service: the keys to begin with, and those to go on with when SIGHUP asks to
/// look again, which may throw InputError.
struct KeySource {
  std::shared_ptr<const Keys> now;
  struct Again {
    std::shared_ptr<const Keys> keys;
    std::vector<std::string> needs_restart{};  // options that the files say otherwise by now
  };
  std::function<Again()> again;
};

/// Who may use a socket, as chmod has it: "0660"; or empty: the umask decides.
bool can_be_socket_mode(std::string_view text);

/// All that can be known to be wrong without listening and without opening the database: options
/// that contradict each other, certificates, an address that is none, keys that are missing. Throws
/// InputError.
void check_start(const ServiceOptions& options, const Keys& keys);

/// What a start has to say though it is no fault: times that another one overrules, keys that open
/// nothing.
std::vector<std::string> start_notes(const ServiceOptions& options, const Keys& keys);

/// Runs the service until `stop` is requested; `ready` receives the address it listens on. Throws
/// InputError for impossible options.
void serve(const ServiceOptions& options, const KeySource& keys, const std::stop_token& stop,
           const std::function<void(const std::string& address)>& ready);

}  // namespace dcmrank::service
