#include "python_policy.h"

#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/text.h"

namespace dcmrank::python {
namespace {

std::string round_name(const std::string& policy, std::uint64_t round) {
  return fmt::format("policy {}, round {}", quote(policy), round);
}

class ItsList final : public Named {
 public:
  std::string name() const override { return "its list"; }
};

// What the policy raises is raised as it is, with a note of where.
template <class Call>
nb::object noted(const std::string& policy, std::uint64_t round, Call call) {
  try {
    return call();
  } catch (nb::python_error& error) {
    error.value().attr("add_note")(round_name(policy, round));
    throw;
  }
}

}  // namespace

PythonPolicy::PythonPolicy(nb::handle policy, std::string name, std::size_t items,
                           nb::handle progress)
    : held_(std::make_shared<Held>(Held{policy.attr("rank"), policy.attr("update"),
                                        nb::borrow(progress), std::move(name), items})) {}

void PythonPolicy::rank(Rng& /*the policy has its own*/, Ranking& ranking) {
  constexpr std::uint64_t kGlance = 256;
  Held& held = *held_;
  if (held.round % kGlance == 0) {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!held.progress.is_none()) held.progress(held.round);
  }
  ++held.round;
  const nb::object list = noted(held.name, held.round, [&] { return nb::object(held.rank()); });
  try {
    read_items(list, ItsList(), held.items, ranking.items);
  } catch (const TypeError& error) {  // an InputError is named by who checks the lists
    throw TypeError(fmt::format("{}: {}", round_name(held.name, held.round), error.what()));
  }
}

void PythonPolicy::update(const Ranking& shown, Clicks clicks) {
  Held& held = *held_;
  const nb::object list = to_numpy(std::span<const Item>(shown.items));
  const nb::object flags = flags_to_numpy(clicks);
  noted(held.name, held.round, [&] { return nb::object(held.update(list, flags)); });
}

}  // namespace dcmrank::python
