// A click model of one's own, with a parameter of its own: users click any item by its attraction
// times a chance that all queries share ("eagerness"), whatever the position. It is fitted, scored,
// inspected, written, read, made logs of and simulated; nothing else knows it.
#include <dcmrank/click_model/click_model.h>
#include <dcmrank/command/run.h>
#include <dcmrank/fit/fit_attraction.h>

using namespace dcmrank;

void full(const PageParameters& page, std::span<double> p) {
  for (std::size_t k = 0; k < p.size(); ++k) p[k] = page.lists[0][0] * page.attraction[k];
}

FittedModel fit_eager(const Sample& sample, const FitOptions& options) {
  FittedModel fitted = fit_attraction(sample, options.prior, [](const ItemCounts& counts) {
    return Counts{counts.impressions / 2, counts.prefix.attracted};
  });
  fitted.lists["eagerness"].values = {0.5};
  return fitted;
}

int main(int argc, char** argv) {
  ClickModel model;
  model.name = "eager";
  model.summary = "click-through rate, halved and doubled again";
  model.lists = {{.name = "eagerness", .shape = ListShape::kNumbers, .numbers = 1}};
  model.full = full;
  model.conditional = [](const PageParameters& page, Clicks, std::span<double> p) {
    full(page, p);
  };
  model.fit = fit_eager;
  model.best_by_attraction = true;
  add_click_model(model);
  return run_command(argc, argv);
}
