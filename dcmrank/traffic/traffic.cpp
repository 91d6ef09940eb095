#include "dcmrank/traffic/traffic.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <sstream>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/duration.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"

namespace dcmrank::traffic {
namespace {

using Time = std::chrono::steady_clock::time_point;
using nlohmann::json;

// One thread each; what any of them throws is thrown when all have ended.
template <class F>
void for_each_worker(std::vector<std::unique_ptr<Worker>>& workers, const F& work) {
  std::vector<std::exception_ptr> failures(workers.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t n = 0; n < workers.size(); ++n) {
      threads.emplace_back([&, n] {
        try {
          work(n, *workers[n]);
        } catch (...) {
          failures[n] = std::current_exception();
        }
      });
    }
  }
  for (const auto& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

// The service's model as the run needs it; the policy that it learns by.
std::string make_model(const TrafficOptions& options, Client& client) {
  std::size_t k = 1;
  for (const Query& query : options.queries) k = std::max(k, query.dcm.positions());
  const json body{{"policy", options.policy},
                  {"k", k},
                  {"close_after", print_duration(options.close_after.count())},
                  {"mode", "online"}};
  Answer answer;
  for (std::size_t n = 0; n < client.servers(); ++n) {  // so that each knows it from now on
    answer =
        client.call(Call::kOther, "PUT", "/v1/models/" + percent_encode(options.model), body.dump())
            .answer;
  }
  return json::parse(answer.body).at("learns_by");
}

// Events that the service accepted since it started; nothing where a server cannot say.
std::optional<double> accepted_events(Client& client) {
  const std::string name = "dcmrank_events_total{status=\"accepted\"} ";
  double sum = 0;
  for (std::size_t n = 0; n < client.servers(); ++n) {
    try {
      std::istringstream lines(client.ask(n, "GET", "/metrics").body);
      for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(name)) sum += parse_double(line.substr(name.size())).value_or(0);
      }
    } catch (const Broken&) {
      return std::nullopt;
    }
  }
  return sum;
}

// The list of the items with the highest estimates, from the top.
std::optional<double> learned_share(const Scene& scene, std::size_t number, Client& client) {
  const Answer answer =
      client
          .call(Call::kOther, "GET",
                fmt::format("/v1/models/{}/queries/{}", percent_encode(scene.options().model),
                            percent_encode(scene.query_name(number))))
          .answer;
  if (answer.status != 200) return std::nullopt;
  const Dcm& dcm = scene.query(number).dcm;
  std::vector<double> estimates(dcm.items());
  const json learned = json::parse(answer.body);
  for (const json& item : learned.at("items")) {
    estimates[scene.item(number, item.at("id").get_ref<const std::string&>())] =
        item.at("estimate").get<double>();
  }
  std::vector<Item> list;
  for (const std::size_t e : decreasing_order(estimates)) {
    if (list.size() < dcm.positions()) list.push_back(static_cast<Item>(e));
  }
  return scene.users(number).expected_reward(list) / scene.best(number);
}

// Over the queries that come most often.
std::optional<double> learned_share(const Scene& scene, Client& client) {
  constexpr std::size_t kMost = 20;
  std::vector<double> weights;
  for (const Query& query : scene.options().queries) weights.push_back(query.weight);
  double sum = 0;
  double weight = 0;
  std::size_t looked_at = 0;
  for (const std::size_t n : decreasing_order(weights)) {
    if (looked_at++ == kMost) break;
    if (const auto share = learned_share(scene, n, client)) {
      sum += *share * weights[n];
      weight += weights[n];
    }
  }
  return weight > 0 ? std::optional(sum / weight) : std::nullopt;
}

// Looks at what was learned at the end of each slice of the run but the last, until `done`.
void watch(const Scene& scene, Time start, Client& client, const std::stop_token& done,
           std::vector<SharePoint>& points) {
  for (std::size_t n = 1; n < kSlices; ++n) {
    const auto since = scene.options().duration * n / kSlices;
    while (std::chrono::steady_clock::now() < start + since && !done.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    if (done.stop_requested()) return;
    points[n - 1].learned = learned_share(scene, client);
  }
}

using Workers = std::vector<std::unique_ptr<Worker>>;

void sum_up(const Workers& workers, Time start, std::chrono::duration<double> planned,
            TrafficResult& result) {
  std::vector<ShownShare> shown(kSlices);
  for (const auto& worker : workers) {
    result.experience.merge(worker->client().experience());
    result.pages += worker->pages().size();
    result.unsent += worker->unsent();
    for (const Page& page : worker->pages()) {
      for (const std::uint8_t click : page.clicks) result.clicks += click;
      result.abandoned += page.close().counts() ? 0 : 1;
    }
    for (std::size_t slice = 0; slice < kSlices; ++slice) {
      shown[slice].sum += worker->shown()[slice].sum;
      shown[slice].pages += worker->shown()[slice].pages;
    }
  }
  for (std::size_t slice = 0; slice < kSlices; ++slice) {
    if (shown[slice].pages == 0) continue;
    result.shares[slice].shown = shown[slice].sum / static_cast<double>(shown[slice].pages);
  }
  for (std::size_t n = 0; n < result.call_seconds.size(); ++n) {
    const std::chrono::duration<double> took = result.experience.last.at(n) - start;
    result.call_seconds.at(n) = std::max(planned, took).count();
  }
  result.seconds = result.call_seconds.at(static_cast<std::size_t>(Call::kRank));
}

// Lets all workers show their pages, and looks on. The end of one is the end of all.
void show_pages(const Scene& scene, Workers& workers, std::stop_source& failed, Client& client,
                std::atomic<std::uint64_t>& pages, TrafficResult& result) {
  const Time start = std::chrono::steady_clock::now();
  std::mutex mutex;
  std::exception_ptr first;
  const auto guarded = [&](const auto& work) {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!first) first = std::current_exception();
      failed.request_stop();
    }
  };
  {
    const std::jthread watcher([&](const std::stop_token& done) {
      guarded([&] { watch(scene, start, client, done, result.shares); });
    });
    for_each_worker(
        workers, [&](std::size_t, Worker& worker) { guarded([&] { worker.run(start, pages); }); });
  }
  if (first) std::rethrow_exception(first);
  sum_up(workers, start, scene.options().duration, result);
}

