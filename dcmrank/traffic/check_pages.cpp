#include <algorithm>
#include <thread>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/policy/browsing_policy.h"
#include "dcmrank/registry/built_in.h"
#include "dcmrank/registry/registry.h"
#include "dcmrank/traffic/checker.h"

namespace dcmrank::traffic {
namespace {

constexpr std::size_t kShown = 20;

// What the service records of a page's clicks, by position.
std::vector<std::uint8_t> counted_clicks(const Page& page) {
  std::vector<std::uint8_t> clicks(page.clicks.size());
  for (std::size_t k = 0; k < clicks.size(); ++k) {
    clicks[k] = page.clicks[k] != 0 && page.events[k].counts() ? 1 : 0;
  }
  return clicks;
}

// The impression as soon as it is closed: pages that nobody closes do so by themselves.
Answer closed_impression(const std::string& path, Client& client,
                         std::chrono::steady_clock::time_point until) {
  for (;;) {
    Answer answer = client.call(Call::kOther, "GET", path).answer;
    const bool open = answer.status == 200 && nlohmann::json::parse(answer.body)["state"] == "open";
    if (!open || std::chrono::steady_clock::now() > until) return answer;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

// As the user browsing model sees a page: each position after the last click above it, or none.
void count_contexts(const Page& page, const std::vector<std::uint8_t>& clicks, Fold& fold) {
  std::optional<std::size_t> last;
  for (std::size_t k = 0; k < page.list.size(); ++k) {
    const std::size_t context = context_of(k, last ? k - *last : 0);
    service::Row& row = fold.cells[page.list[k]];
    row.add(2 * context, service::to_fixed(1));
    row.add(2 * context + 1, service::to_fixed(clicks[k]));
    fold.counted[page.list[k]].observed += 1;
    fold.counted[page.list[k]].attracted += clicks[k];
    if (clicks[k] != 0) last = k;
  }
}

}  // namespace

Recount recount_of(const PolicySpec& spec, std::size_t positions) {
  AnyPolicy made = make_policy(spec, {std::max<std::size_t>(positions, 2), positions, 1'000'000});
  return visit_policy(made, [](const auto& policy) -> Recount {
    if constexpr (requires { policy.counting(); }) {
      const Counting counting = policy.counting();
      return {.sums = true,
              .counting = is_repaired(counting) ? std::nullopt : std::optional(counting),
              .contexts = false,
              .bounded = counting != Counting::kRevisedEm};
    } else if constexpr (std::is_same_v<std::decay_t<decltype(policy)>, BrowsingPolicy>) {
      return {.sums = true, .counting = std::nullopt, .contexts = true, .bounded = false};
    } else {
      return {};
    }
  });
}

void Fold::merge(const Fold& other) {
  rounds += other.rounds;
  for (std::size_t e = 0; e < contributed.size(); ++e) {
    contributed[e].add(other.contributed[e], 1);
    counted[e].merge(other.counted[e]);
    cells[e].add(other.cells[e], 1);
  }
  for (std::size_t k = 0; k < clicked.size(); ++k) clicked[k] += other.clicked[k];
}

void Disagreements::add(std::string what) {
  ++count;
  if (first.size() < kShown) first.push_back(std::move(what));
}

void Disagreements::merge(const Disagreements& other) {
  count += other.count;
  for (const std::string& what : other.first) {
    if (first.size() < kShown) first.push_back(what);
  }
}

PageChecker::PageChecker(const Scene& scene, const Recount& recount, bool broke)
    : scene_(&scene),
      recount_(recount),
      broke_(broke),
      until_(std::chrono::steady_clock::now() + scene.options().close_after +
             scene.options().patience) {
  for (const Query& query : scene.options().queries) folds_.emplace_back(query);
}

// Every event counts exactly once, by what the service said of it.
void PageChecker::check_events(const Page& page) {
  for (std::size_t n = 0; n < page.events.size(); ++n) {
    const Acknowledged& event = page.events[n];
    const auto fault = [&](const char* what) {
      disagreements_.add(fmt::format("event {} {}", scene_->event_id(page, n), what));
    };
    if (event.accepted > 1) fault("was accepted twice");
    if (event.duplicate && event.accepted == 0 && !event.unanswered) {
      fault("was called a duplicate, but never accepted");
    }
    if (page.unknown && event.counts()) fault("was acknowledged, but then its page was unknown");
  }
}

void PageChecker::check(const Page& page, Client& client) {
  check_events(page);
  const std::string id = scene_->page_id(page);
  const Answer answer = closed_impression(
      fmt::format("/v1/impressions/{}?model={}", id, percent_encode(scene_->options().model)),
      client, until_);
  if (answer.status == 404) {
    ++lost_;
    if (page.counts()) disagreements_.add(fmt::format("{} is lost, though acknowledged", id));
    if (!broke_) disagreements_.add(fmt::format("{} is lost, though nothing broke", id));
    return;
  }
  const auto impression = nlohmann::json::parse(answer.body);
  if (page.unknown) disagreements_.add(fmt::format("{} was unknown, but is there", id));
  const std::string state = page.close().counts() ? "closed" : "timed_out";
  const auto differs = [&](const char* what, const nlohmann::json& is,
                           const nlohmann::json& expected) {
    if (is == expected) return;
    disagreements_.add(fmt::format("{}: {} is {}, not {}", id, what, is.dump(), expected.dump()));
  };
  const auto clicks = counted_clicks(page);
  nlohmann::json items = nlohmann::json::array();
  nlohmann::json clicked = nlohmann::json::array();
  for (std::size_t k = 0; k < page.list.size(); ++k) {
    const std::string& item = scene_->query(page.query).items[page.list[k]];
    items.push_back(item);
    if (clicks[k] != 0) clicked.push_back(item);
  }
  differs("state", impression.at("state"), state);
  differs("items", impression.at("items"), items);
  differs("clicks", impression.at("clicks"), clicked);
  differs("query", impression.at("query"), scene_->query_name(page.query));
  differs("model", impression.at("model"), scene_->options().model);
  add(page, impression);
}

void PageChecker::add(const Page& page, const nlohmann::json& impression) {
  Fold& fold = folds_[page.query];
  ++fold.rounds;
  const auto clicks = counted_clicks(page);
  if (recount_.contexts) count_contexts(page, clicks, fold);
  if (recount_.counting) count(*recount_.counting, SeenPage(page.list, clicks), fold.counted);
  for (std::size_t k = 0; k + 1 < clicks.size(); ++k) fold.clicked[k] += clicks[k];
  for (const auto& item : impression.at("contributed")) {
    const Item e = scene_->item(page.query, item.at("id").get_ref<const std::string&>());
    const service::Row row{service::to_fixed(item.at("observed").get<double>()),
                           service::to_fixed(item.at("attracted").get<double>())};
    fold.contributed[e].add(row, 1);
  }
}

}  // namespace dcmrank::traffic
