#include "dcmrank/users/model_case.h"

namespace dcmrank {

const PageParameters& page_of(const ModelCase& model_case, std::span<const Item> list) {
  thread_local PageParameters page;
  const auto pick = [&](const std::vector<double>& by_item, std::vector<double>& by_position) {
    by_position.resize(list.size());
    for (std::size_t k = 0; k < list.size(); ++k) by_position[k] = by_item[list[k]];
  };
  pick(model_case.attraction, page.attraction);
  page.items.resize(model_case.items.size());
  for (std::size_t n = 0; n < page.items.size(); ++n) pick(model_case.items[n], page.items[n]);
  page.lists = model_case.lists;
  return page;
}

double reward_of(const ModelCase& model_case, std::span<const Item> list) {
  return expected_reward(*model_case.model, page_of(model_case, list), model_case.reward);
}

}  // namespace dcmrank
