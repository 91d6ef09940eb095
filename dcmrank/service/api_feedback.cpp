// Feedback: what users did with the lists that they were shown.
#include <memory>
#include <utility>

#include "dcmrank/http/json_writer.h"
#include "dcmrank/service/api.h"

namespace dcmrank::service {

bool Api::feedback(const Request& request, const Grant& grant, Response& response,
                   const Ticket& ticket) {
  FeedbackRequest parsed = bodies_.feedback(request.body, request.head.content_type);
  // What is no event keeps its place among the results.
  auto wrong = std::make_shared<std::vector<std::string>>();
  Feedback feedback;
  feedback.caller = {
      grant.name, grant.model,
      static_cast<std::size_t>(grant.held.value_or(service_->options().limits.held))};
  for (const ParsedEvent& event : parsed.events) {  // or else looks for it
    const auto* good = std::get_if<Event>(&event);
    if (good != nullptr) knows(meant_model(good->model, grant.model));
  }
  for (ParsedEvent& event : parsed.events) {
    auto& reason = wrong->emplace_back();
    if (auto* good = std::get_if<Event>(&event)) {
      feedback.events.push_back(std::move(*good));
    } else {
      reason = std::move(std::get<std::string>(event));
      service_->metrics().event(EventStatus::kRejected).Increment();
    }
  }
  feedback.since = since_;
  Metrics& metrics = service_->metrics();
  const char* const not_stored = service_->store().is_shared()
                                     ? "not all was stored, or is known to be; send it again: "
                                     : "nothing was stored: ";
  feedback.done = [&metrics, grant, ticket, wrong, not_stored](
                      const std::vector<EventResult>& results, const Reason& failure) {
    Response answer;
    if (!failure.empty()) {
      refuse(metrics, {503, "storage", not_stored + told_to(grant, failure)}, answer);
      metrics.answers(to_text(Call::kFeedback), 503).Increment();
      return ticket.answer(std::move(answer));
    }
    std::uint64_t accepted = 0;
    std::string& out = answer.body;
    out = R"({"results":[)";
    auto next = results.begin();
    for (const std::string& reason : *wrong) {
      const EventResult result =
          reason.empty() ? *next++ : EventResult{EventStatus::kRejected, reason};
      if (out.back() != '[') out += ',';
      out += R"({"status":)";
      append_text(out, to_text(result.status));
      if (!result.reason.empty()) {
        out += R"(,"reason":)";
        append_text(out, result.reason);
      }
      if (result.held) out += R"(,"held":true)";
      out += '}';
      accepted += result.status == EventStatus::kAccepted ? 1 : 0;
    }
    out += R"(],"accepted":)";
    append_number(out, accepted);
    out += '}';
    metrics.answers(to_text(Call::kFeedback), 200).Increment();
    ticket.answer(std::move(answer));
  };
  if (feedback.events.empty()) {
    feedback.done({}, {});
    return false;
  }
  if (!service_->writer().could_take(feedback)) {
    throw ApiError{413, "too_large",
                   "the events of this request are too large to be queued for storing; send fewer"};
  }
  if (!service_->writer().offer(feedback)) {
    refuse(metrics, {503, "busy", "too many events are waiting to be stored; try again"}, response);
    return true;
  }
  return false;
}

}  // namespace dcmrank::service
