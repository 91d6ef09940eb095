#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "dcmrank/model/prior.h"
#include "dcmrank/policy/open_policy.h"

namespace dcmrank {

/// Any policy over items that come and go, decided at run time: what a service holds. A value;
/// copies are independent. One thread at a time. What is optional is always there: a policy that
/// shares nothing has a shared row of 0 numbers.
class AnyOpenPolicy {
 public:
  // In this order: OpenPolicy<AnyOpenPolicy> asks whether it can be copied, and so for this again.
  template <class P>
  requires(!std::same_as<P, AnyOpenPolicy> && OpenPolicy<P>) explicit AnyOpenPolicy(P policy)
      : held_(std::make_unique<Held<P>>(std::move(policy))) {}
  AnyOpenPolicy(const AnyOpenPolicy& other) : held_(other.held_->copy()) {}
  AnyOpenPolicy(AnyOpenPolicy&&) noexcept = default;
  AnyOpenPolicy& operator=(const AnyOpenPolicy& other) {
    if (this != &other) held_ = other.held_->copy();
    return *this;
  }
  AnyOpenPolicy& operator=(AnyOpenPolicy&&) noexcept = default;
  ~AnyOpenPolicy() = default;

  RowFamily family() const { return held_->family(); }
  void open(std::size_t items) { held_->open(items); }
  std::size_t item_row() const { return held_->item_row(); }
  std::size_t position_row() const { return held_->position_row(); }
  void put_round(std::uint64_t t) { held_->put_round(t); }
  void put_item(Item e, std::span<const double> row) { held_->put_item(e, row); }
  void put_position(std::size_t k, std::span<const double> row) { held_->put_position(k, row); }
  void add_prior(Item e, const Counts& prior) { held_->add_prior(e, prior); }
  void rank(Rng& rng, Ranking& ranking) { held_->rank(rng, ranking); }
  void update(const Ranking& shown, Clicks clicks) { held_->update(shown, clicks); }
  void impose(Ranking& ranking) const { held_->impose(ranking); }
  void get_item(Item e, std::span<double> row) const { held_->get_item(e, row); }
  void get_position(std::size_t k, std::span<double> row) const { held_->get_position(k, row); }
  double score(Item e, std::size_t k) const { return held_->score(e, k); }

  double estimate(Item e) { return held_->estimate(e); }

  using Rows = std::span<const std::span<const double>>;
  std::size_t shared_row() const { return held_->shared_row(); }
  void put_shared(std::span<const double> row) { held_->put_shared(row); }
  std::vector<double> fit_shared(Rows item_rows) const { return held_->fit_shared(item_rows); }

  /// 0 if the policy makes no digests.
  std::size_t digest_size() const { return held_->digest_size(); }
  void put_digest(Item e, std::span<const double> digest) { held_->put_digest(e, digest); }
  void get_digest(Item e, std::span<double> digest) { held_->get_digest(e, digest); }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual std::unique_ptr<Base> copy() const = 0;
    virtual RowFamily family() const = 0;
    virtual void open(std::size_t items) = 0;
    virtual std::size_t item_row() const = 0;
    virtual std::size_t position_row() const = 0;
    virtual void put_round(std::uint64_t t) = 0;
    virtual void put_item(Item e, std::span<const double> row) = 0;
    virtual void put_position(std::size_t k, std::span<const double> row) = 0;
    virtual void add_prior(Item e, const Counts& prior) = 0;
    virtual void rank(Rng& rng, Ranking& ranking) = 0;
    virtual void update(const Ranking& shown, Clicks clicks) = 0;
    virtual void impose(Ranking& ranking) const = 0;
    virtual void get_item(Item e, std::span<double> row) const = 0;
    virtual void get_position(std::size_t k, std::span<double> row) const = 0;
    virtual double score(Item e, std::size_t k) const = 0;
    virtual double estimate(Item e) = 0;
    virtual std::size_t shared_row() const = 0;
    virtual void put_shared(std::span<const double> row) = 0;
    virtual std::vector<double> fit_shared(Rows item_rows) const = 0;
    virtual std::size_t digest_size() const = 0;
    virtual void put_digest(Item e, std::span<const double> digest) = 0;
    virtual void get_digest(Item e, std::span<double> digest) = 0;
  };

  template <OpenPolicy P>
  struct Held final : Base {
    explicit Held(P held) : policy(std::move(held)) {}
    std::unique_ptr<Base> copy() const override { return std::make_unique<Held>(policy); }
    RowFamily family() const override { return P::family(); }
    void open(std::size_t items) override { policy.open(items); }
    std::size_t item_row() const override { return policy.item_row(); }
    std::size_t position_row() const override { return policy.position_row(); }
    void put_round(std::uint64_t t) override { policy.put_round(t); }
    void put_item(Item e, std::span<const double> row) override { policy.put_item(e, row); }
    void put_position(std::size_t k, std::span<const double> row) override {
      policy.put_position(k, row);
    }
    void add_prior(Item e, const Counts& prior) override { policy.add_prior(e, prior); }
    void rank(Rng& rng, Ranking& ranking) override { policy.rank(rng, ranking); }
    void update(const Ranking& shown, Clicks clicks) override { policy.update(shown, clicks); }
    void impose(Ranking& ranking) const override { policy.impose(ranking); }
    void get_item(Item e, std::span<double> row) const override { policy.get_item(e, row); }
    void get_position(std::size_t k, std::span<double> row) const override {
      policy.get_position(k, row);
    }
    double score(Item e, std::size_t k) const override { return policy.score(e, k); }
    double estimate(Item e) override {
      if constexpr (Estimates<P>) {
        return policy.estimate(e);
      } else {
        numbers.resize(policy.item_row());
        policy.get_item(e, numbers);
        return posterior_mean(P::family().counts_in(numbers));
      }
    }
    std::size_t shared_row() const override {
      if constexpr (Shares<P>) return policy.shared_row();
      return 0;
    }
    void put_shared([[maybe_unused]] std::span<const double> shared) override {
      if constexpr (Shares<P>) policy.put_shared(shared);
    }
    std::vector<double> fit_shared([[maybe_unused]] Rows item_rows) const override {
      if constexpr (Shares<P>) return policy.fit_shared(item_rows);
      return {};
    }
    std::size_t digest_size() const override {
      if constexpr (Digests<P>) return policy.digest_size();
      return 0;
    }
    void put_digest([[maybe_unused]] Item e,
                    [[maybe_unused]] std::span<const double> digest) override {
      if constexpr (Digests<P>) policy.put_digest(e, digest);
    }
    void get_digest([[maybe_unused]] Item e, [[maybe_unused]] std::span<double> digest) override {
      if constexpr (Digests<P>) policy.get_digest(e, digest);
    }
    P policy;
    std::vector<double> numbers;  // scratch of estimate
  };

  std::unique_ptr<Base> held_;
};

}  // namespace dcmrank
