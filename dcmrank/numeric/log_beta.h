#pragma once

namespace dcmrank {

/// The logarithm of the Beta function B(a, b), a >= 1 and b >= 1: the same bits on every machine.
/// Absolute error below 1e-13 + 1e-15 (a + b).
double log_beta(double a, double b);

}  // namespace dcmrank
