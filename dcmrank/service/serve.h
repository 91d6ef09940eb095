#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "dcmrank/service/options.h"

namespace dcmrank::service {

/// Runs the service until `stop` is requested; `ready` receives the address it listens on. Throws
/// InputError for impossible options.
void serve(const ServiceOptions& options, const std::stop_token& stop,
           const std::function<void(const std::string& address)>& ready);

}  // namespace dcmrank::service
