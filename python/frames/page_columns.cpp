#include "frames/page_columns.h"

#include <utility>
#include <vector>

namespace dcmrank::python {

void PageColumns::add(const Impression& impression) {
  query_.add(impression.query.text);
  for (const Id& item : impression.items) items_.add(item.text);
  items_.end_list();
  clicks_.flag.insert(clicks_.flag.end(), impression.clicks.begin(), impression.clicks.end());
  clicks_.end_list();
  session_.key.push_back(impression.session);
  has_session_ = has_session_ || impression.session != 0;
}

void PageColumns::append(const PageColumns& other) {
  query_.append(other.query_);
  items_.append(other.items_);
  clicks_.append(other.clicks_);
  session_.append(other.session_);
  has_session_ = has_session_ || other.has_session_;
}

Table table_of(PageColumns pages) {
  std::vector<Column> columns;
  columns.push_back(std::move(pages.query_));
  columns.push_back(std::move(pages.items_));
  columns.push_back(std::move(pages.clicks_));
  if (pages.has_session_) columns.push_back(std::move(pages.session_));
  return Table(std::move(columns));
}

}  // namespace dcmrank::python
