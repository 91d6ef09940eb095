// A kind of user of one's own: they look at a random number of positions, and click whatever
// attracts them there. In a problem file: {"model": "hurried", "attraction": [...], "positions":
// K}.
#include <algorithm>
#include <functional>
#include <vector>

#include <dcmrank/base/error.h>
#include <dcmrank/command/run.h>
#include <dcmrank/random/rng.h>
#include <dcmrank/users/problem.h>
#include <nlohmann/json.hpp>

using dcmrank::Item;

struct HurriedUsers {
  std::vector<double> attraction;
  std::size_t positions;
  std::uint64_t key;

  bool happens(std::uint64_t t, std::uint64_t n, double p) const {
    return dcmrank::to_unit(dcmrank::subkey(dcmrank::subkey(key, t), n)) < p;
  }
  std::size_t depth(std::uint64_t /*t*/) const { return positions; }
  double visit(std::uint64_t t, std::span<const Item> list, std::span<std::uint8_t> clicks) const {
    bool looks = true;
    double sum = 0;
    for (std::size_t k = 0; k < clicks.size(); ++k) {
      clicks[k] = looks && happens(t, list[k], attraction[list[k]]) ? 1 : 0;
      looks = looks && happens(t, attraction.size() + k, 0.7);
      sum += clicks[k];
    }
    return sum;
  }
  void initial_sample(std::span<std::uint8_t> attracted) const {
    for (std::size_t e = 0; e < attracted.size(); ++e) {
      attracted[e] = happens(0, e, attraction[e]) ? 1 : 0;
    }
  }
  double expected_reward(std::span<const Item> list) const {
    double looks = 1;
    double sum = 0;
    for (const Item e : list) {
      sum += looks * attraction[e];
      looks *= 0.7;
    }
    return sum;
  }
  double best_expected_reward() const {
    std::vector<Item> items(attraction.size());
    for (Item e = 0; e < items.size(); ++e) items[e] = e;
    std::sort(items.begin(), items.end(),
              [&](Item a, Item b) { return attraction[a] > attraction[b]; });
    return expected_reward(std::span(items).first(positions));
  }
};

dcmrank::Problem read_hurried(const nlohmann::ordered_json& json) {
  const auto attraction = json.at("attraction").get<std::vector<double>>();
  const auto positions = json.at("positions").get<std::size_t>();
  if (positions == 0 || positions > attraction.size()) {
    throw dcmrank::InputError("\"positions\" must be from 1 to the number of items");
  }
  dcmrank::OtherUsers users{"hurried", attraction.size(), positions, json.dump(),
                            [=](std::uint64_t seed, std::uint64_t run) -> dcmrank::AnyUsers {
                              return HurriedUsers{
                                  attraction, positions,
                                  dcmrank::stream_key(dcmrank::Stream::kUsers, seed, run)};
                            }};
  // Sorted by attraction, a list loses nothing. Without this the arena gives no verdict.
  users.facts.floor = 0;
  return users;
}

int main(int argc, char** argv) {
  dcmrank::add_problem_kind({"hurried", read_hurried});
  return dcmrank::run_command(argc, argv);
}
