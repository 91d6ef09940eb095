#pragma once

#include <string>
#include <string_view>

#include "dcmrank/http/message.h"

namespace dcmrank::service {

/// How an answer is sent, whatever it says.
struct Sending {
  std::string_view date;  // a header line
  bool close = false;     // the connection ends with it
  bool old = false;       // to a caller of HTTP/1.0
  bool no_body = false;   // to HEAD
  std::string_view request_id{};
};

/// Appends a whole answer; where it comes in pieces, what stands before the first.
void append_answer(std::string& out, const Response& response, const Sending& sending);
void append_piece(std::string& out, std::string_view piece);
void append_last_piece(std::string& out);

}  // namespace dcmrank::service
