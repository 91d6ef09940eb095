#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <typeinfo>
#include <utility>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/policy/policy.h"
#include "dcmrank/registry/any_open_policy.h"

namespace dcmrank {

/// Any policy, decided at run time. A Policy itself, and a value: copies are independent. Calling
/// what the policy inside does not offer throws InputError. One thread at a time.
class AnyPolicy {
 public:
  // In this order: Policy<AnyPolicy> asks whether it can be copied, and so for this again.
  template <class P>
  requires(!std::same_as<P, AnyPolicy> && MeantAsPolicy<P>)
      AnyPolicy(P policy)  // NOLINT(google-explicit-constructor): it is one
      : held_(hold(std::move(policy))) {}
  AnyPolicy(const AnyPolicy& other) : held_(other.held_->copy()) {}
  AnyPolicy(AnyPolicy&&) noexcept = default;
  AnyPolicy& operator=(const AnyPolicy& other) {
    if (this != &other) held_ = other.held_->copy();
    return *this;
  }
  AnyPolicy& operator=(AnyPolicy&&) noexcept = default;
  ~AnyPolicy() = default;

  void rank(Rng& rng, Ranking& ranking) { held_->rank(rng, ranking); }
  void update(const Ranking& shown, Clicks clicks) { held_->update(shown, clicks); }

  bool wants_initial_sample() const { return held_->wants_initial_sample(); }
  void observe_initial(std::span<const std::uint8_t> sample) { held_->observe_initial(sample); }

  bool can_save() const { return held_->can_save(); }
  nlohmann::ordered_json save() const;
  void load(const nlohmann::ordered_json& state);

  bool can_open() const { return held_->can_open(); }
  AnyOpenPolicy open_view() const { return held_->open_view(); }

  /// The policy inside, where it is of this type; else nullptr.
  template <Policy P>
  P* as() {
    // Not by a cast to Held<P>: that would compile all of P wherever somebody asks.
    return static_cast<P*>(held_->of_type(typeid(P)));
  }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual std::unique_ptr<Base> copy() const = 0;
    virtual void rank(Rng& rng, Ranking& ranking) = 0;
    virtual void update(const Ranking& shown, Clicks clicks) = 0;
    virtual bool wants_initial_sample() const = 0;
    virtual void observe_initial(std::span<const std::uint8_t> sample) = 0;
    virtual bool can_save() const = 0;
    virtual void save(nlohmann::ordered_json& state) const = 0;
    virtual void load(const nlohmann::ordered_json& state) = 0;
    virtual bool can_open() const = 0;
    virtual AnyOpenPolicy open_view() const = 0;
    virtual void* of_type(const std::type_info& type) = 0;
  };

  [[noreturn]] static void cannot_save();
  [[noreturn]] static void cannot_open();

  template <Policy P>
  struct Held final : Base {
    // What is there by half would be taken for not there at all.
    static_assert(Savable<P> || !(
                                    requires(P & policy) { policy.save(); } ||
                                    requires(P & policy, const nlohmann::ordered_json& state) {
                                      policy.load(state);
                                    }),
                  "what can be saved has `nlohmann::ordered_json save() const` and "
                  "`void load(const nlohmann::ordered_json&)` (policy/policy.h)");
    static_assert(TakesInitialSample<P> ||
                      !(
                          requires(P & policy) { policy.wants_initial_sample(); } ||
                          requires(P & policy, std::span<const std::uint8_t> sample) {
                            policy.observe_initial(sample);
                          }),
                  "what takes the initial sample has `bool wants_initial_sample() const` and "
                  "`void observe_initial(std::span<const std::uint8_t>)` (policy/policy.h)");
    static_assert(
        requires(const P& constant) { constant.open_view(); } ||
            !requires(P & policy) { policy.open_view(); },
        "what can serve has an `open_view() const` (policy/open_policy.h)");
    static_assert(opens_wholly<P>());
    explicit Held(P held) : policy(std::move(held)) {}
    std::unique_ptr<Base> copy() const override { return std::make_unique<Held>(policy); }
    void rank(Rng& rng, Ranking& ranking) override { policy.rank(rng, ranking); }
    void update(const Ranking& shown, Clicks clicks) override { policy.update(shown, clicks); }
    bool wants_initial_sample() const override {
      if constexpr (TakesInitialSample<P>) return policy.wants_initial_sample();
      return false;
    }
    void observe_initial(std::span<const std::uint8_t> sample) override {
      if constexpr (TakesInitialSample<P>) policy.observe_initial(sample);
    }
    bool can_save() const override { return Savable<P>; }
    void save(nlohmann::ordered_json& state) const override {
      if constexpr (Savable<P>) {
        state = policy.save();
      } else {
        cannot_save();
      }
    }
    void load(const nlohmann::ordered_json& state) override {
      if constexpr (Savable<P>) {
        policy.load(state);
      } else {
        cannot_save();
      }
    }
    bool can_open() const override { return Opens<P>; }
    AnyOpenPolicy open_view() const override {
      if constexpr (Opens<P>) {
        return AnyOpenPolicy(policy.open_view());
      } else {
        cannot_open();
      }
    }
    void* of_type(const std::type_info& type) override {
      return type == typeid(P) ? &policy : nullptr;
    }
    P policy;
  };

  template <class P>
  static std::unique_ptr<Base> hold(P&& policy) {
    if constexpr (check_policy<P>()) return std::make_unique<Held<P>>(std::forward<P>(policy));
    return nullptr;
  }

  std::unique_ptr<Base> held_;
};

}  // namespace dcmrank
