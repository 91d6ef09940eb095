#include "dcmrank/http/message.h"

#include "dcmrank/http/json_writer.h"

namespace dcmrank::service {

std::optional<std::string> percent_decode(std::string_view text) {
  std::string result;
  for (std::size_t n = 0; n < text.size(); ++n) {
    if (text[n] != '%') {
      result.push_back(text[n]);
      continue;
    }
    unsigned value = 0;
    for (int digit = 0; digit < 2; ++digit) {
      const char c = ++n < text.size() ? text[n] : '?';
      const bool decimal = c >= '0' && c <= '9';
      const auto letter = static_cast<char>(c | 0x20);  // in lower case
      if (!decimal && !(letter >= 'a' && letter <= 'f')) return std::nullopt;
      value = value * 16 + static_cast<unsigned>(decimal ? c - '0' : letter - 'a' + 10);
    }
    result.push_back(static_cast<char>(value));
  }
  return result;
}

std::string error_body(const ApiError& error) {
  std::string out = R"({"error":{"code":)";
  append_text(out, error.code);
  out += R"(,"message":)";
  append_text(out, error.message);
  if (!error.field.empty()) {
    out += R"(,"field":)";
    append_text(out, error.field);
  }
  return out += "}}";
}

// What is wrong with a request is said in its own words, which do not belong into a log.
static bool repeats_the_caller(const ApiError& error) {
  const bool of_the_key = error.status == 401 || error.status == 403 || error.status == 429;
  return error.status < 500 && !of_the_key;
}

Response error_response(const ApiError& error) {
  Response response;
  response.status = error.status;
  response.body = error_body(error);
  response.problem = repeats_the_caller(error) ? error.code : error.code + ": " + error.message;
  response.call = error.call;
  response.caller = error.caller;
  if (error.status == 401) response.extra = "WWW-Authenticate: Bearer\r\n";
  if (error.status == 405 && !error.allow.empty())
    response.extra = "Allow: " + error.allow + "\r\n";
  if (error.status == 429 || error.status == 503) response.extra = "Retry-After: 1\r\n";
  return response;
}

}  // namespace dcmrank::service
