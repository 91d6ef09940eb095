// Policies of the registry, the users they meet, and the loop of both.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include "beliefs.h"
#include "bindings.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/json.h"
#include "dcmrank/sim/run.h"
#include "dcmrank/users/problem.h"
#include "long_work.h"
#include "native_policy.h"
#include "simulated_users.h"

namespace dcmrank::python {
namespace {

NativePolicy make_native(const std::string& spelling, std::size_t items, std::size_t k,
                         std::uint64_t seed, std::uint64_t steps, const Problem* problem) {
  if (problem != nullptr) return {parse_policy_spec(spelling), *problem, steps, seed};
  return {parse_policy_spec(spelling), Shape{items, k, steps}, seed};
}

NativePolicy load_native(const std::string& text, const std::string& source) {
  const auto json = parse_json(text, source);
  try {
    return NativePolicy(json);
  } catch (const InputError& error) {
    throw InputError(source + ": " + error.what());
  }
}

std::vector<std::pair<std::string, std::string>> list_policies() {
  std::vector<std::pair<std::string, std::string>> listed;
  for (const PolicyEntry& entry : policy_registry()) listed.emplace_back(entry.name, entry.summary);
  listed.emplace_back("recommended", "what the documentation recommends: " + recommended_policy());
  return listed;
}

std::vector<std::pair<std::string, std::string>> list_options(const std::string& spelling) {
  std::vector<std::pair<std::string, std::string>> listed;
  for (const PolicyOption& option :
       find_entry(resolved(parse_policy_spec(spelling)).name).options) {
    listed.emplace_back(option.name, option.help);
  }
  return listed;
}

void bind_native(nb::module_& m) {
  nb::class_<NativePolicy>(m, "NativePolicy")
      .def(
          "__init__",
          [](NativePolicy* self, const std::string& spelling, std::size_t items, std::size_t k,
             std::uint64_t seed, std::uint64_t steps, const Problem* problem) {
            new (self) NativePolicy(make_native(spelling, items, k, seed, steps, problem));
          },
          nb::arg("spelling"), nb::arg("items"), nb::arg("k"), nb::arg("seed"), nb::arg("steps"),
          nb::arg("problem").none(), Alone())
      .def(nb::init<const NativePolicy&>())
      .def("rank", &NativePolicy::rank, "The list for the next user: a numpy array of k items.")
      .def(
          "update", &NativePolicy::update, nb::arg("ranking").none(), nb::arg("clicks").none(),
          nb::arg("seen").none() = nb::none(),
          nb::sig("def update(self, ranking: numpy.typing.ArrayLike, clicks: "
                  "numpy.typing.ArrayLike, seen: int | None = None) -> None"),
          "Learns what a user did with a list that rank() returned: a flag for each of its items. "
          "Where only the first positions were on the screen, `seen` says how many, and clicks has "
          "as many flags.")
      .def("observe_initial", &NativePolicy::observe_initial, nb::arg("attracted").none(),
           nb::sig("def observe_initial(self, attracted: numpy.typing.ArrayLike) -> None"),
           "Learns from one free sample of every item (Algorithm 1), before the first list.")
      .def_prop_ro("wants_initial_sample", &NativePolicy::wants_initial_sample)
      .def_prop_ro("spelling", [](const NativePolicy& self) { return self.spec().text; })
      .def_prop_ro("name", [](const NativePolicy& self) { return resolved(self.spec()).name; })
      .def_prop_ro("options",
                   [](const NativePolicy& self) { return resolved(self.spec()).options; })
      .def("belief_table", [](const NativePolicy& self) { return beliefs_of(self); })
      .def_prop_ro("items", [](const NativePolicy& self) { return self.shape().items; })
      .def_prop_ro("k", [](const NativePolicy& self) { return self.shape().positions; })
      .def("to_json", [](const NativePolicy& self) { return print_json(self.save()); })
      .def("__getstate__", [](const NativePolicy& self) { return print_json(self.save()); })
      .def("__setstate__", [](NativePolicy& self, const std::string& state) {
        new (&self) NativePolicy(load_native(state, "policy state"));
      });
  m.def("load_policy", &load_native);
  m.def("policies", &list_policies);
  m.def("policy_options", &list_options);
}

void bind_users(nb::module_& m) {
  nb::class_<SimulatedUsers>(m, "Users")
      .def(nb::init<Problem, std::uint64_t, std::uint64_t>(), nb::arg("problem"), nb::arg("seed"),
           nb::arg("run"), Alone())
      .def(nb::init<const SimulatedUsers&>())
      .def("visit", &SimulatedUsers::visit, nb::arg("ranking").none(),
           nb::sig("def visit(self, ranking: numpy.typing.ArrayLike) -> "
                   "numpy.typing.NDArray[numpy.bool_]"),
           "Shows a list to the next user: a numpy array of flags, which items were clicked.")
      .def("initial_sample", &SimulatedUsers::initial_sample,
           "One free sample of every item's attraction (Algorithm 1).")
      .def("play_native", &SimulatedUsers::play, nb::arg("policy"), nb::arg("rounds"),
           nb::arg("progress").none())
      .def_prop_ro("regret", [](const SimulatedUsers& self) { return self.so_far().regret; })
      .def_prop_ro("reward", [](const SimulatedUsers& self) { return self.so_far().reward; })
      .def_prop_ro("rounds", [](const SimulatedUsers& self) { return self.so_far().step; })
      .def_prop_ro("problem", [](const SimulatedUsers& self) { return self.problem(); })
      .def_prop_ro("seed", &SimulatedUsers::seed)
      .def_prop_ro("run", &SimulatedUsers::run)
      .def("__getstate__", &SimulatedUsers::state)
      .def("__setstate__", [](SimulatedUsers& self, const SimulatedUsers::State& state) {
        const auto& [problem, seed, run, rounds, regret, reward] = state;
        new (&self) SimulatedUsers(problem, seed, run);
        self.resume({rounds, regret, reward});
      });
}

}  // namespace

void bind_policies(nb::module_& m) {
  bind_native(m);
  bind_users(m);
}

}  // namespace dcmrank::python
