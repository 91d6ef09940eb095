#pragma once

namespace dcmrank {

/// Elementary functions that give the same bits on every machine and with every instruction set,
/// alone or as an element of a vector (elementary-inl.h), which those of the C library do not
/// promise. Errors are below 2 units in the last place.

/// x positive, normal and finite.
double same_log(double x);
/// log(1 + x), x > -1 and finite.
double same_log1p(double x);
/// x at most 700; below -700 as at -700.
double same_exp(double x);
double same_expm1(double x);

}  // namespace dcmrank
