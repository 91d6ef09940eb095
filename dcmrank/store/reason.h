#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace dcmrank::service {

/// Why something could not be stored or read. What a database says names its host, its users and
/// its files: that is for whoever runs the service. Callers are told our own words.
struct Reason {
  std::string why{};   // all of it; empty: there is none
  std::string told{};  // what anybody may hear of it

  bool empty() const { return why.empty(); }
};

/// One in our own words alone.
inline Reason our_reason(std::string words) {
  std::string same = words;
  return {std::move(words), std::move(same)};
}

/// The store could not read or write: the disk is full, fails, or a file is damaged.
class StorageError : public std::runtime_error {
 public:
  /// In our own words.
  explicit StorageError(const std::string& words) : StorageError(our_reason(words)) {}
  explicit StorageError(Reason reason)
      : std::runtime_error(reason.why), told_(std::move(reason.told)) {}

  Reason reason() const { return {what(), told_}; }

 private:
  std::string told_;
};

/// The store was lost at the end of a change: nobody knows whether it was made.
class UnsureError : public StorageError {
 public:
  explicit UnsureError(const Reason& lost)
      : StorageError(Reason{add_to(lost.why), add_to(lost.told)}), lost_(lost) {}

  /// Of the store, without what it means for whoever asked for the change.
  const Reason& lost() const { return lost_; }

 private:
  static std::string add_to(const std::string& lost) {
    return "whether it was done is not known; look before you send it again: " + lost;
  }

  Reason lost_;
};

}  // namespace dcmrank::service