void check_all(const Scene& scene, Workers& workers, bool broke, Client& client,
               const std::stop_token& stop, TrafficResult& result) {
  std::vector<PageChecker> checkers(workers.size(), PageChecker(scene, result.recount, broke));
  for_each_worker(workers, [&](std::size_t n, Worker& worker) {
    for (const Page& page : worker.pages()) {
      if (stop.stop_requested()) throw Interrupted("interrupted; not everything was checked");
      checkers[n].check(page, worker.client());
    }
  });
  std::vector<Fold> folds;
  for (const Query& query : scene.options().queries) folds.emplace_back(query);
  for (const PageChecker& checker : checkers) {
    result.lost += checker.lost();
    result.disagreements.merge(checker.disagreements());
    for (std::size_t n = 0; n < folds.size(); ++n) folds[n].merge(checker.folds()[n]);
  }
  check_queries(scene, result.recount, folds, client, result.disagreements);
}

}  // namespace

TrafficResult run_traffic(const TrafficOptions& options, const std::stop_token& stop,
                          std::atomic<std::uint64_t>& pages) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const Scene scene(options, fmt::format("{}-{:x}", options.model, now.count()));
  std::stop_source failed;
  const std::stop_callback forward(stop, [&] { failed.request_stop(); });
  Client client(options, failed.get_token());
  TrafficResult result;
  result.policy = make_model(options, client);
  result.recount =
      recount_of(parse_policy_spec(result.policy), options.queries.front().dcm.positions());
  const std::chrono::duration<double> planned = options.duration;
  for (std::size_t n = 1; n <= kSlices; ++n) {
    result.shares.push_back({planned.count() * static_cast<double>(n) / kSlices, {}, {}});
  }
  const auto accepted_before = accepted_events(client);

  Workers workers;
  for (std::size_t n = 0; n < options.connections; ++n) {
    workers.push_back(std::make_unique<Worker>(scene, n, failed.get_token()));
  }
  show_pages(scene, workers, failed, client, pages, result);
  const bool broke = result.experience.broken > 0 || result.experience.statuses.contains(503);
  check_all(scene, workers, broke, client, stop, result);
  const auto accepted_after = accepted_events(client);
  // Otherwise the service may have started again, and its counters with it.
  if (!broke && accepted_before && accepted_after) {
    const double accepted = *accepted_after - *accepted_before;
    const auto ours = static_cast<double>(result.experience.results["accepted"] +
                                          result.experience.counted_later);
    if (accepted < ours) {
      result.disagreements.add(
          fmt::format("the metrics count {} accepted events, not {}", accepted, ours));
    } else {
      result.others = static_cast<std::uint64_t>(accepted - ours);
    }
  }
  result.shares.back().learned = learned_share(scene, client);
  return result;
}

}  // namespace dcmrank::traffic
