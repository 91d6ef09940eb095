#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "dcmrank/base/same_version.h"

namespace dcmrank {

/// The parameters of a click model are the attraction of each item of a query and what the model
/// declares besides: probabilities of items, and lists of probabilities of a query or of all
/// queries. Files, look-up, generated logs and commands know nothing else about them.

/// A probability of each item of a query, besides its attraction: its name, as files say it.
using ItemParameter = std::string;

/// Which queries a list belongs to.
enum class Scope : std::uint8_t {
  kShared,    // all queries have the same one
  kPerQuery,  // each query has its own, unless a fit is asked for a shared one
};

/// How many entries a list has.
enum class ListShape : std::uint8_t {
  kPositions,  // one per position
  kTriangle,   // a row per position, row k (from 1) of k entries; stored row after row
  kNumbers,    // `numbers` of them, whatever the length of a page
};

struct ListParameter {
  std::string name;
  Scope scope = Scope::kShared;
  ListShape shape = ListShape::kPositions;
  std::size_t numbers = 0;
  /// The member of files that lists the entries, counted from 1 (of a triangle as pairs: row and
  /// place in it), about which the log says nothing; empty if a model does not report them.
  std::string unidentified = {};
  /// The n-th best item of a query belongs at the position of the n-th largest entry. Without such
  /// a list it belongs at position n.
  bool ranks_positions = false;
};

/// How many entries a page with `positions` positions needs; a longer list begins with them.
inline std::size_t entries(const ListParameter& list, std::size_t positions) {
  switch (list.shape) {
    case ListShape::kTriangle:
      return positions * (positions + 1) / 2;
    case ListShape::kNumbers:
      return list.numbers;
    default:
      return positions;
  }
}

}  // namespace dcmrank
