#include "drivers/wires/user_namespace.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <thread>

#include "base/error.h"
#include "base/file_descriptor.h"

namespace fairwire {
namespace {

constexpr uint32_t bit(int capability) {
  return 1u << (capability & 31);
}

constexpr uint32_t kNeeded = bit(CAP_NET_ADMIN) | bit(CAP_SYS_ADMIN);  // both below 32

struct Capabilities {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2]{};

  Capabilities() {
    check_system(static_cast<int>(::syscall(SYS_capget, &header, data)), "read capabilities");
  }
  void store() {
    check_system(static_cast<int>(::syscall(SYS_capset, &header, data)), "set capabilities");
  }
};

// A number that the kernel shows there; -1 without such a file.
int64_t setting(const char* path) {
  try {
    return std::stoll(read_file(path, 64));
  } catch (const std::exception&) {
    return -1;
  }
}

std::string what_forbids(int error) {
  if (setting("/proc/sys/kernel/unprivileged_userns_clone") == 0) {
    return "kernel.unprivileged_userns_clone is 0: sysctl kernel.unprivileged_userns_clone=1";
  }
  if (setting("/proc/sys/user/max_user_namespaces") == 0) {
    return "user.max_user_namespaces is 0: sysctl user.max_user_namespaces=1000";
  }
  if (setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == 1) {
    return "AppArmor restricts user namespaces: sysctl "
           "kernel.apparmor_restrict_unprivileged_userns=0";
  }
  if (error == EINVAL) return "this kernel was built without user namespaces";
  if (error == EPERM) return "a chroot, container or security module forbids user namespaces";
  return std::string("user namespaces: ") + std::strerror(error);
}

[[noreturn]] void refuse(int error) {
  throw ProtocolError("a link needs root, or a user namespace, which this host does not give: " +
                      what_forbids(error));
}

void write_own(const char* name, const std::string& text) {
  try {
    open_file(std::string("/proc/self/") + name, O_WRONLY).write_all(text);
  } catch (const SystemError& error) {
    refuse(error.error_number);
  }
}

// Children keep the two rights across exec, although they are not root (capabilities(7)). We keep
// no others: a child may look into the namespaces of whoever has no more rights than it.
void hand_on() {
  Capabilities own;
  own.data[0] = {kNeeded, kNeeded, kNeeded};
  own.data[1] = {};
  own.store();
  for (const int capability : {CAP_NET_ADMIN, CAP_SYS_ADMIN}) {
    check_system(::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0),
                 "hand on capabilities");
  }
}

// AppArmor lets the user namespace be made and takes the rights away: only the act tells. Done by a
// thread, whose network namespace goes with it.
void try_rights() {
  int error = 0;
  std::thread([&] { error = ::unshare(CLONE_NEWNET) == 0 ? 0 : errno; }).join();
  if (error != 0) refuse(error);
}

}  // namespace

void gain_network_rights() {
  const Capabilities own;
  if ((own.data[0].effective & kNeeded) == kNeeded) return;
  const std::string user = std::to_string(::geteuid());
  const std::string group = std::to_string(::getegid());
  if (::access("/dev/net/tun", R_OK | W_OK) != 0) {
    throw ProtocolError(
        std::string(
            "a link needs root, or the right to open /dev/net/tun, which this user has not (") +
        std::strerror(errno) + "): chmod 666 /dev/net/tun, as most distributions have it");
  }
  if (::unshare(CLONE_NEWUSER) != 0) refuse(errno);
  write_own("setgroups", "deny");
  write_own("uid_map", user + " " + user + " 1");
  write_own("gid_map", group + " " + group + " 1");
  try_rights();
  hand_on();
}

}  // namespace fairwire
