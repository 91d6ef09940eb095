#include "dcmrank/browsing/shared_examination.h"

#include <algorithm>

#include "dcmrank/numeric/cholesky.h"

namespace dcmrank {
namespace {

// The root of the inverse of R R^T, its rows one after the other.
std::vector<double> root_of_inverse(std::span<const double> root, std::size_t n) {
  constexpr double kRounding = 1e-12;  // of what the diagonal was
  std::vector<double> inverse(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = std::span(inverse).subspan(i * n, n);
    row[i] = 1;
    solve_both(root, row);
  }
  take_root(inverse, n,
            [](double left, double diagonal) { return std::max(left, kRounding * diagonal); });
  std::vector<double> packed;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) packed.push_back(inverse[i * n + j]);
  }
  return packed;
}

// Calls use(part of `examination`, part of `spread`) for each position while it returns true.
template <class Shared, class Use>
void for_positions(Shared& shared, Use use) {
  std::span examination(shared.examination);
  std::span spread(shared.spread);
  for (std::size_t k = 0; !examination.empty(); ++k) {
    if (!use(examination.first(k + 1), spread.first(k))) return;
    examination = examination.subspan(k + 1);
    spread = spread.subspan(k);
  }
}

}  // namespace

SharedExamination::SharedExamination(const BrowsingFit& fit)
    : average(fit.average),
      examination(fit.examination),
      spread(root_of_inverse(fit.root, fit.slope.size())) {}

std::vector<double> SharedExamination::to_row() const {
  std::vector<double> row{average};
  for_positions(*this, [&](auto contexts, auto doubts) {
    row.insert(row.end(), contexts.begin(), contexts.end());
    row.insert(row.end(), doubts.begin(), doubts.end());
    return true;
  });
  return row;
}

void SharedExamination::take(std::span<const double> row) {
  if (row.empty()) return;
  average = row.front();
  row = row.subspan(1);
  for_positions(*this, [&](auto contexts, auto doubts) {
    if (row.size() < contexts.size() + doubts.size()) return false;
    std::copy_n(row.begin(), contexts.size(), contexts.begin());
    row = row.subspan(contexts.size());
    std::copy_n(row.begin(), doubts.size(), doubts.begin());
    row = row.subspan(doubts.size());
    return true;
  });
}

void SharedExamination::spread_out(std::span<double> z) const {
  const double* end = spread.data() + spread.size();
  for (std::size_t k = z.size(); k > 0; --k) {  // each row needs the numbers above it as they were
    const double* row = end - k;
    double x = 0;
    for (std::size_t l = 0; l < k; ++l) x += row[l] * z[l];
    z[k - 1] = x;
    end = row;
  }
}

}  // namespace dcmrank
