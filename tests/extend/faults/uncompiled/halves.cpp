// Classes of which a part is missing, or is another: the compiler says which. -DFAULT=n chooses
// one.
#include <dcmrank/registry/registry.h>
#include <dcmrank/users/problem.h>

using namespace dcmrank;

struct Whole {
  explicit Whole(const Shape& /*shape*/) {}
  void rank(Rng& /*rng*/, Ranking& /*ranking*/) {}
  void update(const Ranking& /*shown*/, Clicks /*clicks*/) {}
};

struct NoUpdate {
  explicit NoUpdate(const Shape& /*shape*/) {}
  void rank(Rng& /*rng*/, Ranking& /*ranking*/) {}
};

struct OtherRank : Whole {
  using Whole::Whole;
  std::vector<Item> rank(Rng& /*rng*/) { return {}; }
};

struct NoShape {
  void rank(Rng& /*rng*/, Ranking& /*ranking*/) {}
  void update(const Ranking& /*shown*/, Clicks /*clicks*/) {}
};

struct HalfView : Whole {
  using Whole::Whole;
  static RowFamily family() { return {}; }
  void open(std::size_t /*n*/) {}
};
struct HalfOpen : Whole {
  using Whole::Whole;
  HalfView open_view() const { return HalfView(Shape()); }
};

struct NotConst {
  std::size_t depth(std::uint64_t /*t*/) const { return 1; }
  double visit(std::uint64_t /*t*/, std::span<const Item> /*list*/,
               std::span<std::uint8_t> clicks) {
    clicks[0] = 0;
    return 0;
  }
  void initial_sample(std::span<std::uint8_t> /*attracted*/) const {}
  double expected_reward(std::span<const Item> /*list*/) const { return 0; }
  double best_expected_reward() const { return 0; }
};

void use() {
#if FAULT == 0
  add_policy<Whole>("whole", "");
#elif FAULT == 1
  add_policy<NoUpdate>("half", "");
#elif FAULT == 2
  add_policy<OtherRank>("half", "");
#elif FAULT == 3
  add_policy<NoShape>("half", "");
#elif FAULT == 4
  add_policy<HalfOpen>("half", "");
#elif FAULT == 5
  const AnyUsers users = NotConst();
#elif FAULT == 6
  const AnyPolicy policy = NoUpdate(Shape());
#endif
}
