#include "dcmrank/libpq/address.h"

#include <cctype>
#include <memory>

#include <fmt/format.h>
#include <libpq-fe.h>

namespace dcmrank::service {
namespace {

constexpr const char* kUnreadable = "postgresql://…";

// The words and values of an address; nothing where it is malformed.
class Words {
 public:
  explicit Words(std::string_view uri)
      : options_(PQconninfoParse(std::string(uri).c_str(), nullptr), PQconninfoFree) {}

  explicit operator bool() const { return options_ != nullptr; }
  std::string operator[](std::string_view name) const {
    std::string value;
    each([&](std::string_view word, const char* text) {
      if (word == name) value = text;
    });
    return value;
  }
  template <class Visit>
  void each(Visit visit) const {
    for (const auto* option = options_.get(); option->keyword != nullptr; ++option) {
      if (option->val != nullptr) visit(std::string_view(option->keyword), option->val);
    }
  }

 private:
  std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> options_;
};

bool is_secret(std::string_view word) { return word == "password" || word == "sslpassword"; }

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain =
        std::isalnum(byte) != 0 || std::string_view("-._~/,").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
}

}  // namespace

std::string without_password(std::string_view uri) {
  const Words words(uri);
  if (!words) return kUnreadable;
  const std::string host = words["host"];
  const bool socket = host.starts_with('/');
  std::string text = "postgresql://";
  if (const std::string user = words["user"]; !user.empty()) text += user + "@";
  if (!socket) text += host;
  if (const std::string port = words["port"]; !port.empty()) {
    const bool number = port.find_first_not_of("0123456789,") == std::string::npos;
    text += ":" + (number ? port : "…");  // else perhaps what follows a '/' in a password
  }
  text += "/" + words["dbname"];
  return socket ? text + "?host=" + host : text;
}

std::string hide_password(const std::string& uri) {
  const Words words(uri);
  if (!words) {
    const bool may_hold_one = uri.find_first_of(":=@") != std::string::npos;
    return may_hold_one ? kUnreadable : uri;
  }
  bool hides = false;
  std::string rest;
  words.each([&](std::string_view word, const char* text) {
    hides = hides || is_secret(word);
    if (is_secret(word) || word == "dbname" || word == "user") return;
    rest += fmt::format("{}{}={}", rest.empty() ? "?" : "&", word, escaped(text));
  });
  if (!hides) return uri;
  const std::string user = words["user"];
  return fmt::format("postgresql://{}{}/{}{}", escaped(user), user.empty() ? "" : "@",
                     escaped(words["dbname"]), rest);
}

}  // namespace dcmrank::service
