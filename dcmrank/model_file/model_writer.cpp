#include "dcmrank/model_file/model_writer.h"

#include "dcmrank/model_file/model_file.h"

namespace dcmrank {

void ModelWriter::begin(const FittedModel& head) {
  head_ = head;
  model_ = &click_model(head.model, "\"model\"");
  if (compact_) {
    compact_writer_.emplace(*model_, [this](std::string_view bytes) { piece_ += bytes; });
  } else {
    piece_ = print_model_begin(head);
  }
}

void ModelWriter::add(FittedQuery&& query) {
  constexpr std::size_t kPiece = std::size_t{1} << 20U;
  if (compact_writer_) {
    compact_writer_->add(query);
  } else {
    print_model_query(*model_, query, first_, piece_);
    first_ = false;
  }
  if (piece_.size() < kPiece) return;
  write_(piece_);
  piece_.clear();
}

void ModelWriter::finish() {
  if (compact_writer_) {
    compact_writer_->finish(head_);
  } else {
    piece_ += kModelEnd;
  }
  write_(piece_);
}

}  // namespace dcmrank
