#include "drivers/meter/connection_watch.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace fairwire {
namespace {

constexpr size_t kAnswerBytes = 64 << 10;
constexpr size_t kMostSeen = 4096;
constexpr int64_t kEndOfStream = 1;      // a FIN counts as a byte in tcpi_bytes_received
constexpr int kReceiveBuffer = 4 << 20;  // broadcasts between two polls
// TCP_LISTEN, TCP_TIME_WAIT, TCP_NEW_SYN_RECV have no counters (include/net/tcp_states.h).
constexpr uint32_t kStates = 0xfff & ~(1u << 10 | 1u << 6 | 1u << 12 | 1u << 7);

FileDescriptor open_diag(uint32_t groups) {
  FileDescriptor socket(check_system(
      ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG), "open sock_diag"));
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  address.nl_groups = groups;
  check_system(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address),
               "bind sock_diag");
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUFFORCE, &kReceiveBuffer, sizeof kReceiveBuffer);
  return socket;
}

constexpr uint32_t group(int number) {
  return 1u << (number - 1);
}

// Only from one socket of this machine to another: it never meets the wire.
bool stays_here(int family, const inet_diag_sockid& id) {
  const size_t size = family == AF_INET6 ? 16 : 4;
  if (std::memcmp(id.idiag_src, id.idiag_dst, size) == 0) return true;
  if (family == AF_INET) return (ntohl(id.idiag_src[0]) >> 24) == 127;
  const auto* address = reinterpret_cast<const in6_addr*>(id.idiag_src);
  if (IN6_IS_ADDR_V4MAPPED(address)) return (ntohl(id.idiag_src[3]) >> 24) == 127;
  return IN6_IS_ADDR_LOOPBACK(address);
}

std::string address_text(int family, const void* address, uint16_t port) {
  char text[INET6_ADDRSTRLEN] = {};
  ::inet_ntop(family, address, text, sizeof text);
  const std::string number = std::to_string(ntohs(port));
  return family == AF_INET6 ? "[" + std::string(text) + "]:" + number
                            : std::string(text) + ":" + number;
}

void take_info(const char* data, size_t size, ConnectionReading& into) {
  tcp_info info{};  // shorter from older kernels: the rest stays zero
  std::memcpy(&info, data, std::min(size, sizeof info));
  into.bytes_acked = static_cast<int64_t>(info.tcpi_bytes_acked);
  into.bytes_received = static_cast<int64_t>(info.tcpi_bytes_received);
  into.retransmissions = info.tcpi_total_retrans;
  into.round_trip = std::chrono::microseconds(info.tcpi_rtt);
}

void add(const ConnectionReading& connection, ConnectionTotals& totals) {
  ++totals.connections;
  totals.retransmissions += connection.retransmissions;
  totals.bytes_received += connection.bytes_received;
  if (connection.bytes_received > kEndOfStream) ++totals.answered;
  ++totals.algorithms[connection.algorithm.empty() ? "unknown" : connection.algorithm];
}

struct Request {
  nlmsghdr header{};
  inet_diag_req_v2 body{};
};

}  // namespace

ConnectionWatch::ConnectionWatch()
    : asking_(open_diag(0)),
      listening_(open_diag(group(SKNLGRP_INET_TCP_DESTROY) | group(SKNLGRP_INET6_TCP_DESTROY))) {
  poll();
  for (const auto& [cookie, connection] : seen_) left_out_.insert(cookie);
  restart();
}

void ConnectionWatch::poll() {
  hear();
  dump(AF_INET);
  dump(AF_INET6);
  if (seen_.size() > kMostSeen) fold_closed();
}

void ConnectionWatch::restart() {
  hear();  // what was closed before now is not of the time that begins
  seen_.clear();
  folded_ = {};
}

