#include "drivers/machines/fresh_root.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/temp_dir.h"

namespace fairwire {
namespace {

// Every Linux root has it, and the machine sees a fresh one of its own anyway.
constexpr const char* kStage = "/tmp";
constexpr const char* kRoot = "/tmp/root";

void mount_at(const std::string& source, const std::string& target, const char* type,
              unsigned long flags, const std::string& data = {}) {
  const int result = ::mount(source.c_str(), target.c_str(), type, flags, data.c_str());
  check_system(result, std::string("mount ") + (type == nullptr ? source : type) + " on", target);
}

bool exists(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0;
}

void make_folder(const std::string& path, mode_t mode = 0755) {
  make_directories(path);
  check_system(::chmod(path.c_str(), mode), "chmod", path);  // whatever the umask
}

void bind(const std::string& source, const std::string& target) {
  mount_at(source, target, nullptr, MS_BIND);
}

void bind_file(const std::string& source, const std::string& target) {
  open_file(target, O_WRONLY | O_CREAT);
  bind(source, target);
}

void make_read_only(const std::string& target) {
  mount_at("read-only", target, nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY);
}

// A path that still leads to an open file when a mount has covered its own path.
std::string path_of(const FileDescriptor& file) {
  return "/proc/self/fd/" + std::to_string(file.get());
}

bool is_mount_point(const std::string& path) {
  struct statx status {};
  if (::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_TYPE, &status) != 0) return false;
  return S_ISDIR(status.stx_mode) && (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

// `lower` and `target` are ours and free of the commas and colons that overlay would mind.
void mount_overlay(const std::string& lower, const std::string& layer, const std::string& target) {
  const std::string upper = std::string(kStage) + "/upper-" + layer;
  const std::string work = std::string(kStage) + "/work-" + layer;
  make_folder(upper);
  make_folder(work);
  mount_at("overlay", target, "overlay", 0,
           "lowerdir=" + lower + ",upperdir=" + upper + ",workdir=" + work);
}

// A folder of the stage in place of the host's: empty, and under the same cap as the overlay.
void replace_folder(const std::string& name, mode_t mode) {
  std::string layer = name;
  for (char& c : layer) c = c == '/' ? '-' : c;
  const std::string fresh = std::string(kStage) + "/fresh" + layer;
  const std::string target = kRoot + name;
  make_folder(fresh, mode);
  make_directories(target);
  bind(fresh, target);
}

void build_system_folders() {
  mount_overlay("/", "root", kRoot);
  // An overlay shows one file system; these belong to the system even where they are others.
  for (const std::string name : {"usr", "opt", "var"}) {
    if (is_mount_point("/" + name)) mount_overlay("/" + name, name, kRoot + ("/" + name));
  }
}

void build_devices(const FreshRoot& root) {
  const std::string dev = kRoot + std::string("/dev");
  make_directories(dev);
  mount_at("dev", dev, "tmpfs", MS_NOSUID, "mode=0755,size=1m");
  for (const std::string folder : {"/net", "/pts", "/shm"}) make_folder(dev + folder);
  for (const std::string node :
       {"/null", "/zero", "/full", "/random", "/urandom", "/tty", "/fuse", "/net/tun"}) {
    if (exists("/dev" + node)) bind_file("/dev" + node, dev + node);
  }
  mount_at("devpts", dev + "/pts", "devpts", MS_NOSUID | MS_NOEXEC,
           "newinstance,ptmxmode=0666,mode=0620");
  const std::pair<const char*, const char*> links[] = {{"pts/ptmx", "/ptmx"},
                                                       {"/proc/self/fd", "/fd"},
                                                       {"/proc/self/fd/0", "/stdin"},
                                                       {"/proc/self/fd/1", "/stdout"},
                                                       {"/proc/self/fd/2", "/stderr"}};
  for (const auto& [to, name] : links) {
    check_system(::symlink(to, (dev + name).c_str()), "link", dev + name);
  }
  mount_at("work", dev + "/shm", "tmpfs", MS_NOSUID | MS_NODEV,
           "mode=1777,size=" + std::to_string(root.work_bytes));
}

void build_kernel_views() {
  const std::string proc = kRoot + std::string("/proc");
  const std::string sys = kRoot + std::string("/sys");
  make_directories(proc);
  make_directories(sys);
  mount_at("proc", proc, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC);
  // Fresh, so that it shows the machine's own interfaces; read-only, since the rest is the host's.
  mount_at("sysfs", sys, "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY);
  if (exists("/sys/fs/cgroup")) {
    mount_at("/sys/fs/cgroup", sys + "/fs/cgroup", nullptr, MS_BIND | MS_REC);
  }
}

void build_fresh_folders(const FreshRoot& root) {
  replace_folder("/tmp", 01777);
  replace_folder("/run", 0755);
  replace_folder("/root", 0700);
  if (!root.home.empty() && root.home != "/" && root.home != "/root") {
    replace_folder(root.home, 0700);
  }
  make_folder(kRoot + std::string("/run/sshd"));  // sshd's privilege separation wants it
  make_folder(kRoot + std::string("/run/fairwire"));
  make_directories(kRoot + std::string("/etc"));
  write_file(kRoot + std::string("/etc/hosts"),
             "127.0.0.1 localhost\n::1 localhost\n127.0.1.1 " + root.host_name + "\n");
}

void build_work(const FreshRoot& root, const FileDescriptor& store) {
  make_folder(std::string(kRoot) + kMachineWork);
  const std::string target = std::string(kRoot) + kMachineStore;
  make_folder(target);
  if (!store.is_open()) return;
  bind(path_of(store), target);
  if (!root.store_writable) make_read_only(target);
}

void move_into_root() {
  check_system(::chdir(kRoot), "enter", kRoot);
  // The old root lands on top of the new one and is taken away: no folder is needed for it.
  check_system(::syscall(SYS_pivot_root, ".", "."), "pivot_root to", kRoot);
  check_system(::umount2(".", MNT_DETACH), "unmount the old root below", kRoot);
  check_system(::chdir("/"), "enter", "/");
}

}  // namespace

void enter_fresh_root(const FreshRoot& root) {
  check_system(::unshare(CLONE_NEWNS), "make a mount namespace");
  mount_at("private", "/", nullptr, MS_REC | MS_PRIVATE);
  // Opened before the stage covers what may lie below it.
  const FileDescriptor self = open_file(root.self_binary, O_PATH);
  const std::string beside = root.self_binary.substr(0, root.self_binary.rfind('/'));
  const FileDescriptor sync(::open((beside + "/fairsync").c_str(), O_PATH | O_CLOEXEC));
  FileDescriptor store;
  if (!root.store.empty()) store = open_file(root.store, O_PATH | O_DIRECTORY);

  mount_at("stage", kStage, "tmpfs", 0, "mode=0755,size=" + std::to_string(root.root_bytes));
  make_folder(kRoot);
  build_system_folders();
  build_devices(root);
  build_kernel_views();
  build_fresh_folders(root);
  build_work(root, store);
  bind_file(path_of(self), std::string(kRoot) + kMachineSelf);
  make_read_only(std::string(kRoot) + kMachineSelf);
  if (sync.is_open()) {
    bind_file(path_of(sync), std::string(kRoot) + kMachineSync);
    make_read_only(std::string(kRoot) + kMachineSync);
  }
  move_into_root();
}

}  // namespace fairwire
