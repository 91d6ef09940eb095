#include "dcmrank/service/shared_fits.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace dcmrank::service {
namespace {

using namespace std::chrono_literals;
constexpr auto kPause = 20ms;            // between fits, however short they are
constexpr std::size_t kPairs = 10'000;   // (query, item) pairs of a fit
constexpr std::uint64_t kShare = 20;     // fitted again when a 20th more pages have come
constexpr std::uint64_t kFewPages = 20;  // but not for fewer than these
constexpr int kSparing = 20;             // of the time, at most so small a part is spent on fits

}  // namespace

SharedFits::SharedFits(Store& store, Models& models) : models_(&models), reader_(store.reader()) {
  // What was learned before this start.
  const auto list = models.get();
  for (const auto& [id, model] : list->by_id) progress_[id].pages = 1;
  thread_ = std::thread([this] { run(); });
}

void SharedFits::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void SharedFits::taught(std::int64_t model, std::uint64_t pages) {
  {
    const std::lock_guard lock(mutex_);
    Progress& progress = progress_[model];
    progress.pages += pages;
    if (!progress.is_due()) return;
    due_ = true;
  }
  wake_.notify_one();
}

// Fits as soon as enough pages have come, but for a pause that keeps it to a small part of the
// time: where little is known a fit is short, and fast traffic does not have to wait for it.
void SharedFits::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return stopping_ || due_; });
    if (stopping_) return;
    due_ = false;
    lock.unlock();
    const auto start = std::chrono::steady_clock::now();
    fit_due();
    const auto took = std::chrono::steady_clock::now() - start;
    const auto pause = std::max<std::chrono::steady_clock::duration>(kPause, kSparing * took);
    lock.lock();
    if (wake_.wait_for(lock, pause, [&] { return stopping_; })) return;
  }
}

void SharedFits::fit_due() {
  const auto list = models_->get();
  for (const auto& [id, model] : list->by_id) {
    std::string after;
    {
      const std::lock_guard lock(mutex_);
      Progress& progress = progress_[id];
      if (!progress.is_due()) continue;
      progress.next = progress.pages + std::max(kFewPages, progress.pages / kShare);
      after = progress.after;
    }
    try {
      fit(*model, after);
    } catch (const std::runtime_error&) {  // cannot be read now: it is tried again as pages come
    }
    const std::lock_guard lock(mutex_);
    progress_[id].after = after;
  }
}

void SharedFits::fit(const Model& model, std::string& after) {
  if (fit_shared(model.policy, model.k, {}).empty()) return;  // it shares nothing
  std::vector<Row> rows;
  const std::string from = std::exchange(after, "");
  for (const std::string& begin : {from, std::string()}) {  // on from there, then from the first
    after = begin;
    while (rows.size() < kPairs) {
      const auto queries = reader_->queries(model.id, after, 50);
      if (queries.empty()) break;
      for (const auto& query : queries) {
        QueryState state;
        reader_->load_state({model.id, query.name}, state);
        for (const auto& entry : state.items.entries()) rows.push_back(entry.row());
        after = query.name;
      }
    }
    if (begin.empty() || rows.size() >= kPairs) break;
    rows.clear();  // few are left: rather the first ones, whole
  }
  models_->share(model.id, fit_shared(model.policy, model.k, rows));
}

}  // namespace dcmrank::service