void ConnectionWatch::dump(int family) {
  Request request;
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request.header.nlmsg_seq = ++sequence_;
  request.body.sdiag_family = static_cast<uint8_t>(family);
  request.body.sdiag_protocol = IPPROTO_TCP;
  request.body.idiag_ext = 1 << (INET_DIAG_INFO - 1) | 1 << (INET_DIAG_CONG - 1);
  request.body.idiag_states = kStates;
  check_system(::send(asking_.get(), &request, sizeof request, 0), "ask sock_diag");
  std::vector<char> answer(kAnswerBytes);
  while (true) {
    const ssize_t size = ::recv(asking_.get(), answer.data(), answer.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    check_system(size, "read sock_diag");
    const auto* last = reinterpret_cast<const nlmsghdr*>(
        answer.data() + take(answer.data(), static_cast<size_t>(size), false));
    if (size == 0 || last->nlmsg_type == NLMSG_DONE || last->nlmsg_type == NLMSG_ERROR) return;
  }
}

void ConnectionWatch::hear() {
  std::vector<char> news(kAnswerBytes);
  while (true) {
    const ssize_t size = ::recv(listening_.get(), news.data(), news.size(), MSG_DONTWAIT);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == ENOBUFS) continue;  // some were missed: their last poll stands
    if (size <= 0) return;
    take(news.data(), static_cast<size_t>(size), true);
  }
}

// Returns where the last message begins.
size_t ConnectionWatch::take(const char* data, size_t size, bool closed) {
  size_t at = 0;
  size_t last = 0;
  while (at + sizeof(nlmsghdr) <= size) {
    const auto* header = reinterpret_cast<const nlmsghdr*>(data + at);
    if (header->nlmsg_len < sizeof *header || header->nlmsg_len > size - at) break;
    last = at;
    if (header->nlmsg_type == SOCK_DIAG_BY_FAMILY &&
        header->nlmsg_len >= NLMSG_LENGTH(sizeof(inet_diag_msg))) {
      take_socket(data + at + NLMSG_HDRLEN, header->nlmsg_len - NLMSG_HDRLEN, closed);
    }
    at += NLMSG_ALIGN(header->nlmsg_len);
  }
  return last;
}

void ConnectionWatch::take_socket(const char* data, size_t size, bool closed) {
  const auto* message = reinterpret_cast<const inet_diag_msg*>(data);
  const inet_diag_sockid& id = message->id;
  if (id.idiag_dport == 0) return;  // a listener
  const uint64_t cookie = uint64_t{id.idiag_cookie[1]} << 32 | id.idiag_cookie[0];
  if (left_out_.contains(cookie) || stays_here(message->idiag_family, id)) return;
  ConnectionReading& into = seen_[cookie];
  into.local = address_text(message->idiag_family, id.idiag_src, id.idiag_sport);
  into.remote = address_text(message->idiag_family, id.idiag_dst, id.idiag_dport);
  into.closed = into.closed || closed;
  auto left = static_cast<int>(size - sizeof *message);
  const auto* attribute = reinterpret_cast<const rtattr*>(message + 1);
  for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left)) {
    const char* value = reinterpret_cast<const char*>(RTA_DATA(attribute));
    const size_t length = RTA_PAYLOAD(attribute);
    if (attribute->rta_type == INET_DIAG_INFO) take_info(value, length, into);
    if (attribute->rta_type == INET_DIAG_CONG) {
      into.algorithm.assign(value, ::strnlen(value, length));
    }
  }
}

std::vector<ConnectionReading> ConnectionWatch::connections() const {
  std::vector<ConnectionReading> all;
  for (const auto& [cookie, connection] : seen_) all.push_back(connection);
  return all;
}

ConnectionTotals ConnectionWatch::totals() const {
  ConnectionTotals totals = folded_;
  for (const auto& [cookie, connection] : seen_) add(connection, totals);
  return totals;
}

void ConnectionWatch::fold_closed() {
  for (auto entry = seen_.begin(); entry != seen_.end();) {
    if (entry->second.closed) {
      add(entry->second, folded_);
      entry = seen_.erase(entry);
    } else {
      ++entry;
    }
  }
}

}  // namespace fairwire
