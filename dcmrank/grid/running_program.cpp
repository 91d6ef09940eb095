#include "dcmrank/grid/running_program.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include "dcmrank/base/atomic_file.h"
#include "dcmrank/random/rng.h"

namespace dcmrank {
namespace {

using NoteHead = ElfW(Nhdr);

std::string digits_of(std::span<const char> bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

// The build id among the notes of a segment; empty where there is none.
std::string build_id_among(std::span<const char> notes, std::size_t alignment) {
  const auto padded = [&](std::size_t n) { return (n + alignment - 1) / alignment * alignment; };
  NoteHead head{};
  while (notes.size() >= sizeof head) {
    std::memcpy(&head, notes.data(), sizeof head);
    const std::size_t data = padded(sizeof head + head.n_namesz);
    const std::size_t end = padded(data + head.n_descsz);
    if (end > notes.size()) break;
    const std::string_view name(notes.data() + sizeof head, head.n_namesz);
    if (head.n_type == NT_GNU_BUILD_ID && name == std::string_view("GNU", 4)) {
      return digits_of(notes.subspan(data, head.n_descsz));
    }
    notes = notes.subspan(end);
  }
  return {};
}

std::string build_id() {
  std::string id;
  const auto look = [](dl_phdr_info* program, std::size_t, void* found) {
    for (int n = 0; n < program->dlpi_phnum; ++n) {
      const auto& segment = program->dlpi_phdr[n];
      if (segment.p_type != PT_NOTE) continue;
      const auto* start = reinterpret_cast<const char*>(program->dlpi_addr + segment.p_vaddr);
      auto& text = *static_cast<std::string*>(found);
      if (text.empty())
        text = build_id_among({start, segment.p_memsz}, segment.p_align == 8 ? 8 : 4);
    }
    return 1;  // the program comes first, and its libraries are not looked at
  };
  dl_iterate_phdr(look, &id);
  return id;
}

}  // namespace

std::string name_of_text(const std::string& text) {
  std::uint64_t hash = text.size();
  for (std::size_t from = 0; from < text.size(); from += sizeof hash) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + from, std::min(sizeof word, text.size() - from));
    hash = mix64(hash ^ word) + kGolden;
  }
  return fmt::format("{:016x}", mix64(hash));
}

std::string running_program() {
  const std::string id = build_id();
  return id.empty() ? name_of_text(read_file("/proc/self/exe")) : id;
}

}  // namespace dcmrank
