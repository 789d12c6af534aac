#include "drivers/calibration.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace fairwire {
namespace {

double ms(Nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

Nanoseconds scaled(Nanoseconds time, double factor) {
  return Nanoseconds(std::llround(static_cast<double>(time.count()) * factor));
}

void check_round_trip(const EchoReading& echo, const DeclaredWire& declared,
                      const CalibrationBounds& bounds, std::vector<std::string>& out) {
  if (echo.sent == 0 || echo.lost == echo.sent) {
    out.push_back(fmt::format("round trip: none of {} probes came back", echo.sent));
    return;
  }
  const Nanoseconds low = scaled(declared.round_trip, 1 - bounds.round_trip);
  const Nanoseconds high = scaled(declared.round_trip, 1 + bounds.round_trip) + bounds.wake_up;
  const auto check = [&](const char* what, Nanoseconds read, Nanoseconds most) {
    if (read >= low && read <= most) return;
    out.push_back(
        fmt::format("round trip ({}) {:.2f} ms, declared {:.2f} ms, bounds {:.2f} … {:.2f}", what,
                    ms(read), ms(declared.round_trip), ms(low), ms(most)));
  };
  check("minimum", echo.minimum, high + declared.jitter);
  check("median", echo.median, high + declared.jitter);
}

// Within four standard deviations of what so many draws give, and one probe.
void check_loss(const EchoReading& echo, const DeclaredWire& declared,
                std::vector<std::string>& out) {
  const double expected = declared.loss * echo.sent;
  const double allowed = 4 * std::sqrt(expected * (1 - declared.loss)) + 1;
  const bool exact = declared.loss == 0;
  if (exact ? echo.lost == 0 : std::abs(echo.lost - expected) <= allowed) return;
  out.push_back(fmt::format("loss {} of {} probes, declared {:.3f} %", echo.lost, echo.sent,
                            100 * declared.loss));
}

void check_goodput(const char* way, int64_t one, int64_t sixteen, int64_t theory, bool lossy,
                   const CalibrationBounds& bounds, std::vector<std::string>& out) {
  if (theory == 0) return;
  const auto share_of = [&](int64_t rate) {
    return static_cast<double>(rate) / static_cast<double>(theory);
  };
  const double low = share_of(std::min(one, sixteen));
  const double high = share_of(std::max(one, sixteen));
  // Loss rules the rate: only too much is wrong. Else the reading nearest to theory counts.
  const double share = lossy || std::abs(high - 1) <= std::abs(low - 1) ? high : low;
  if (share <= 1 + bounds.goodput && (lossy || share >= 1 - bounds.goodput)) return;
  out.push_back(fmt::format("goodput {} {:.2f} MB/s, declared {:.2f} MB/s, bound {:.1f} %", way,
                            share * static_cast<double>(theory) / 1e6,
                            static_cast<double>(theory) / 1e6, 100 * bounds.goodput));
}

}  // namespace

CalibrationReading calibrate(CalibrationProbes& probes, const CalibrationPlan& plan) {
  CalibrationReading reading;
  reading.one = plan.one;
  reading.other = plan.other;
  reading.round_trip = probes.echo(plan.one, plan.other, plan.echoes);  // first: the wire is idle
  reading.forth_1 = probes.goodput(plan.one, plan.other, 1, plan.duration);
  reading.back_1 = probes.goodput(plan.other, plan.one, 1, plan.duration);
  reading.forth_16 = probes.goodput(plan.one, plan.other, 16, plan.duration);
  reading.back_16 = probes.goodput(plan.other, plan.one, 16, plan.duration);
  for (const std::string& machine : plan.hosts) {
    reading.hosts.emplace_back(machine, probes.host(machine));
  }
  return reading;
}

Nanoseconds probe_duration(Nanoseconds round_trip) {
  if (round_trip == Nanoseconds::zero()) return std::chrono::milliseconds(400);
  constexpr Nanoseconds kShortest = std::chrono::seconds(1);
  constexpr Nanoseconds kLongest = std::chrono::seconds(10);
  return std::clamp(24 * round_trip, kShortest, kLongest);
}

Json to_json(const CalibrationReading& reading, int64_t theory) {
  Json json = Json::object({{"one", reading.one},
                            {"other", reading.other},
                            {"round_trip", to_json(reading.round_trip)},
                            {"forth_1_bytes_per_second", reading.forth_1},
                            {"back_1_bytes_per_second", reading.back_1},
                            {"forth_16_bytes_per_second", reading.forth_16},
                            {"back_16_bytes_per_second", reading.back_16}});
  if (theory > 0) json.set("theory_bytes_per_second", theory);
  if (reading.hosts.empty()) return json;
  Json hosts = Json::object();
  for (const auto& [machine, host] : reading.hosts) hosts.set(machine, to_json(host));
  return json.set("hosts", hosts);
}

std::vector<std::string> figures_out(const CalibrationReading& reading,
                                     const DeclaredWire& declared,
                                     const CalibrationBounds& bounds) {
  std::vector<std::string> out;
  check_round_trip(reading.round_trip, declared, bounds, out);
  check_loss(reading.round_trip, declared, out);
  const bool lossy = declared.loss > 0;
  check_goodput("forth", reading.forth_1, reading.forth_16, declared.forth, lossy, bounds, out);
  check_goodput("back", reading.back_1, reading.back_16, declared.back, lossy, bounds, out);
  return out;
}

}  // namespace fairwire
