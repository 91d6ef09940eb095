#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "dcmrank/ledger/learner.h"
#include "dcmrank/policy/dcm_rows.h"

namespace dcmrank::service {

/// The model of whoever names none.
inline const std::string kDefaultModel = "default";

/// Who ranks the queries of a model, and how.
struct Model {
  std::int64_t id = 0;
  std::string name;
  PolicySpec policy;
  RowFamily family = DcmRows::kFamily;
  std::size_t k = 10;
  std::int64_t close_after = 30LL * 60 * 1000;  // milliseconds
  bool shadow = false;                          // answers the caller's order, learns all the same
};

/// The policy as it is stored: `recommended` becomes the name that it stands for today, so that
/// another version of the program does not change what a model does.
PolicySpec resolve_policy(std::string_view text);

/// Throws InputError where the policy does not exist or cannot have k positions.
void check_model(Model& model);

/// All models. A snapshot never changes.
struct ModelList {
  std::map<std::string, std::shared_ptr<const Model>, std::less<>> by_name;
  std::map<std::int64_t, std::shared_ptr<const Model>> by_id;
};

/// The models as they are now. Threads keep a snapshot and ask whether it is still the latest,
/// which costs them one load.
class Models {
 public:
  std::shared_ptr<const ModelList> get() const;
  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }
  void set(std::vector<Model> models);

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const ModelList> list_ = std::make_shared<ModelList>();
  std::atomic<std::uint64_t> version_ = 0;
};

}  // namespace dcmrank::service
