#include "drivers/wires/real_wire.h"

namespace fairwire {
namespace {

class RealWire final : public Wire {
 public:
  explicit RealWire(std::vector<std::pair<std::string, std::string>> addresses)
      : addresses_(std::move(addresses)) {}

  std::vector<std::pair<std::string, std::string>> addresses() const override { return addresses_; }

  Json conditions() const override { return Json::object({{"kind", "real"}}); }

  WireReading read() override { return {}; }

  int64_t theory_bytes_per_second(const std::string&, const std::string&) const override {
    return 0;
  }

 private:
  std::vector<std::pair<std::string, std::string>> addresses_;
};

}  // namespace

std::unique_ptr<Wire> make_real_wire(std::vector<std::pair<std::string, std::string>> addresses) {
  return std::make_unique<RealWire>(std::move(addresses));
}

}  // namespace fairwire
