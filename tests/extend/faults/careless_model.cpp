// Click models whose estimators give what no model file can hold, one fault each.
#include <cmath>
#include <stdexcept>
#include <string>

#include <dcmrank/click_model/click_model.h>
#include <dcmrank/command/run.h>
#include <dcmrank/fit/fit_attraction.h>

using namespace dcmrank;

void full(const PageParameters& page, std::span<double> p) {
  for (std::size_t k = 0; k < p.size(); ++k) p[k] = page.attraction[k];
}

template <auto spoil>
FittedModel fit_carelessly(const Sample& sample, const FitOptions& options) {
  FittedModel fitted = fit_attraction(sample, options.prior, [](const ItemCounts& counts) {
    return Counts{counts.impressions, counts.prefix.attracted};
  });
  fitted.lists["care"].values.assign(sample.positions, 0.5);
  spoil(fitted);
  return fitted;
}

template <auto spoil>
void add(const std::string& name, decltype(ClickModel::full) its_full = full,
         decltype(ClickModel::satisfaction) satisfaction = nullptr) {
  ClickModel model;
  model.name = name;
  model.summary = "careless";
  model.lists = {{.name = "care", .unidentified = "unknown"}};
  model.full = its_full;
  model.conditional = [](const PageParameters& page, Clicks, std::span<double> p) {
    full(page, p);
  };
  model.satisfaction = satisfaction;
  model.fit = fit_carelessly<spoil>;
  add_click_model(model);
}

int main(int argc, char** argv) {
  add<[](FittedModel&) {}>("careful");
  add<[](FittedModel& m) { m.queries[0].items[0].attraction = std::nan(""); }>("nan");
  add<[](FittedModel& m) { m.queries[0].items[0].clicked = 1e9; }>("clicked");
  add<[](FittedModel& m) { m.queries[0].items[0].shown = INFINITY; }>("shown");
  add<[](FittedModel& m) { m.queries[0].items[0].unidentified = {"size"}; }>("unknown-item");
  add<[](FittedModel& m) { m.queries[0].items[0].interval = {1, 0}; }>("interval");
  add<[](FittedModel& m) { m.queries.push_back(m.queries[0]); }>("twice");
  add<[](FittedModel& m) { m.lists["care"].values.push_back(0.5); }>("long");
  add<[](FittedModel& m) { m.lists["care"].unidentified = {99}; }>("unknown-entry");
  add<[](FittedModel& m) { m.lists["cares"].values = {0.5}; }>("undeclared");
  add<[](FittedModel&) { throw std::runtime_error("estimator trouble"); }>("throwing-fit");
  add<[](FittedModel&) {}>("throwing", [](const PageParameters&, std::span<double>) {
    throw std::runtime_error("model trouble");
  });
  add<[](FittedModel&) {}>("thrice", [](const PageParameters&, std::span<double> p) { p[0] = 3; });
  add<[](FittedModel&) {}>("delighted", full, [](const PageParameters&) { return 3.0; });
  return run_command(argc, argv);
}
