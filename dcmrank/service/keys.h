#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dcmrank/http/message.h"
#include "dcmrank/service/key_entry.h"

namespace dcmrank::service {

/// The text of a keys file: lines `sha256:HEX scope[,scope] MODEL` (`*`: all models), which may go
/// on with `name=… expires=… rate=… burst=… held=…`. Throws InputError naming the file and the
/// line.
std::vector<KeyEntry> parse_keys_file(std::string_view text, const std::string& file);

/// The keys of a service. Only hashes are in the files and in memory.
class Keys {
 public:
  Keys() = default;  // nobody needs a key
  /// Without entries nobody needs a key. Throws InputError where two are of the same key.
  explicit Keys(std::vector<KeyEntry> entries);
  Keys(std::string_view text, const std::string& file) : Keys(parse_keys_file(text, file)) {}

  bool needed() const { return !entries_.empty(); }

  /// What is allowed to be written, and can do nothing: one line each, which names the file and the
  /// line.
  std::vector<std::string> notes() const;

  /// What the key of a request allows; throws ApiError (401) where there is none, it is wrong, or
  /// it has expired by the wall clock. Every key is compared, each in constant time.
  Grant grant(const RequestHead& head) const;

 private:
  std::vector<KeyEntry> entries_;
};

/// The keys that hold now; others may take their place while requests are served. Any thread.
class KeyRing {
 public:
  explicit KeyRing(std::shared_ptr<const Keys> keys) : keys_(std::move(keys)) {}

  std::shared_ptr<const Keys> get() const {
    const std::lock_guard lock(mutex_);
    return keys_;
  }
  void set(std::shared_ptr<const Keys> keys) {
    const std::lock_guard lock(mutex_);
    keys_ = std::move(keys);
    version_.fetch_add(1);
  }
  /// Changes with the keys: who keeps what get() gave need not ask again until it does.
  std::uint64_t version() const { return version_; }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Keys> keys_;
  std::atomic<std::uint64_t> version_ = 1;
};

}  // namespace dcmrank::service
