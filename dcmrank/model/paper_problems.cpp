#include "dcmrank/model/paper_problems.h"

#include <array>

namespace dcmrank {
namespace {

constexpr LowerBoundClass cell(std::size_t items, std::size_t positions, double gap) {
  return {items, positions, 0.2, gap, 0.8};
}

constexpr std::array<LowerBoundClass, 9> kGrid{
    cell(16, 2, 0.15),  cell(16, 4, 0.15),  cell(16, 8, 0.15),   //
    cell(32, 2, 0.15),  cell(32, 4, 0.15),  cell(32, 8, 0.15),   //
    cell(16, 2, 0.075), cell(16, 4, 0.075), cell(16, 8, 0.075),  //
};

}  // namespace

std::span<const LowerBoundClass> fig1a_grid() { return kGrid; }

LowerBoundClass fig1b_problem(std::size_t positions, double gamma) {
  return {16, positions, 0.2, 0.15, gamma};
}

LowerBoundClass fig2_problem() { return {16, 4, 0.2, 0.15, 0.5}; }

Dcm biased_problem() { return {{0.6, 0.5, 0.4}, {0.5, 0.1}}; }

}  // namespace dcmrank
