#include "dcmrank/traffic/worker.h"

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/traffic/plan.h"

namespace dcmrank::traffic {
namespace {

constexpr auto kLookUp = std::chrono::milliseconds(100);  // whether to stop
constexpr auto kAskAgain = std::chrono::milliseconds(250);
constexpr std::uint8_t kAsks = 40;

}  // namespace

Worker::Worker(const Scene& scene, std::size_t number, std::stop_token stop)
    : scene_(&scene),
      number_(number),
      stop_(stop),
      client_(scene.options(), std::move(stop), number),
      rng_(stream_key(Stream::kLog, scene.options().seed, number)),
      shown_(kSlices) {}

// When its user comes, after the start.
Worker::Time::duration Worker::due_after(std::uint64_t user) const {
  const std::chrono::duration<double> since(static_cast<double>(user - 1) / scene_->options().rate);
  return std::chrono::duration_cast<Time::duration>(since);
}

void Worker::run(Time start, std::atomic<std::uint64_t>& done) {
  const TrafficOptions& options = scene_->options();
  const Time end = start + options.duration;
  for (std::uint64_t n = 0;;) {
    if (stop_.stop_requested()) throw Interrupted("interrupted; nothing was checked");
    const std::uint64_t user = 1 + number_ + n * options.connections;
    const Time now = std::chrono::steady_clock::now();
    const Time shows = start + due_after(user);
    if (now >= end && shows < end) {  // there is no time left for it
      ++unsent_;
      ++n;
      continue;
    }
    const bool over = shows >= end;
    if (over && due_.empty()) return;
    const bool page_next = !over && (due_.empty() || shows <= due_.top().at);
    const Time next = page_next ? shows : due_.top().at;
    if (next > now) {
      std::this_thread::sleep_until(std::min(next, now + kLookUp));
    } else if (page_next) {
      show(user, shows, std::chrono::duration<double>(now - start) / options.duration);
      ++n;
      ++done;
    } else {
      report(now);
    }
  }
}

void Worker::show(std::uint64_t user, Time due, double progress) {
  Page page;
  page.user = user;
  page.query = scene_->draw(rng_.uniform());
  const auto outcome = client_.call(Call::kRank, "POST", "/v1/rank", scene_->rank_body(page), due);
  const auto answer = nlohmann::json::parse(outcome.answer.body);
  if (outcome.answer.status != 200) throw std::runtime_error(quote(outcome.answer.body));
  for (const auto& item : answer.at("items")) {
    page.list.push_back(scene_->item(page.query, item.at("id").get_ref<const std::string&>()));
  }
  const DcmUsers& users = scene_->users(page.query);
  page.clicks.resize(page.list.size());
  users.visit(user, page.list, page.clicks);
  page.events.resize(page.list.size() + 1);
  ShownShare& shown = shown_[std::min(static_cast<std::size_t>(progress * kSlices), kSlices - 1)];
  shown.sum += users.expected_reward(page.list) / scene_->best(page.query);
  ++shown.pages;
  const Time now = std::chrono::steady_clock::now();
  for (const PlannedEvent& event : plan_events(page.clicks, scene_->options(), rng_)) {
    due_.push({now + event.after, pages_.size(), event.event});
  }
  pages_.push_back(std::move(page));
}

void Worker::report(Time now) {
  std::vector<Due> sent;
  nlohmann::json events = nlohmann::json::array();
  while (!due_.empty() && due_.top().at <= now && sent.size() < scene_->options().batch) {
    const Due& due = sent.emplace_back(due_.top());
    due_.pop();
    const Page& page = pages_[due.page];
    nlohmann::json event{{"impression", scene_->page_id(page)},
                         {"model", scene_->options().model},
                         {"id", scene_->event_id(page, due.event)}};
    const bool click = due.event < page.list.size();
    event["type"] = click ? "click" : "close";
    if (click) event["item"] = scene_->query(page.query).items[page.list[due.event]];
    events.push_back(std::move(event));
  }
  const auto outcome =
      client_.call(Call::kFeedback, "POST", "/v1/feedback", events.dump(), sent.front().at);
  const auto results = nlohmann::json::parse(outcome.answer.body).at("results");
  if (results.size() != sent.size()) {
    throw std::runtime_error(
        fmt::format("{} events were sent, {} answered", sent.size(), results.size()));
  }
  for (std::size_t n = 0; n < sent.size(); ++n) {
    Page& page = pages_[sent[n].page];
    Acknowledged& event = page.events[sent[n].event];
    const auto& status = results[n].at("status").get_ref<const std::string&>();
    ++client_.experience().results[status];
    event.unanswered = event.unanswered || outcome.repeated;
    if (status == "accepted") {
      ++event.accepted;
    } else if (status == "duplicate") {
      const bool by_itself = event.held > 0 && !event.counts();
      client_.experience().counted_later += by_itself ? 1 : 0;
      event.duplicate = true;
    } else if (status == "unknown_impression" && client_.servers() > 1 && event.held < kAsks) {
      // Another server showed it just now: this one holds the event, which may count by itself.
      ++event.held;
      event.unanswered = true;
      due_.push({now + kAskAgain, sent[n].page, sent[n].event});
    } else if (status == "unknown_impression") {
      page.unknown = true;
    } else {
      throw std::runtime_error(fmt::format("an event of {} was {}: {}", scene_->page_id(page),
                                           status, quote(results[n].value("reason", ""))));
    }
  }
}

}  // namespace dcmrank::traffic
