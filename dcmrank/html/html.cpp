#include "dcmrank/html/html.h"

#include <fstream>
#include <iterator>
#include <thread>

#include <fmt/format.h>
#include <sys/utsname.h>

#include "dcmrank/base/atomic_file.h"
#include "dcmrank/html/style.h"

namespace dcmrank {
namespace {

// "model name" of the first processor, where the system tells it.
std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

}  // namespace

std::string html(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string html_table(const TextTable& table) {
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "<div class=\"scroll\"><table><thead><tr>");
  for (const std::string& cell : table.front()) fmt::format_to(out, "<th>{}</th>", html(cell));
  fmt::format_to(out, "</tr></thead><tbody>\n");
  for (std::size_t r = 1; r < table.size(); ++r) {
    fmt::format_to(out, "<tr>");
    for (const std::string& cell : table[r]) fmt::format_to(out, "<td>{}</td>", html(cell));
    fmt::format_to(out, "</tr>\n");
  }
  fmt::format_to(out, "</tbody></table></div>\n");
  return text;
}

// The drawing alone, without the XML prologue.
std::string inline_svg(const std::filesystem::path& file, const std::string& id) {
  std::string svg = read_file(file);
  svg.erase(0, svg.find("<svg"));
  for (const std::string mark : {"gp", "gnuplot"}) {
    for (const std::string before : {"id=\"", "href=\"#", "href='#", "id='", "url(#"}) {
      const std::string from = before + mark;
      for (std::size_t at = svg.find(from); at != std::string::npos; at = svg.find(from, at)) {
        svg.insert(at + before.size(), id + "-");
        at += before.size() + id.size() + 1;
      }
    }
  }
  return svg;
}

std::string html_page(const std::string& title, const std::string& body) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}</style></head><body><main>\n"
      "<h1>{0}</h1>\n{2}</main></body></html>\n",
      html(title), kPageStyle, body);
}

std::string machine() {
  utsname system{};
  uname(&system);
  return fmt::format("{} {}, {}, {} threads", system.sysname, system.machine, processor(),
                     std::thread::hardware_concurrency());
}

}  // namespace dcmrank
