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

/// The model of callers that name none.
inline const std::string kDefaultModel = "default";

/// The model that a caller means: the one they named, or else the only one of their key, or else
/// `default`.
inline std::string_view meant_model(std::string_view named, std::string_view of_key) {
  return !named.empty() ? named : !of_key.empty() ? of_key : std::string_view(kDefaultModel);
}

/// The time of a model that has none of its own: that of the service.
inline constexpr std::int64_t kAsTheService = INT64_MAX;

/// Who ranks the queries of a model, and how.
struct Model {
  std::int64_t id = 0;
  std::string name;
  std::string said;   // the policy as it was asked for: `recommended` is what that is today
  PolicySpec policy;  // what it stands for
  RowFamily family = DcmRows::kFamily;
  std::size_t k = 10;
  std::int64_t close_after = kAsTheService;  // milliseconds, as it was asked for
  std::int64_t closes_after = 0;             // what that stands for in this service; not stored
  bool shadow = false;                       // answers the caller's order, learns all the same
  std::string kept;                          // the family of the rows that are kept; empty: none
  std::int64_t learned_anew = 0;             // when, because `recommended` became another policy
  std::string unknown;  // why this program, of its policy, cannot serve it; empty: it can

  /// What its queries have in common (policy/open_policy.h): derived, and put in its place whenever
  /// it was fitted again.
  std::shared_ptr<const std::vector<double>> shared;
  std::uint64_t fitted = 1;  // another number after each fit, in all models
};

/// Sets what the model said and what that stands for in a service.
void set_policy(Model& model, std::string_view said);

/// Throws InputError if the policy does not exist or cannot have k positions.
void check_model(Model& model);
/// The same of one that was read from a database: another program, with policies that this one
/// lacks, may have stored it. Then `unknown` says so, and what helps.
void check_stored_model(Model& model);
/// Throws InputError if one of them is unknown.
void refuse_unknown(const std::vector<Model>& models);

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
  /// What they share is kept, where the same model is there again.
  void set(std::vector<Model> models);
  /// What the queries of a model have in common, from now on.
  void share(std::int64_t id, std::vector<double> row);

 private:
  void publish(std::shared_ptr<const ModelList> list);

  mutable std::mutex mutex_;
  std::shared_ptr<const ModelList> list_ = std::make_shared<ModelList>();
  std::atomic<std::uint64_t> version_ = 0;
  std::uint64_t fits_ = 1;
};

}  // namespace dcmrank::service
