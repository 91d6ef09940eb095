#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "dcmrank/ledger/model.h"
#include "dcmrank/store/store.h"

namespace dcmrank::service {

/// Fits what the queries of a model have in common (policy/open_policy.h) anew as pages come, on a
/// thread of its own, from the rows of some thousand items: of all queries where these are few, of
/// others each time where they are many. Derived from what is stored, and never stored.
class SharedFits {
 public:
  SharedFits(Store& store, Models& models);
  ~SharedFits() { stop(); }
  SharedFits(const SharedFits&) = delete;
  SharedFits& operator=(const SharedFits&) = delete;
  SharedFits(SharedFits&&) = delete;
  SharedFits& operator=(SharedFits&&) = delete;

  void stop();

  /// So many pages more have taught the model. Any thread.
  void taught(std::int64_t model, std::uint64_t pages);

 private:
  struct Progress {
    std::uint64_t pages = 0;
    std::uint64_t next = 1;  // pages at which it is fitted again
    std::string after;       // the query up to which rows were taken last

    bool is_due() const { return pages >= next; }
  };

  void run();
  void fit_due();
  void fit(const Model& model, std::string& after);

  Models* models_;
  std::unique_ptr<StoreReader> reader_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  bool due_ = true;  // some model may be: what was learned before this start
  std::map<std::int64_t, Progress> progress_;
  std::thread thread_;
};

}  // namespace dcmrank::service
