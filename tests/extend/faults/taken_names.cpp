// Names that are taken, one of each kind: the first argument says which is added.
#include <string_view>

#include <dcmrank/click_model/click_model.h>
#include <dcmrank/command/run.h>
#include <dcmrank/log/format.h>
#include <dcmrank/registry/registry.h>
#include <dcmrank/users/problem.h>

using namespace dcmrank;

struct Top {
  explicit Top(const Shape& shape) : positions(shape.positions) {}
  void rank(Rng& /*rng*/, Ranking& ranking) const {
    ranking.items.clear();
    for (Item e = 0; e < positions; ++e) ranking.items.push_back(e);
  }
  void update(const Ranking& /*shown*/, Clicks /*clicks*/) {}
  std::size_t positions;
};

int main(int argc, char** argv) {
  const std::string_view kind = argc > 1 ? argv[1] : "";
  if (kind == "policy") add_policy<Top>("dcm-ts", "taken");
  if (kind == "users") add_problem_kind({"pbm", [](const auto&) -> Problem { return Dcm{}; }});
  if (kind == "model") add_click_model(kPbmModel);
  if (kind == "format") add_log_format(kTsv);
  return run_command(argc, argv);
}
