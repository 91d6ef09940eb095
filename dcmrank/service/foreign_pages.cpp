#include "dcmrank/service/foreign_pages.h"

#include <algorithm>
#include <string>
#include <vector>

#include "dcmrank/base/text.h"

namespace dcmrank::service {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

bool is_number_up_to(std::string_view text, unsigned most) {
  const bool digits = !text.empty() && text.size() <= 5 &&
                      text.find_first_not_of("0123456789") == std::string_view::npos;
  return digits && parse_unsigned(text).value_or(most + 1) <= most;
}

// 127.0.0.1 and its kin, whole: a name may begin with such numbers, too.
bool is_loopback_address(std::string_view host) {
  const auto parts = split(host, '.');
  return parts.size() == 4 && parts[0] == "127" &&
         std::all_of(parts.begin(), parts.end(),
                     [](std::string_view part) { return is_number_up_to(part, 255); });
}

// A name that only this machine can mean; a browser that was told another name for it is not meant.
bool is_local(std::string_view host) {
  const std::size_t bracket = host.starts_with('[') ? host.find(']') : std::size_t{0};
  if (bracket == std::string_view::npos) return false;
  const std::size_t colon = host.find(':', bracket);
  if (colon != std::string_view::npos && !is_number_up_to(host.substr(colon + 1), 65535)) {
    return false;
  }
  const std::string name = lower(host.substr(0, colon));
  return name == "localhost" || name == "localhost." || name == "[::1]" ||
         is_loopback_address(name);
}

bool is_json(std::string_view content_type) {
  std::string type = lower(content_type.substr(0, content_type.find(';')));
  type.erase(type.find_last_not_of(" \t") + 1);
  return type == "application/json" || type == "application/x-ndjson";
}

// The type that curl -d gives, where it is not by a page: a form of one has an origin.
bool is_by_hand(const RequestHead& head) {
  return lower(head.content_type).starts_with("application/x-www-form-urlencoded") &&
         head.origin.empty() && head.fetch_site.empty();
}

}  // namespace

void refuse_foreign_pages(const RequestHead& head, bool tls) {
  const auto refuse = [](const char* why) { throw ApiError{403, "foreign_page", why}; };
  const bool told_nobody = head.old && head.host.empty();  // HTTP/1.0, which no browser speaks
  if (!told_nobody && !is_local(head.host)) {
    refuse(
        "without keys only this machine is served: the host must be localhost, 127.0.0.1 or [::1]");
  }
  const std::string own = (tls ? "https://" : "http://") + lower(head.host);
  const bool foreign = !head.origin.empty() && lower(head.origin) != own;
  if (foreign || head.fetch_site == "cross-site" || head.fetch_site == "same-site") {
    refuse("without keys no page of another origin is served");
  }
  if (!head.content_type.empty() && !is_json(head.content_type) && !is_by_hand(head)) {
    refuse("without keys a body must be application/json or application/x-ndjson");
  }
}

}  // namespace dcmrank::service
