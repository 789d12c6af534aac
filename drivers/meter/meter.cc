#include "drivers/meter.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "base/error.h"

namespace fairwire {
namespace {

constexpr int kPollsOfConnections = 5;  // every 100 ms

// 'KEY … total=MICROSECONDS' of the line "some".
int64_t pressure_us(const char* resource) {
  const auto text = read_small_file(std::string("/proc/pressure/") + resource);
  const size_t at = text && text->starts_with("some ") ? text->find("total=") : std::string::npos;
  return at == std::string::npos ? -1 : std::strtoll(text->c_str() + at + 6, nullptr, 10);
}

int64_t steal_us() {
  std::istringstream words(read_small_file("/proc/stat").value_or(""));
  std::string key;
  int64_t ticks[8] = {};  // user nice system idle iowait irq softirq steal
  words >> key;
  for (int64_t& value : ticks) words >> value;
  return words && key == "cpu" ? ticks[7] * (1'000'000 / ::sysconf(_SC_CLK_TCK)) : -1;
}

}  // namespace

std::vector<InterfaceCount> parse_interfaces(const std::string& text) {
  std::vector<InterfaceCount> counts;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    const size_t colon = line.rfind(':');  // a name may hold a colon, the numbers do not
    if (colon == std::string::npos) continue;
    InterfaceCount count;
    std::istringstream(line.substr(0, colon)) >> count.name;
    uint64_t columns[16] = {};  // eight received, eight sent: bytes packets errs drop …
    std::istringstream words(line.substr(colon + 1));
    for (uint64_t& value : columns) words >> value;
    if (!words || count.name.empty() || count.name == "lo") continue;
    count.received_bytes = static_cast<int64_t>(columns[0]);
    count.received_packets = static_cast<int64_t>(columns[1]);
    count.sent_bytes = static_cast<int64_t>(columns[8]);
    count.sent_packets = static_cast<int64_t>(columns[9]);
    count.dropped_packets = static_cast<int64_t>(columns[3] + columns[11]);
    counts.push_back(count);
  }
  return counts;
}

std::vector<InterfaceCount> read_interfaces() {
  return parse_interfaces(read_small_file("/proc/net/dev").value_or(""));
}

HostLoad read_host_load() {
  return {steal_us(), pressure_us("cpu"), pressure_us("io"), pressure_us("memory")};
}

Meter::Meter(ToolGroups& groups)
    : groups_(groups), counts_disk_(disk_bytes(::getpid()).has_value()) {
  try {
    connections_.emplace();
  } catch (const SystemError&) {
    connections_.reset();  // an ordinary user, or a kernel without sock_diag: not measured
  }
}

void Meter::poll() {
  if (connections_ && ++polls_ % kPollsOfConnections == 0) connections_->poll();
  int64_t sum = 0;
  for (const pid_t pid : groups_.all()) sum += anonymous_bytes(pid);
  peak_anonymous_ = std::max(peak_anonymous_, sum);
}

DiskBytes Meter::disk(const std::vector<pid_t>& pids) const {
  DiskBytes sum = reaped_disk_;
  for (const pid_t pid : pids) {
    if (const auto bytes = disk_bytes(pid)) {
      sum.read += bytes->read;
      sum.written += bytes->written;
      sum.handed_over += bytes->handed_over;
    }
  }
  return sum;
}

Switches Meter::switches(const std::vector<pid_t>& pids) {
  Switches sum = reaped_switches_;
  for (const pid_t pid : pids) {
    const Switches live = context_switches(pid);
    sum.voluntary += live.voluntary;
    sum.involuntary += live.involuntary;
  }
  // A thread that ended takes its count along until its process is reaped: no running backwards.
  highest_switches_.voluntary = std::max(highest_switches_.voluntary, sum.voluntary);
  highest_switches_.involuntary = std::max(highest_switches_.involuntary, sum.involuntary);
  return highest_switches_;
}

void Meter::read_connections(MeterReading& reading) {
  if (!connections_) return;
  connections_->poll();
  ConnectionTotals totals = connections_->totals();
  reading.connections = totals.connections;
  reading.retransmissions = totals.retransmissions;
  reading.answered = totals.answered;
  reading.payload_received_bytes = totals.bytes_received;
  reading.congestion = std::move(totals.algorithms);
}

std::string Meter::count_calls() {
  if (calls_) return "";
  try {
    calls_.emplace();
    own_calls_ = 0;
    return "";
  } catch (const SystemError& error) {
    return error.what();
  }
}

int64_t Meter::answered() {
  if (!connections_) return -1;
  connections_->poll();
  return connections_->totals().answered;
}

MeterReading Meter::read(bool reset_peak) {
  poll();
  MeterReading reading;
  const CpuTime cpu = groups_.cpu();
  reading.cpu_user_us = cpu.user_us;
  reading.cpu_system_us = cpu.system_us;
  reading.cpu_total_us = cpu.total_us;
  reading.cpu_method = groups_.method();
  reading.peak_anonymous_bytes = peak_anonymous_;
  reading.memory_period_ms = kMemoryPeriod.count();
  const std::vector<pid_t> tools = groups_.all();
  const Switches switched = switches(tools);
  reading.voluntary_switches = switched.voluntary;
  reading.involuntary_switches = switched.involuntary;
  const DiskBytes bytes = disk(tools);
  reading.disk_read_bytes = counts_disk_ ? bytes.read : -1;
  reading.disk_written_bytes = counts_disk_ ? bytes.written : -1;
  reading.interfaces = read_interfaces();
  reading.load = read_host_load();
  // One of our own may be noted and not made yet.
  if (calls_) reading.fsyncs = std::max<int64_t>(0, calls_->calls() - own_calls_);
  read_connections(reading);
  reading.at = monotonic_now();
  if (reset_peak) {
    if (connections_) connections_->restart();
    peak_anonymous_ = 0;
    poll();
  }
  return reading;
}

Activity Meter::activity() {
  Activity activity;
  const DiskBytes bytes = disk(groups_.all());
  activity.disk_bytes = bytes.read + bytes.written;
  activity.written_bytes = bytes.handed_over;
  activity.cpu_us = std::max<int64_t>(0, groups_.cpu().total_us);
  for (const InterfaceCount& count : read_interfaces()) {
    activity.wire_bytes += count.received_bytes + count.sent_bytes;
  }
  return activity;
}

void Meter::note_started(pid_t pid) {
  if (::geteuid() == 0 || !counts_disk_) return;
  const std::string path = "/proc/" + std::to_string(pid) + "/io";
  disk_files_[pid] = FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

void Meter::note_reaped(const rusage& usage) {
  reaped_switches_.voluntary += usage.ru_nvcsw;
  reaped_switches_.involuntary += usage.ru_nivcsw;
}

void Meter::note_zombie(pid_t pid) {
  const auto opened = disk_files_.extract(pid);
  const auto bytes = opened ? disk_bytes(opened.mapped()) : disk_bytes(pid);
  if (!bytes) return;
  reaped_disk_.read += bytes->read;
  reaped_disk_.written += bytes->written;
  reaped_disk_.handed_over += bytes->handed_over;
}

}  // namespace fairwire
