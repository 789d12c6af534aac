#include "reference/wire/tls.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace fairsync {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned char kIdentity[] = "fairsync";
constexpr size_t kIdentityLength = sizeof(kIdentity) - 1;
constexpr char kCipher[] = "TLS_AES_256_GCM_SHA384";
constexpr unsigned char kCipherId[] = {0x13, 0x02};
constexpr size_t kSlice = size_t{256} << 10;  // bytes encrypted before they are given to the kernel
constexpr uint64_t kBytesPerKey = uint64_t{64} << 30;

template <typename T, void (*Free)(T*)>
struct Freer {
  void operator()(T* object) const { Free(object); }
};
using SslPtr = std::unique_ptr<SSL, Freer<SSL, SSL_free>>;
using ContextPtr = std::unique_ptr<SSL_CTX, Freer<SSL_CTX, SSL_CTX_free>>;
using MethodPtr = std::unique_ptr<BIO_METHOD, Freer<BIO_METHOD, BIO_meth_free>>;

std::string openssl_reason() {
  const unsigned long error = ERR_peek_error();
  const char* reason = error == 0 ? nullptr : ERR_reason_error_string(error);
  return reason == nullptr ? "the connection broke" : reason;
}

// Encrypted bytes gather in a vector, so that a message leaves with one send().
int gather(BIO* bio, const char* data, int length) {
  auto* out = static_cast<std::vector<char>*>(BIO_get_data(bio));
  out->insert(out->end(), data, data + length);
  return length;
}

long gather_control(BIO*, int command, long, void*) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

MethodPtr gathering_method() {
  MethodPtr method(BIO_meth_new(BIO_TYPE_SOURCE_SINK, "gather"));
  if (!method) throw std::bad_alloc();
  BIO_meth_set_write(method.get(), gather);
  BIO_meth_set_ctrl(method.get(), gather_control);
  return method;
}

void wait_for(int fd, short events, Timeout timeout) {
  pollfd wanted{fd, events, 0};
  const auto deadline = Clock::now() + timeout.value_or(std::chrono::milliseconds(0));
  while (true) {
    int wait_ms = -1;
    if (timeout) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
      wait_ms = static_cast<int>(std::max<int64_t>(0, left.count()));
    }
    const int count = ::poll(&wanted, 1, wait_ms);
    if (count > 0) return;
    if (count == 0) throw ProtocolError("nothing was heard from the other end in time");
    if (errno != EINTR) throw_system_error("poll");
  }
}

void send_all(int fd, std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count >= 0) {
      bytes = bytes.subspan(static_cast<size_t>(count));
    } else if (errno == EAGAIN) {
      wait_for(fd, POLLOUT, std::nullopt);
    } else if (errno != EINTR) {
      throw ProtocolError(std::string("the connection broke: ") + std::strerror(errno));
    }
  }
}

SSL_SESSION* session_with(SSL* ssl, const PresharedKey& key) {
  SSL_SESSION* session = SSL_SESSION_new();
  const SSL_CIPHER* cipher = SSL_CIPHER_find(ssl, kCipherId);
  if (session == nullptr || cipher == nullptr ||
      SSL_SESSION_set1_master_key(session, key.data(), key.size()) != 1 ||
      SSL_SESSION_set_cipher(session, cipher) != 1 ||
      SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION) != 1) {
    SSL_SESSION_free(session);
    return nullptr;
  }
  return session;
}

const PresharedKey& key_of(SSL* ssl) {
  return *static_cast<const PresharedKey*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
}

int use_key(SSL* ssl, const EVP_MD*, const unsigned char** id, size_t* length, SSL_SESSION** out) {
  *out = session_with(ssl, key_of(ssl));
  *id = kIdentity;
  *length = kIdentityLength;
  return *out != nullptr ? 1 : 0;
}

int find_key(SSL* ssl, const unsigned char* id, size_t length, SSL_SESSION** out) {
  *out = nullptr;
  if (length != kIdentityLength || std::memcmp(id, kIdentity, length) != 0) return 1;
  *out = session_with(ssl, key_of(ssl));
  return *out != nullptr ? 1 : 0;
}

}  // namespace

struct TlsContext::State {
  Side side;
  PresharedKey key;
  MethodPtr gathering = gathering_method();
  ContextPtr context{SSL_CTX_new(TLS_method())};
};

TlsContext::TlsContext(Side side, const PresharedKey& key)
    : state_(std::make_unique<State>(State{side, key})) {
  SSL_CTX* context = state_->context.get();
  if (context == nullptr) throw std::bad_alloc();
  SSL_CTX_set_app_data(context, &state_->key);
  SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
  SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION);
  if (SSL_CTX_set_ciphersuites(context, kCipher) != 1) throw std::runtime_error("no AES-256-GCM");
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_default_read_buffer_len(context, kSlice);
  if (side == Side::client) {
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);  // no authority: no certificate passes
    SSL_CTX_set_psk_use_session_callback(context, use_key);
  } else {
    SSL_CTX_set_psk_find_session_callback(context, find_key);
  }
}

TlsContext::~TlsContext() = default;

