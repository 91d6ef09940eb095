#pragma once

namespace dcmrank {

/// The style sheet of our pages: one column, readable on a phone, a laptop and paper. Wide tables
/// scroll by themselves instead of widening the page.
inline constexpr const char* kPageStyle = R"(
:root { color-scheme: light; }
body { margin: 0; background: #fff; color: #1a1a1a;
       font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
main { max-width: 54rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.7rem; line-height: 1.2; }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 2.2rem 0 .6rem; }
nav ol { padding-left: 1.4rem; columns: 2 20rem; }
figure { margin: 0; }
figure svg { width: 100%; height: auto; display: block; }
figcaption { font-size: .92rem; color: #444; margin: .3rem 0 .8rem; }
.scroll { overflow-x: auto; margin: .5rem 0; }
table { border-collapse: collapse; font-size: .9rem; }
th, td { text-align: left; padding: .3rem .7rem .3rem 0; border-bottom: 1px solid #ddd;
         vertical-align: top; font-variant-numeric: tabular-nums; }
th { border-bottom: 2px solid #888; }
td { white-space: nowrap; }
table.claims { width: 100%; }
.claims td { white-space: normal; }
small { color: #555; }
code { background: #f3f3f3; padding: .1em .3em; overflow-wrap: anywhere; }
.yes { color: #00674b; white-space: nowrap; }
.no { color: #a63c00; white-space: nowrap; }
.open { color: #555; white-space: nowrap; }
.ours { background: #e8f1fa; color: #004f80; border-radius: .3rem; padding: 0 .4rem;
        font-size: .8em; font-weight: 600; }
.files { font-size: .9rem; }
a { color: #005a9c; }
@media (max-width: 600px) { .claims thead { display: none; }
  .claims tr { display: block; padding: .5rem 0; border-bottom: 1px solid #ddd; }
  .claims td { display: block; border: 0; padding: .1rem 0; } }
@media print { nav, .files { display: none; } section { break-inside: avoid; }
               .scroll { overflow: visible; } body { font-size: 11pt; } }
)";

}  // namespace dcmrank
