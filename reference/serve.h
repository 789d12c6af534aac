// fairsync serve: a thread a connection until its session is complete, a session a control
// connection. Runs until it is killed.
#pragma once

#include "reference/options.h"

namespace fairsync {

/// Does not return unless the listening socket fails, which throws SystemError.
int serve(const ServeOptions& options);

}  // namespace fairsync
