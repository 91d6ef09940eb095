#pragma once

#include "dcmrank/http/message.h"

namespace dcmrank::service {

/// Without keys the service is there for the programs of this machine, not for whatever page a
/// browser on it shows: such a page can send requests, though it cannot read their answers. Throws
/// ApiError for what a page of another origin could send. `tls`: the service speaks HTTPS.
void refuse_foreign_pages(const RequestHead& head, bool tls);

}  // namespace dcmrank::service
