// What fairsync takes from base/, by name. It takes nothing else from this repository: the judge
// and the judged meet as programs.
#pragma once

#include "base/clock.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/file_descriptor.h"

namespace fairsync {

using fairwire::check_system;
using fairwire::Digest;
using fairwire::FileDescriptor;
using fairwire::ProtocolError;
using fairwire::Sha256;
using fairwire::SystemError;
using fairwire::throw_system_error;

}  // namespace fairsync
