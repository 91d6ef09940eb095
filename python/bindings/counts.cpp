// Counts of logs: whole, and as rows that an engine like Spark adds up.
#include "counts.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "dcmrank/base/error.h"
#include "dcmrank/click_model/fit_log.h"
#include "dcmrank/fit/counts_file.h"
#include "frames/count_columns.h"
#include "frames/pages.h"
#include "frames/report.h"
#include "long_work.h"

namespace dcmrank::python {

LogStatistics parse_counts(const std::string& text, const std::string& source) {
  Needs held = held_by_counts(text, source);
  held.most_tails = SIZE_MAX;
  LogStatistics counted{Statistics(held), {}};
  merge_counts(text, source, counted);
  return counted;
}

namespace {

// What the named models need of a log beyond counts.
Needs needs_of_models(const std::vector<std::string>& models, std::size_t most_tails) {
  Needs needs;
  for (const std::string& name : models) {
    needs = either(needs, needs_of(click_model(name, "models")));
  }
  needs.most_tails = most_tails;
  return needs;
}

LogStatistics count_pages(const Pages& pages, const std::vector<std::string>& models,
                          std::size_t most_tails, unsigned threads, nb::handle progress) {
  const Needs needs = needs_of_models(models, most_tails);
  return run_long_for(progress, [&](const WorkControl& control) {
    LogStatistics collected =
        collect(pages.log, pages.reading(threads, {control.stop, &control.done}), needs);
    require_impressions(collected.report);
    require_tails(collected.statistics);
    return collected;
  });
}

LogStatistics sum_of(const LogStatistics& a, const LogStatistics& b) {
  LogStatistics sum = a;
  sum.statistics.merge(b.statistics);
  sum.report.append(b.report, 0);
  return sum;
}

// The models that these counts are enough for.
std::vector<std::string> models_of(const LogStatistics& counted) {
  std::vector<std::string> names;
  for (const ClickModel* model : click_models()) {
    if (counted.statistics.holds().covers(needs_of(*model))) names.push_back(model->name);
  }
  return names;
}

bool suffices(const LogStatistics& counted, const std::string& model, const std::string& method) {
  FitOptions options;
  const ClickModel& known = click_model(model, "model");
  options.method = method_named(known, method);
  return counted.statistics.holds().covers(known.needs(options));
}

// Counts pages as they come, batch by batch, on the caller's thread.
class Counter {
 public:
  explicit Counter(const std::vector<std::string>& models)
      : needs_(needs_of_models(models, SIZE_MAX)), counted_{Statistics(needs_), {}} {}

  void add(const Pages& pages) {
    const std::shared_ptr<ImpressionSink> sink(std::shared_ptr<void>(), &counted_.statistics);
    counted_.report.append(read_log(pages.log, {1, false, {}}, [&](std::size_t) { return sink; }),
                           counted_.report.lines);
  }

  // How many things it keeps counts of, about.
  std::size_t size() const {
    const Statistics& statistics = counted_.statistics;
    return statistics.counts.item_count() + statistics.counts.query_count() +
           (statistics.tails ? statistics.tails->size() : 0);
  }

  // What was counted since it was asked last.
  Table take() {
    Table rows = table_of_counts(counted_);
    counted_ = {Statistics(needs_), {}};
    return rows;
  }

 private:
  Needs needs_;
  LogStatistics counted_;
};

LogStatistics counted_of_rows(const nb::capsule& capsule, const std::vector<std::string>& models) {
  auto* stream =
      static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (stream == nullptr) nb::raise_python_error();
  LogStatistics counted{Statistics(needs_of_models(models, SIZE_MAX)), {}};
  add_count_columns(*stream, counted);
  require_impressions(counted.report);
  return counted;
}

void bind_counted_log(nb::module_& m) {
  nb::class_<LogStatistics>(m, "CountedLog")
      .def("__add__", sum_of, Alone())
      .def("text", print_counts, Alone())
      .def("queries", [](const LogStatistics& log) { return log.statistics.counts.query_count(); })
      .def("items", [](const LogStatistics& log) { return log.statistics.counts.item_count(); })
      .def("models", models_of)
      .def("suffices", suffices, nb::arg("model"), nb::arg("method"))
      .def("report", [](const LogStatistics& log) { return report_dict(log.report); })
      .def("skips", [](const LogStatistics& log) { return skips_of(log.report); })
      .def("__getstate__", print_counts, Alone())
      .def(
          "__setstate__",
          [](LogStatistics& log, const std::string& text) {
            new (&log) LogStatistics(parse_counts(text, "counts"));
          },
          Alone());
}

}  // namespace

void bind_counts(nb::module_& m) {
  bind_counted_log(m);
  m.def("count_pages", count_pages, nb::arg("pages"), nb::arg("models"), nb::arg("most_tails"),
        nb::arg("threads"), nb::arg("progress").none());
  nb::class_<Counter>(m, "Counter")
      .def(nb::init<std::vector<std::string>>(), nb::arg("models"))
      .def("add", &Counter::add, nb::arg("pages"))
      .def("size", &Counter::size)
      .def("take", &Counter::take);
  m.def("counted_of_rows", counted_of_rows, nb::arg("capsule"), nb::arg("models"));
  m.def("click_models", [] {
    std::vector<std::string> names;
    for (const ClickModel* model : click_models()) names.push_back(model->name);
    return names;
  });
}

}  // namespace dcmrank::python
