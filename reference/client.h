// fairsync pull and fairsync push.
#pragma once

#include "reference/options.h"

namespace fairsync {

/// The exit code of docs/protocol.md. Throws what ended the session early.
int transfer(const TransferOptions& options);

}  // namespace fairsync
