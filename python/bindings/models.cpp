// Click models: fitted, scored, asked, written.
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "counts.h"
#include "dcmrank/base/atomic_file.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/parallel.h"
#include "dcmrank/click_model/click_model.h"
#include "dcmrank/click_model/fit_log.h"
#include "dcmrank/model_file/compact_model.h"
#include "dcmrank/model_file/model_file.h"
#include "dcmrank/model_file/stand_ins.h"
#include "dcmrank/prediction/generate.h"
#include "dcmrank/prediction/scores.h"
#include "dcmrank/users/problem.h"
#include "frames/page_columns.h"
#include "frames/pages.h"
#include "frames/report.h"
#include "long_work.h"
#include "model_tables.h"

namespace dcmrank::python {
namespace {

// What a model's class in Python was given; checked there.
struct FitArguments {
  std::string model;
  std::string method;
  bool shared = false;
  std::pair<double, double> prior{1, 1};
  std::optional<std::uint64_t> top;
  std::uint64_t min_impressions = 1;
  double tolerance = 1e-9;
  std::uint64_t max_iterations = 2000;
  std::uint64_t max_tails = 2'000'000;
  unsigned threads = 0;
};

LogFit how_to_fit(const FitArguments& arguments, const WorkControl& control) {
  LogFit how;
  how.options.method = method_named(click_model(arguments.model, "model"), arguments.method);
  how.options.shared = arguments.shared;
  how.options.prior = {arguments.prior.first, arguments.prior.second};
  how.options.tolerance = arguments.tolerance;
  how.options.max_iterations = arguments.max_iterations;
  how.options.intervals = true;
  how.options.threads = resolve_threads(arguments.threads);
  how.options.stop = control.stop;
  if (arguments.top) how.choice.top = *arguments.top;
  how.choice.min_impressions = static_cast<double>(arguments.min_impressions);
  how.most_tails = arguments.max_tails;
  return how;
}

FittedModel fit_pages(const Pages& pages, const FitArguments& arguments, nb::handle progress) {
  return run_long_for(progress, [&](const WorkControl& control) {
    return fit_log(click_model(arguments.model, "model"), pages.log,
                   pages.reading(arguments.threads, {control.stop, &control.done}),
                   how_to_fit(arguments, control));
  });
}

FittedModel fit_counted(const LogStatistics& counted, const FitArguments& arguments,
                        nb::handle progress) {
  return run_long_for(progress, [&](const WorkControl& control) {
    return fit_counts(click_model(arguments.model, "model"), counted,
                      how_to_fit(arguments, control));
  });
}

std::tuple<Scores, Skips, std::string> score(const FittedModel& model, const Pages& pages,
                                             unsigned threads, nb::handle progress) {
  Evaluation evaluation = run_long_for(progress, [&](const WorkControl& control) {
    const ModelParameters parameters(model);
    return evaluate(std::span(&parameters, 1), pages.log,
                    pages.reading(threads, {control.stop, &control.done}));
  });
  require_impressions(evaluation.report);
  Scores& scores = evaluation.scores.front();
  std::string note = deeper_note(model, scores.deeper, scores.sessions);
  return {std::move(scores), skips_of(evaluation.report), std::move(note)};
}

// What a model says of the clicks on the pages of a part of a log.
class Predictions : public ImpressionSink {
 public:
  Predictions(const ModelParameters& parameters, bool conditional)
      : parameters_(&parameters), conditional_(conditional) {}

  void add(const Impression& impression) override {
    parameters_->find(impression, page_);
    const std::size_t begin = column.real.size();
    column.real.resize(begin + impression.items.size());
    const std::span<double> p = std::span(column.real).subspan(begin);
    if (conditional_) {
      parameters_->click_model().conditional(page_, impression.clicks, p);
    } else {
      parameters_->click_model().full(page_, p);
    }
    column.end_list();
    deeper += page_.deeper ? 1 : 0;
  }

  double deeper = 0;  // pages longer than those that the model was fitted to
  Column column = make_column("probability", Column::Kind::kReal, true);

