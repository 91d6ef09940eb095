#include "dcmrank/model/likelihood.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/policy/counting.h"
#include "dcmrank/users/dcm_users.h"

namespace dcmrank {
namespace {

using Page = std::vector<std::uint8_t>;
const Dcm kScoredDcm{{.6, .5, .4, .1}, {.5, .1, .8}};
const std::vector<Item> kList{1, 0, 2};

std::vector<Page> all_pages(std::size_t positions) {
  std::vector<Page> pages;
  for (unsigned bits = 0; bits < 1U << positions; ++bits) {
    Page page;
    for (std::size_t k = 0; k < positions; ++k) page.push_back((bits >> k) & 1U);
    pages.push_back(page);
  }
  return pages;
}

TEST(PageLikelihood, AddsUpToOneOverAllClicks) {
  for (std::size_t positions = 0; positions <= 3; ++positions) {
    double sum = 0;
    for (const Page& page : all_pages(positions)) sum += page_likelihood(kScoredDcm, kList, page);
    EXPECT_NEAR(sum, 1, 1e-15);
  }
}

TEST(PageLikelihood, IsHowOftenSimulatedUsersClickSo) {
  constexpr int kUsers = 200000;
  const DcmUsers users(kScoredDcm, 1, 0);
  std::vector<int> seen(8);
  Page clicks(3);
  for (std::uint64_t t = 1; t <= kUsers; ++t) {
    users.visit(t, kList, clicks);
    ++seen[clicks[0] + 2U * clicks[1] + 4U * clicks[2]];
  }
  const auto pages = all_pages(3);
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const double p = page_likelihood(kScoredDcm, kList, pages[i]);
    EXPECT_NEAR(seen[i] / double{kUsers}, p, 4 * std::sqrt(p * (1 - p) / kUsers));
  }
}

TEST(PageLikelihood, DoesNotDependOnTheLastTermination) {
  Dcm other = kScoredDcm;
  other.termination.back() = .01;
  for (const Page& page : all_pages(3)) {
    EXPECT_EQ(page_likelihood(kScoredDcm, kList, page), page_likelihood(other, kList, page));
  }
}

// The repaired counting with the parameters held while the pages are counted: a step of EM.
Dcm em_step(const Dcm& dcm, const std::vector<Page>& pages) {
  std::vector<Counts> items(dcm.items());
  std::vector<TerminationCounts> positions(dcm.positions());
  std::vector<Doubt> item_doubts(dcm.items());
  std::vector<Doubt> position_doubts(dcm.positions());
  for (const Page& clicks : pages) {
    const SeenPage page(kList, clicks);
    double q = 0;
    if (page.leaves_doubt) {
      double none_below = 1;
      for (std::size_t k = page.last; k < clicks.size(); ++k) {
        none_below *= 1 - dcm.attraction[kList[k]];
      }
      q = stop_probability(dcm.termination[page.last - 1], none_below);
    }
    count(Counting::kEm, page, items);
    count_below(Counting::kEm, q, page, items, item_doubts);
    count_terminations(Counting::kEm, q, page, positions, position_doubts);
  }
  Dcm next = dcm;
  for (const Item e : kList) next.attraction[e] = items[e].attracted / items[e].observed;
  for (std::size_t k = 0; k + 1 < dcm.positions(); ++k) {
    next.termination[k] = positions[k].terminated / positions[k].clicked;
  }
  return next;
}

double log_likelihood(const Dcm& dcm, const std::vector<Page>& pages) {
  double sum = 0;
  for (const Page& page : pages) sum += std::log(page_likelihood(dcm, kList, page));
  return sum;
}

TEST(RepairedCounting, ClimbsTheLikelihoodToTheTruth) {
  const DcmUsers users(kScoredDcm, 2, 0);
  std::vector<Page> pages(20000, Page(3));
  for (std::size_t i = 0; i < pages.size(); ++i) users.visit(i + 1, kList, pages[i]);
  Dcm dcm{{.5, .5, .5, .5}, {.5, .5, .5}};
  double before = log_likelihood(dcm, pages);
  for (int step = 0; step < 300; ++step) {
    dcm = em_step(dcm, pages);
    const double after = log_likelihood(dcm, pages);
    ASSERT_GE(after, before - 1e-9);
    before = after;
  }
  // At the maximum no parameter can be moved to advantage.
  const auto cannot_gain = [&](double& parameter) {
    const double kept = parameter;
    for (const double change : {-.002, .002}) {
      parameter = kept + change;
      EXPECT_LT(log_likelihood(dcm, pages), before);
    }
    parameter = kept;
  };
  for (const Item e : kList) cannot_gain(dcm.attraction[e]);
  for (std::size_t k = 0; k < 2; ++k) cannot_gain(dcm.termination[k]);
  for (const Item e : kList) EXPECT_NEAR(dcm.attraction[e], kScoredDcm.attraction[e], .03);
  for (std::size_t k = 0; k < 2; ++k)
    EXPECT_NEAR(dcm.termination[k], kScoredDcm.termination[k], .06);
}

TEST(PrefixEstimateLimit, IsTheFormulaOfTheSecondOfTwoPositions) {
  const Dcm dcm{{.6, .5}, {.5, .1}};
  const std::vector<Item> list{0, 1};
  const double clicked = .5 * (1 - .5 * .6);
  EXPECT_DOUBLE_EQ(prefix_estimate_limit(dcm, list, 1), clicked / (clicked + .4 * .5));
  EXPECT_NEAR(prefix_estimate_limit(dcm, list, 1), .636, .0005);  // above .6: the items swap
  EXPECT_DOUBLE_EQ(prefix_estimate_limit(dcm, list, 0), .6);
}

TEST(PrefixEstimateLimit, IsWhereThePapersCountingTends) {
  constexpr int kUsers = 200000;
  for (const std::size_t positions : {2U, 3U}) {
    const auto list = std::span(kList).first(positions);
    const DcmUsers users(kScoredDcm, 3, 0);
    std::vector<Counts> counts(kScoredDcm.items());
    Page clicks(positions);
    for (std::uint64_t t = 1; t <= kUsers; ++t) {
      users.visit(t, list, clicks);
      count(Counting::kPrefix, SeenPage(list, clicks), counts);
    }
    for (std::size_t k = 0; k < positions; ++k) {
      const Counts& c = counts[list[k]];
      const double limit = prefix_estimate_limit(kScoredDcm, list, k);
      EXPECT_NEAR(c.attracted / c.observed, limit, 4 * std::sqrt(.25 / c.observed));
      EXPECT_EQ(limit > kScoredDcm.attraction[list[k]] + 1e-12, k > 0);
    }
  }
}

TEST(PrefixEstimateLimit, IsTheAttractionWhereEveryClickEndsTheVisit) {
  const Dcm cascade{{.6, .5, .4, .1}, {1, 1, 1}};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(prefix_estimate_limit(cascade, kList, k), cascade.attraction[kList[k]], 1e-15);
  }
}

}  // namespace
}  // namespace dcmrank
