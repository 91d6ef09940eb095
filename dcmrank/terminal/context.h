#pragma once

#include <stop_token>

namespace dcmrank::command {

/// What commands need from main.
struct Context {
  std::stop_token stop;
};

}  // namespace dcmrank::command
