#include <exception>

#include "base/error.h"
#include "base/log.h"
#include "harness/cli.h"
#include "harness/exit_code.h"

int main(int argc, char** argv) {
  using fairwire::ExitCode;
  ExitCode code = ExitCode::not_measured;
  try {
    code = fairwire::run_command_line(argc, argv);
  } catch (const fairwire::Interrupted&) {
    code = ExitCode::interrupted;
  } catch (const fairwire::FormatError& error) {
    fairwire::log_info(error.what());
    code = ExitCode::usage;
  } catch (const fairwire::UsageError& error) {
    fairwire::log_info(error.what());
    code = ExitCode::usage;
  } catch (const std::exception& error) {
    fairwire::log_info(error.what());
  }
  return static_cast<int>(code);
}
