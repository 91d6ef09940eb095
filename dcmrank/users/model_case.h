#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dcmrank/click_model/click_model.h"
#include "dcmrank/model/interaction.h"

namespace dcmrank {

/// Items and positions that users of a click model are shown, with the model's parameters.
struct ModelCase {
  const ClickModel* model = nullptr;
  std::size_t positions = 0;
  std::vector<double> attraction;          // by item
  std::vector<std::vector<double>> items;  // the model's item parameters; each by item
  std::vector<std::vector<double>>
      lists;  // the model's list parameters; each as long as a page needs

  Reward reward = Reward::kUsual;

  double best = 0;  // expected reward of best_list(); model_problem.cpp finds it, once
};

/// The parameters of a shown list. The page is this thread's, and valid until the next call.
const PageParameters& page_of(const ModelCase& model_case, std::span<const Item> list);

/// The expected reward of a list.
double reward_of(const ModelCase& model_case, std::span<const Item> list);

}  // namespace dcmrank
