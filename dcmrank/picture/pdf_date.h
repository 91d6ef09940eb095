#pragma once

#include <string>

namespace dcmrank::gnuplot {

/// Replaces the date of creation in a PDF that cairo wrote by one that is always the same. Since
/// version 1.18 cairo packs it, compressed, with other objects into an object stream at the end of
/// the file: that one is written plainly then, and the table of places (ISO 32000, 7.5.8) anew. A
/// PDF of another form is left as it is.
void overwrite_pdf_date(std::string& bytes);

}  // namespace dcmrank::gnuplot
