// Problems and what is known of them: who clicks in a simulation.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include "arrays.h"
#include "bindings.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/json.h"
#include "dcmrank/bounds/bounds.h"
#include "dcmrank/model/list_check.h"
#include "dcmrank/users/problem.h"

namespace dcmrank::python {
namespace {

Problem dcm_problem(std::vector<double> attraction, std::vector<double> termination) {
  Dcm dcm{std::move(attraction), std::move(termination)};
  check(dcm);
  return dcm;
}

// The note is no part of what a problem file means, but of what a user should know.
Problem problem_from_state(const std::string& json, const std::string& note) {
  return parse_problem(json, "problem").with_note(note);
}

std::string text_of(const Problem& problem) {
  return print_json(problem_to_json(problem.with_note("")));
}

const Dcm& dcm_of(const Problem& problem, const char* what) {
  if (problem.dcm() == nullptr) {
    throw InputError("problem: its users are of the model '" + problem.model() + "'; " + what +
                     " a DCM");
  }
  return *problem.dcm();
}

const std::vector<Item>& best_list_of(const Problem& problem) {
  if (problem.facts().best.empty()) {
    throw InputError("problem: its users, of the model '" + problem.model() +
                     "', do not say which list is best");
  }
  return problem.facts().best;
}

double expected_reward_of(const Problem& problem, const ArrayLike& ranking) {
  std::vector<Item> list;
  read_items(ranking, Argument("ranking"), problem.items(), list);
  ListCheck check(problem.items(), problem.positions());
  if (!check.is_valid(list)) throw InputError("ranking " + check.fault(list));
  return problem.users(0, 0).expected_reward(list);
}

void bind_bounds(nb::module_& m) {
  nb::class_<Bounds>(m, "Bounds")
      .def_ro("alpha", &Bounds::alpha)
      .def_ro("theorem1", &Bounds::theorem1)
      .def_ro("theorem2", &Bounds::theorem2)
      .def_ro("epsilon", &Bounds::epsilon)
      .def_ro("lower_per_log_n", &Bounds::lower_per_log_n)
      .def_ro("proposition1", &Bounds::proposition1);
  m.def(
      "bounds",
      [](const Problem& problem, std::uint64_t steps) {
        return bounds(dcm_of(problem, "the bounds are about"), steps);
      },
      Alone());
}

}  // namespace

void bind_problems(nb::module_& m) {
  nb::class_<Problem>(m, "Problem")
      .def(nb::init<const Problem&>())
      .def(
          "__init__",
          [](Problem* self, std::vector<double> attraction, std::vector<double> termination) {
            new (self) Problem(dcm_problem(std::move(attraction), std::move(termination)));
          },
          Alone())
      .def_prop_ro("model", &Problem::model)
      .def_prop_ro("items", &Problem::items)
      .def_prop_ro("k", &Problem::positions)
      .def_prop_ro("note", &Problem::note)
      .def_prop_ro("is_dcm", [](const Problem& self) { return self.dcm() != nullptr; })
      .def("dcm_attraction",
           [](const Problem& self) { return to_numpy(dcm_of(self, "this is for").attraction); })
      .def("dcm_termination",
           [](const Problem& self) { return to_numpy(dcm_of(self, "this is for").termination); })
      .def("best_list",
           [](const Problem& self) { return to_numpy(std::span<const Item>(best_list_of(self))); })
      .def_prop_ro("best_list_is_exact",
                   [](const Problem& self) {
                     best_list_of(self);
                     return !self.facts().searched;
                   })
      .def("expected_reward", &expected_reward_of, nb::arg("ranking").none(),
           nb::sig("def expected_reward(self, ranking: numpy.typing.ArrayLike) -> float"))
      .def(
          "best_expected_reward",
          [](const Problem& self) { return self.users(0, 0).best_expected_reward(); }, Alone())
      .def("to_json", &text_of, Alone())
      .def(
          "__getstate__", [](const Problem& self) { return std::pair(text_of(self), self.note()); },
          Alone())
      .def(
          "__setstate__",
          [](Problem& self, const std::pair<std::string, std::string>& state) {
            new (&self) Problem(problem_from_state(state.first, state.second));
          },
          Alone());
  m.def("read_problem", &read_problem, nb::arg("spec"), nb::arg("query"), nb::arg("reward"),
        nb::arg("min_shown"), Alone());
  m.def("with_reward", &with_reward, Alone());
  m.def("problem_from_json", &parse_problem, Alone());
  bind_bounds(m);
}

}  // namespace dcmrank::python
