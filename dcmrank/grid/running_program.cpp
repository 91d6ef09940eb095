#include "dcmrank/grid/running_program.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include "dcmrank/base/atomic_file.h"
#include "dcmrank/random/rng.h"

namespace dcmrank {
namespace {

using namespace std::string_view_literals;
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
    if (head.n_type == NT_GNU_BUILD_ID && name == "GNU\0"sv) {
      return digits_of(notes.subspan(data, head.n_descsz));
    }
    notes = notes.subspan(end);
  }
  return {};
}

// Those are left out: whenever one is updated, all that was kept would have to be computed again.
bool is_of_the_system(std::string_view file) {
  return file.starts_with("/lib") || file.starts_with("/usr/lib") || file.starts_with("linux-");
}

// What is loaded: the program, whose file has no name here, and its libraries.
struct Object {
  std::string file;
  std::string build_id;  // empty where its linker was not told to make one
};

int note_object(dl_phdr_info* info, std::size_t /*size*/, void* objects) {
  Object object{info->dlpi_name, ""};
  if (is_of_the_system(object.file)) return 0;
  for (int n = 0; n < info->dlpi_phnum && object.build_id.empty(); ++n) {
    const auto& segment = info->dlpi_phdr[n];
    if (segment.p_type != PT_NOTE) continue;
    const auto* start =  // NOLINTNEXTLINE(performance-no-int-to-ptr)
        reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr);
    object.build_id = build_id_among({start, segment.p_memsz}, segment.p_align == 8 ? 8 : 4);
  }
  static_cast<std::vector<Object>*>(objects)->push_back(std::move(object));
  return 0;
}

std::string name_of(const Object& object) {
  if (!object.build_id.empty()) return object.build_id;
  return name_of_text(read_file(object.file.empty() ? "/proc/self/exe" : object.file));
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
  std::vector<Object> objects;
  dl_iterate_phdr(note_object, &objects);
  std::string names;
  for (const Object& object : objects) names += name_of(object);
  return objects.size() == 1 ? names : name_of_text(names);
}

}  // namespace dcmrank
