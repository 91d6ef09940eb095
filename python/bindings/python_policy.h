#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arrays.h"
#include "dcmrank/policy/policy.h"

namespace dcmrank::python {

/// A policy that somebody wrote in Python, as the library sees it: rank() and update() of an
/// object. Everything happens on the thread that holds the GIL, so Ctrl-C is noticed in Python code
/// as usual. Copies share the object; a simulation makes none.
class PythonPolicy {
 public:
  /// `progress(rounds)` is called now and then unless it is None.
  PythonPolicy(nb::handle policy, std::string name, std::size_t items, nb::handle progress);

  void rank(Rng& rng, Ranking& ranking);
  void update(const Ranking& shown, Clicks clicks);

 private:
  struct Held {
    nb::object rank;
    nb::object update;
    nb::object progress;
    std::string name;
    std::size_t items;
    std::uint64_t round = 0;
  };
  std::shared_ptr<Held> held_;
};

}  // namespace dcmrank::python
