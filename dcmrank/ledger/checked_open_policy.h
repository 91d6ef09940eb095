#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "dcmrank/ledger/policy_fault.h"
#include "dcmrank/model/list_check.h"
#include "dcmrank/registry/any_open_policy.h"
#include "dcmrank/registry/spec.h"

namespace dcmrank::service {

/// A policy that anybody may have written, as the service holds it: an AnyOpenPolicy whose lists
/// and numbers are checked before anything is done with them. Whatever the policy throws, and
/// whatever it may not return, is a PolicyFault. One thread at a time.
class CheckedOpenPolicy {
 public:
  /// Throws InputError if there is no such policy, or it cannot have so many positions.
  CheckedOpenPolicy(const PolicySpec& spec, std::size_t positions);

  const RowFamily& family() const { return family_; }
  std::size_t item_row() const { return policy_.item_row(); }
  std::size_t position_row() const { return policy_.position_row(); }
  std::size_t shared_row() const { return policy_.shared_row(); }
  std::size_t digest_size() const { return policy_.digest_size(); }

  void open(std::size_t items) {
    check_.resize(items);
    guard([&] { policy_.open(items); });
  }
  void put_round(std::uint64_t t) {
    round_ = t;
    guard([&] { policy_.put_round(t); });
  }
  void put_item(Item e, std::span<const double> row) {
    guard([&] { policy_.put_item(e, row); });
  }
  void put_position(std::size_t k, std::span<const double> row) {
    guard([&] { policy_.put_position(k, row); });
  }
  void add_prior(Item e, const Counts& prior) {
    guard([&] { policy_.add_prior(e, prior); });
  }
  void put_shared(std::span<const double> row) {
    guard([&] { policy_.put_shared(row); });
  }
  void put_digest(Item e, std::span<const double> digest) {
    guard([&] { policy_.put_digest(e, digest); });
  }
  void get_digest(Item e, std::span<double> digest) {
    guard([&] { policy_.get_digest(e, digest); });
  }
  /// As many different candidates as there are positions.
  void rank(Rng& rng, Ranking& ranking) {
    guard([&] { policy_.rank(rng, ranking); });
    if (!check_.is_valid(ranking.items)) refuse("its list " + check_.fault(ranking.items));
  }
  void impose(Ranking& ranking) const {
    guard([&] { policy_.impose(ranking); });
  }
  void update(const Ranking& shown, Clicks clicks) {
    guard([&] { policy_.update(shown, clicks); });
  }
  void get_item(Item e, std::span<double> row) const {
    guard([&] { policy_.get_item(e, row); });
  }
  void get_position(std::size_t k, std::span<double> row) const {
    guard([&] { policy_.get_position(k, row); });
  }
  /// What one page added to the row of the item, or of the position, at place k of its list: the
  /// family says whether that can be, unless it is known to be.
  void check_item(std::size_t k, std::span<const double> added) const {
    check_added("the item at position", k, family_.item_fault, added);
  }
  void check_position(std::size_t k, std::span<const double> added) const {
    check_added("position", k, family_.position_fault, added);
  }
  /// Not NaN; what is infinite becomes the greatest number there is, which JSON can say.
  double score(Item e, std::size_t k) const {
    return number("score", e, guard([&] { return policy_.score(e, k); }));
  }
  double estimate(Item e) {
    return number("estimate", e, guard([&] { return policy_.estimate(e); }));
  }
  std::vector<double> fit_shared(AnyOpenPolicy::Rows item_rows) const;

  /// Throws a PolicyFault with the names of the policy and the round before these words.
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  template <class Call>
  std::invoke_result_t<const Call&> guard(const Call& call) const {
    try {
      return call();
    } catch (const std::exception& error) {
      refuse(error.what());
    } catch (...) {
      refuse("it threw something that is no std::exception");
    }
  }
  void check_added(const char* what, std::size_t k, RowFamily::Fault fault,
                   std::span<const double> added) const {
    if (family_.proven || fault == nullptr) return;
    const std::string_view found = guard([&] { return fault(added, 1); });
    if (!found.empty()) refuse_added(what, k, found);
  }
  [[noreturn]] void refuse_added(const char* what, std::size_t k, std::string_view fault) const;
  double number(const char* what, Item e, double value) const;

  std::string name_;
  AnyOpenPolicy policy_;
  RowFamily family_;
  ListCheck check_;
  std::uint64_t round_ = 0;
};

}  // namespace dcmrank::service