 private:
  const ModelParameters* parameters_;
  bool conditional_;
  PageParameters page_;
};

struct Predicted {
  Table table;
  LogReport report;
  double deeper;
};

Predicted predictions(const FittedModel& model, const Pages& pages, bool conditional,
                      unsigned threads, nb::handle progress) {
  return run_long_for(progress, [&](const WorkControl& control) {
    const ModelParameters parameters(model);
    std::vector<std::shared_ptr<Predictions>> parts(pages.log.parts());
    LogReport report = read_log(
        pages.log, pages.reading(threads, {control.stop, &control.done}), [&](std::size_t p) {
          return parts[p] = std::make_shared<Predictions>(parameters, conditional);
        });
    require_impressions(report);
    std::vector<Column> all{make_column("probability", Column::Kind::kReal, true)};
    double deeper = 0;
    for (const auto& part : parts) {
      all.front().append(part->column);
      deeper += part->deeper;
    }
    return Predicted{Table(std::move(all)), std::move(report), deeper};
  });
}

std::tuple<Table, Skips, std::string> predict(const FittedModel& model, const Pages& pages,
                                              bool conditional, unsigned threads,
                                              nb::handle progress) {
  Predicted predicted = predictions(model, pages, conditional, threads, progress);
  const auto rows = static_cast<double>(predicted.table.rows());
  return {std::move(predicted.table), skips_of(predicted.report),
          deeper_note(model, predicted.deeper, rows)};
}

Table sample(const FittedModel& model, std::uint64_t pages, std::uint64_t seed, bool optimal,
             nb::handle progress) {
  return run_long_for(progress, [&](const WorkControl& control) {
    LogGenerator generator(model, optimal ? RankingKind::kOptimal : RankingKind::kRandom,
                           Rng(stream_key(Stream::kUsers, seed, 0)));
    PageColumns columns;
    for (std::uint64_t i = 0; i < pages; ++i) {
      if (i % 4096 == 0 && control.stop.stop_requested()) throw Interrupted();
      columns.add(generator.next());
      ++control.done;
    }
    return table_of(std::move(columns));
  });
}

// As JSON, or compact, by the name.
void save(const FittedModel& model, const std::string& path) {
  AtomicFile file(path);
  file.write(is_compact_name(path) ? print_compact(model) : print_model(model));
  file.commit();
}

// A model or counts, whichever the file holds.
std::variant<FittedModel, LogStatistics> load(const std::string& path) {
  const std::string text = read_file(path);
  if (!text.starts_with("dcmrank.counts")) return parse_model(text, path);
  return parse_counts(text, path);
}

void bind_arguments(nb::module_& m) {
  nb::class_<FitArguments>(m, "FitArguments")
      .def(nb::init<>())
      .def_rw("model", &FitArguments::model)
      .def_rw("method", &FitArguments::method)
      .def_rw("shared", &FitArguments::shared)
      .def_rw("prior", &FitArguments::prior)
      .def_rw("top", &FitArguments::top, nb::arg("value").none())
      .def_rw("min_impressions", &FitArguments::min_impressions)
      .def_rw("tolerance", &FitArguments::tolerance)
      .def_rw("max_iterations", &FitArguments::max_iterations)
      .def_rw("max_tails", &FitArguments::max_tails)
      .def_rw("threads", &FitArguments::threads);
}

void bind_scores(nb::module_& m) {
  nb::class_<Scores>(m, "Scores")
      .def_ro("sessions", &Scores::sessions)
      .def_ro("log_likelihood", &Scores::log_likelihood)
      .def_ro("perplexity", &Scores::perplexity)
      .def_ro("conditional_perplexity", &Scores::conditional_perplexity)
      .def_ro("perplexity_at", &Scores::perplexity_at)
      .def_ro("conditional_perplexity_at", &Scores::conditional_perplexity_at);
}

void bind_fitted(nb::module_& m) {
  nb::class_<FittedModel>(m, "FittedModel")
      .def_ro("model", &FittedModel::model)
      .def_ro("method", &FittedModel::method)
      .def_ro("positions", &FittedModel::positions)
      .def_prop_ro("prior",
                   [](const FittedModel& model) {
                     return std::pair(model.prior.successes, model.prior.failures);
                   })
      .def_prop_ro("uses_em", [](const FittedModel& model) { return !model.em.objective.empty(); })
      .def_prop_ro("iterations", [](const FittedModel& model) { return model.em.iterations(); })
      .def_prop_ro("converged", [](const FittedModel& model) { return model.em.converged; })
      .def_prop_ro("tolerance", [](const FittedModel& model) { return model.em.tolerance; })
      .def_prop_ro("trace", [](const FittedModel& model) { return model.em.log_likelihood; })
      .def("report", [](const FittedModel& model) { return report_dict(model.log); })
      .def("skips", [](const FittedModel& model) { return skips_of(model.log); })
      .def("queries", queries_table, Alone())
      .def("attraction", attraction_table, Alone())
      .def("item_parameter", item_parameter_table, nb::arg("name"), Alone())
      .def("list_parameter", list_parameter_table, nb::arg("name"), Alone())
      .def("text", print_model, Alone())
      .def("save", save, nb::arg("path"), Alone())
      .def("problem", problem_of_query, nb::arg("query"), nb::arg("source"), nb::arg("min_shown"),
           Alone())
      .def("score", score, nb::arg("pages"), nb::arg("threads"), nb::arg("progress").none())
      .def("predict", predict, nb::arg("pages"), nb::arg("conditional"), nb::arg("threads"),
           nb::arg("progress").none())
      .def("sample", sample, nb::arg("pages"), nb::arg("seed"), nb::arg("optimal"),
           nb::arg("progress").none())
      .def("__getstate__", print_model, Alone())
      .def(
          "__setstate__",
          [](FittedModel& model, const std::string& text) {
            new (&model) FittedModel(parse_model(text, "the pickled model"));
          },
          Alone());
}

}  // namespace

void bind_models(nb::module_& m) {
  bind_arguments(m);
  bind_scores(m);
  bind_fitted(m);
  m.def("fit_pages", fit_pages, nb::arg("pages"), nb::arg("arguments"), nb::arg("progress").none());
  m.def("fit_counts", fit_counted, nb::arg("counts"), nb::arg("arguments"),
        nb::arg("progress").none());
  m.def("parse_model", parse_model, nb::arg("text"), nb::arg("source"), Alone());
  m.def("load", load, nb::arg("path"), Alone());
}

}  // namespace dcmrank::python
