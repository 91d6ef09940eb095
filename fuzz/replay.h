#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

struct FuzzTarget {
  std::string_view name;
  int (*run)(const std::uint8_t* data, std::size_t size);
};

std::span<const FuzzTarget> fuzz_targets();