struct TlsStream::State {
  FileDescriptor socket;
  SslPtr ssl;
  std::mutex ssl_mutex;              // OpenSSL's object is for one thread at a time
  std::timed_mutex write_mutex;      // one message after the other
  std::vector<char> out;             // encrypted, under ssl_mutex
  std::vector<char> sending;         // under write_mutex
  uint64_t bytes_with_this_key = 0;  // under write_mutex

  // Gives the kernel what has been encrypted, without holding up a reader meanwhile.
  void flush() {
    {
      const std::lock_guard lock(ssl_mutex);
      sending.swap(out);
    }
    send_all(socket.get(), sending);
    sending.clear();
  }
};

TlsStream::TlsStream(const TlsContext& context, FileDescriptor socket)
    : state_(std::make_unique<State>()) {
  const int fd = socket.get();
  const int on = 1;
  check_system(::fcntl(fd, F_SETFL, O_NONBLOCK), "make non-blocking");
  check_system(::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), "set TCP_NODELAY");
  check_system(::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on), "set SO_KEEPALIVE");
  state_->socket = std::move(socket);
  state_->ssl.reset(SSL_new(context.state_->context.get()));
  BIO* in = BIO_new_socket(fd, BIO_NOCLOSE);
  BIO* out = BIO_new(context.state_->gathering.get());
  if (!state_->ssl || in == nullptr || out == nullptr) throw std::bad_alloc();
  BIO_set_data(out, &state_->out);
  BIO_set_init(out, 1);
  SSL_set_bio(state_->ssl.get(), in, out);
  if (context.state_->side == Side::client) {
    SSL_set_connect_state(state_->ssl.get());
  } else {
    SSL_set_accept_state(state_->ssl.get());
  }
}

TlsStream::~TlsStream() = default;

void TlsStream::handshake(std::chrono::milliseconds within) {
  const auto deadline = Clock::now() + within;
  SSL* ssl = state_->ssl.get();
  while (true) {
    ERR_clear_error();
    const int result = SSL_do_handshake(ssl);
    const int error = SSL_get_error(ssl, result);
    const std::string reason = openssl_reason();
    const std::lock_guard lock(state_->write_mutex);
    state_->flush();
    if (result == 1) break;
    if (error == SSL_ERROR_SSL) {
      throw KeyError("the two ends do not have the same key, or the other is not fairsync (" +
                     reason + ")");
    }
    if (error != SSL_ERROR_WANT_READ) throw ProtocolError("the other end closed the connection");
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    wait_for(state_->socket.get(), POLLIN, std::max(left, std::chrono::milliseconds(0)));
  }
  if (SSL_session_reused(ssl) != 1) throw KeyError("the other end did not use the key");
}

size_t TlsStream::read_some(std::span<std::byte> buffer, Timeout timeout) {
  while (true) {
    {
      const std::lock_guard lock(state_->ssl_mutex);
      ERR_clear_error();
      size_t count = 0;
      const int result = SSL_read_ex(state_->ssl.get(), buffer.data(), buffer.size(), &count);
      if (result == 1) return count;
      const int error = SSL_get_error(state_->ssl.get(), result);
      if (error == SSL_ERROR_ZERO_RETURN) return 0;
      const unsigned long detail = ERR_peek_error();
      if (error == SSL_ERROR_SSL && ERR_GET_REASON(detail) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
        return 0;  // messages say where a session ends, so a cut stream cannot pass for a whole one
      }
      if (error != SSL_ERROR_WANT_READ) throw ProtocolError(openssl_reason());
    }
    wait_for(state_->socket.get(), POLLIN, timeout);
  }
}

void TlsStream::write(std::span<const std::byte> bytes) {
  const std::lock_guard lock(state_->write_mutex);
  while (!bytes.empty()) {
    const auto slice = bytes.first(std::min(bytes.size(), kSlice));
    {
      const std::lock_guard ssl_lock(state_->ssl_mutex);
      ERR_clear_error();
      state_->bytes_with_this_key += slice.size();
      if (state_->bytes_with_this_key > kBytesPerKey) {
        SSL_key_update(state_->ssl.get(), SSL_KEY_UPDATE_NOT_REQUESTED);
        state_->bytes_with_this_key = 0;
      }
      size_t count = 0;
      if (SSL_write_ex(state_->ssl.get(), slice.data(), slice.size(), &count) != 1) {
        throw ProtocolError(openssl_reason());
      }
    }
    state_->flush();
    bytes = bytes.subspan(slice.size());
  }
}

void TlsStream::try_write(std::span<const std::byte> bytes) noexcept {
  const std::unique_lock lock(state_->write_mutex, std::chrono::milliseconds(200));
  if (!lock.owns_lock()) return;
  const std::lock_guard ssl_lock(state_->ssl_mutex);
  ERR_clear_error();
  size_t count = 0;
  if (SSL_write_ex(state_->ssl.get(), bytes.data(), bytes.size(), &count) != 1) return;
  const std::vector<char>& out = state_->out;
  [[maybe_unused]] const ssize_t sent =
      ::send(state_->socket.get(), out.data(), out.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  state_->out.clear();
}

void TlsStream::shut() noexcept {
  ::shutdown(state_->socket.get(), SHUT_RDWR);
}

}  // namespace fairsync
