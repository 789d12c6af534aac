#include <exception>
#include <stdexcept>

#include "reference/cli.h"
#include "reference/say.h"
#include "reference/transfer/session.h"

int main(int argc, char** argv) {
  try {
    return fairsync::run_command_line(argc, argv);
  } catch (const fairsync::UsageError& error) {
    fairsync::say(error.what());
    return 2;
  } catch (const std::invalid_argument& error) {  // a key file that is none
    fairsync::say(error.what());
    return 2;
  } catch (const fairsync::ChangedError& error) {
    fairsync::say(error.what());
    return 3;
  } catch (const std::exception& error) {
    fairsync::say(error.what());
    return 1;
  }
}
