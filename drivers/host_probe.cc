#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/file_descriptor.h"
#include "drivers/calibration_probes.h"

namespace fairwire {
namespace {

constexpr int kRecord = 64 << 10;
constexpr int64_t kWritten = 64 << 20;
constexpr int kFsyncs = 20;
constexpr Nanoseconds kHashTime = std::chrono::milliseconds(300);

int64_t rate(int64_t bytes, Nanoseconds time) {
  return static_cast<int64_t>(static_cast<double>(bytes) * 1e9 /
                              static_cast<double>(std::max<int64_t>(1, time.count())));
}

int64_t sha256_speed() {
  const std::string block(1 << 20, 'f');
  Sha256 hash;
  int64_t bytes = 0;
  const Nanoseconds start = monotonic_now();
  while (monotonic_now() - start < kHashTime) {
    hash.update(block);
    bytes += static_cast<int64_t>(block.size());
  }
  hash.finish();
  return rate(bytes, monotonic_now() - start);
}

// The probe's file; gone with the object.
class ProbeFile {
 public:
  explicit ProbeFile(const std::string& folder)
      : path_(folder + "/host-probe.data"), file_(open_file(path_, O_WRONLY | O_CREAT | O_TRUNC)) {}
  ~ProbeFile() { ::unlink(path_.c_str()); }
  ProbeFile(const ProbeFile&) = delete;
  ProbeFile& operator=(const ProbeFile&) = delete;

  void write_and_sync(const std::string& block, int64_t times) const {
    for (int64_t i = 0; i < times; ++i) file_.write_all(block);
    check_system(::fsync(file_.get()), "fsync", path_);
  }

 private:
  std::string path_;
  FileDescriptor file_;
};

}  // namespace

int64_t aead_speed(Nanoseconds at_least) {
  const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context(
      EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
  const std::vector<unsigned char> key(32, 7);
  std::vector<unsigned char> nonce(12, 0);
  const std::vector<unsigned char> plain(kRecord, 'f');
  std::vector<unsigned char> sealed(plain.size() + 16);
  bool good = context && EVP_EncryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, key.data(),
                                            nonce.data()) == 1;
  int64_t bytes = 0;
  const Nanoseconds start = monotonic_now();
  while (good && monotonic_now() - start < at_least) {
    int size = 0;
    ++nonce[0];
    good =
        EVP_EncryptInit_ex(context.get(), nullptr, nullptr, nullptr, nonce.data()) == 1 &&
        EVP_EncryptUpdate(context.get(), sealed.data(), &size, plain.data(), kRecord) == 1 &&
        EVP_EncryptFinal_ex(context.get(), sealed.data() + size, &size) == 1 &&
        EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, 16, sealed.data() + kRecord) == 1;
    bytes += kRecord;
  }
  if (!good) throw std::runtime_error("AES-256-GCM does not work here");
  return rate(bytes, monotonic_now() - start);
}

HostReading probe_host(const std::string& folder) {
  HostReading reading;
  reading.sha256_bytes_per_second = sha256_speed();
  reading.aead_bytes_per_second = aead_speed(kHashTime);
  const ProbeFile file(folder);
  const std::string block(1 << 20, 'f');
  const Nanoseconds start = monotonic_now();
  file.write_and_sync(block, kWritten / static_cast<int64_t>(block.size()));
  reading.write_bytes_per_second = rate(kWritten, monotonic_now() - start);
  std::vector<Nanoseconds> times;
  for (int i = 0; i < kFsyncs; ++i) {
    const Nanoseconds begin = monotonic_now();
    file.write_and_sync(block.substr(0, 4096), 1);
    times.push_back(monotonic_now() - begin);
  }
  std::nth_element(times.begin(), times.begin() + kFsyncs / 2, times.end());
  reading.fsync = times[kFsyncs / 2];
  return reading;
}

Json to_json(const HostReading& reading) {
  return Json::object({{"sha256_bytes_per_second", reading.sha256_bytes_per_second},
                       {"aead_bytes_per_second", reading.aead_bytes_per_second},
                       {"write_bytes_per_second", reading.write_bytes_per_second},
                       {"fsync_ns", reading.fsync.count()}});
}

HostReading host_reading_from(const JsonView& view) {
  view.allow_only(
      {"sha256_bytes_per_second", "aead_bytes_per_second", "write_bytes_per_second", "fsync_ns"});
  return {view.at("sha256_bytes_per_second").as_int(0), view.at("aead_bytes_per_second").as_int(0),
          view.at("write_bytes_per_second").as_int(0), Nanoseconds(view.at("fsync_ns").as_int(0))};
}

}  // namespace fairwire
