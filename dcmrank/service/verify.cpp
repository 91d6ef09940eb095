#include "dcmrank/service/verify.h"

#include <algorithm>

#include <fmt/format.h>

#include "dcmrank/base/text.h"

namespace dcmrank::service {
namespace {

class Recount {
 public:
  explicit Recount(StoreReader& store) : store_(&store) {}

  VerifyReport run() {
    for (const std::string& found : store_->check()) fault(found);
    for (const std::string& found : store_->unfinished()) {
      if (++report_.unfinished <= kShown) report_.first_unfinished.push_back(found);
    }
    for (const Model& model : store_->models()) {
      std::string after;
      for (;;) {
        const auto some = store_->queries(model.id, after, 100);
        for (const auto& query : some) count({model.id, query.name});
        if (some.empty()) break;
        after = some.back().name;
      }
    }
    return report_;
  }

 private:
  static constexpr std::size_t kShown = 20;

  void fault(const std::string& what) {
    if (++report_.faults <= kShown) report_.first_faults.push_back(what);
  }

  void count(const QueryKey& key) {
    QueryState state;
    QueryState sum;
    try {
      const auto each = [&](const Impression& impression) {
        check(impression);
        apply(sum, impression.page, impression.contribution, 1);
      };
      if (!store_->recount(key, state, sum, each)) return;  // erased meanwhile
    } catch (const StorageError&) {
      throw;
    } catch (const std::runtime_error& error) {
      return fault(fmt::format("query {}: {}", quote(key.query), error.what()));
    }
    ++report_.queries;
    compare(quote(key.query), state, sum);
  }

  void check(const Impression& impression) {
    ++report_.impressions;
    if (impression.state != ImpressionState::kOpen) return;
    ++report_.open;
    if (impression.contribution.counted) {
      fault(fmt::format("impression {} is open but taught", impression_id(impression)));
    }
  }

  void compare(const std::string& name, const QueryState& state, const QueryState& sum) {
    if (state.rounds != sum.rounds) {
      fault(fmt::format("query {}: {} rounds are stored, {} counted", name, state.rounds,
                        sum.rounds));
    }
    const Row none;
    for (std::size_t k = 0; k < std::max(state.positions.size(), sum.positions.size()); ++k) {
      const Row& stored = k < state.positions.size() ? state.positions[k] : none;
      if (stored != (k < sum.positions.size() ? sum.positions[k] : none)) {
        fault(fmt::format("query {}: position {} differs from its recount", name, k + 1));
      }
    }
    for (const auto& entry : state.items.entries()) {
      ++report_.items;
      if (entry.row() == sum.items.find(entry.id)) continue;
      fault(fmt::format("query {}: item {} differs from its recount", name, quote(entry.id)));
    }
    for (const auto& entry : sum.items.entries()) {
      if (!state.items.find(entry.id).empty() || entry.row().empty()) continue;
      fault(fmt::format("query {}: item {} is missing", name, quote(entry.id)));
    }
  }

  StoreReader* store_;
  VerifyReport report_;
};

}  // namespace

VerifyReport verify(StoreReader& store) { return Recount(store).run(); }

}  // namespace dcmrank::service
