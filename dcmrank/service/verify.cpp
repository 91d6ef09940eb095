#include "dcmrank/service/verify.h"

#include <algorithm>

#include <fmt/format.h>

#include "dcmrank/base/text.h"

namespace dcmrank::service {
namespace {

// Of counts alone: what a page taught is what its clicks say. Not where an item was erased, whose
// clicks went with it.
bool is_of_its_clicks(const Impression& impression, const RowFamily& family) {
  const std::vector<Row>& taught = impression.contribution.items;
  const auto& items = impression.page.items;
  const bool erased =
      std::any_of(items.begin(), items.end(), [](const std::string& item) { return item.empty(); });
  if (!impression.contribution.counted || erased) return true;
  const Clicks seen = impression.seen_clicks();
  for (std::size_t k = 0; k < std::max(items.size(), taught.size()); ++k) {
    const Counts counts = k < taught.size() ? counts_in(family, taught[k]) : Counts{};
    const bool on_screen = k < seen.size();
    if (counts.observed != (on_screen ? 1 : 0)) return false;
    if (counts.attracted != (on_screen && seen[k] != 0 ? 1 : 0)) return false;
  }
  return true;
}

class Recount {
 public:
  explicit Recount(StoreReader& store) : store_(&store) {}

  VerifyReport run() {
    for (const std::string& found : store_->check()) fault(found);
    for (const std::string& found : store_->unfinished()) {
      if (++report_.unfinished <= kShown) report_.first_unfinished.push_back(found);
    }
    for (const Model& model : store_->models()) {
      if (!model.unknown.empty()) report_.unknown.push_back(model.unknown);
      std::string after;
      for (;;) {
        const auto some = store_->queries(model.id, after, 100);
        for (const auto& query : some) count(model, {model.id, query.name});
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

  void count(const Model& model, const QueryKey& key) {
    const std::string name = fmt::format("model {}, query {}", quote(model.name), quote(key.query));
    QueryState state;
    QueryState sum;
    try {
      const auto each = [&](const Impression& impression) {
        check(model, impression);
        apply(sum, impression.page, impression.contribution, 1);
      };
      if (!store_->recount(key, state, sum, each)) return;  // erased meanwhile
    } catch (const StorageError&) {
      throw;
    } catch (const std::runtime_error& error) {
      return fault(fmt::format("{}: {}", name, error.what()));
    }
    ++report_.queries;
    compare(name, state, sum);
  }

  void check(const Model& model, const Impression& impression) {
    ++report_.impressions;
    for (const std::string& event : store_->lost_events(impression)) {
      fault(fmt::format("impression {}: its event {} is missing", impression_id(impression),
                        quote(event)));
    }
    if (impression.state != ImpressionState::kOpen) {
      // A model that is going to learn anew has rows of before.
      const bool known =
          model.unknown.empty() && model.family.only_counts && model.kept == model.family.name;
      if (!known || is_of_its_clicks(impression, model.family)) return;
      fault(
          fmt::format("impression {} taught other clicks than it has", impression_id(impression)));
      return;
    }
    ++report_.open;
    if (impression.contribution.counted) {
      fault(fmt::format("impression {} is open but taught", impression_id(impression)));
    }
  }

  void compare(const std::string& name, const QueryState& state, const QueryState& sum) {
    if (state.rounds != sum.rounds) {
      fault(fmt::format("{}: {} rounds are stored, {} counted", name, state.rounds, sum.rounds));
    }
    const Row none;
    for (std::size_t k = 0; k < std::max(state.positions.size(), sum.positions.size()); ++k) {
      const Row& stored = k < state.positions.size() ? state.positions[k] : none;
      if (stored != (k < sum.positions.size() ? sum.positions[k] : none)) {
        fault(fmt::format("{}: position {} differs from its recount", name, k + 1));
      }
    }
    for (const auto& entry : state.items.entries()) {
      ++report_.items;
      if (entry.row() == sum.items.find(entry.id)) continue;
      fault(fmt::format("{}: item {} differs from its recount", name, quote(entry.id)));
    }
    for (const auto& entry : sum.items.entries()) {
      if (!state.items.find(entry.id).empty() || entry.row().empty()) continue;
      fault(fmt::format("{}: item {} is missing", name, quote(entry.id)));
    }
  }

  StoreReader* store_;
  VerifyReport report_;
};

}  // namespace

VerifyReport verify(StoreReader& store) { return Recount(store).run(); }

}  // namespace dcmrank::service
