#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dcmrank {

/// Rows of text; the first is the heading.
using TextTable = std::vector<std::vector<std::string>>;

/// The text, escaped for HTML.
std::string html(const std::string& text);

/// A table that scrolls by itself where it is wider than the page.
std::string html_table(const TextTable& table);

/// A drawing to embed in a page, with ids that begin with `id`, so that a page can have several.
std::string inline_svg(const std::filesystem::path& file, const std::string& id);

/// A whole page that needs no other file; `body` begins below its heading, which is the title.
std::string html_page(const std::string& title, const std::string& body);

/// "Linux x86_64, its processor, 8 threads": where a page was made.
std::string machine();

}  // namespace dcmrank
