#include "harness/fairwire.h"

namespace fairwire {

std::string version() {
  return FAIRWIRE_VERSION;
}

}  // namespace fairwire
