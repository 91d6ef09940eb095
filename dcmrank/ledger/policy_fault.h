#pragma once

#include <stdexcept>

namespace dcmrank::service {

/// A policy did what no policy may. That is the fault of whoever wrote it: neither of the caller
/// nor of the database. The message names the policy and the round, and is for those who run the
/// service.
class PolicyFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace dcmrank::service
