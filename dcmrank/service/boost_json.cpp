// Boost.JSON itself, built here once instead of linked.
#include <boost/json/src.hpp>
