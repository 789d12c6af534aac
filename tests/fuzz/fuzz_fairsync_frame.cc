// What a fairsync peer can say: a frame header, then the payload by its decoder. Nothing may crash,
// and a message that is accepted must be written and read as the same again.
#include <cstdint>
#include <cstdlib>

#include "base/error.h"
#include "reference/wire/address.h"
#include "reference/wire/messages.h"

namespace fairsync {
namespace {

Bytes payload_of(const FrameBuilder& frame) {
  return frame.view().subspan(kFrameHeader);
}

// The encoder's bytes must be the ones that were read: there is one way to say a thing.
template <typename Read, typename Put>
void read_twice(Bytes payload, Read read, Put put) {
  FrameBuilder out;
  put(out, read(payload));
  const Bytes again = payload_of(out);
  if (!std::equal(again.begin(), again.end(), payload.begin(), payload.end())) std::abort();
}

void read_piece_twice(Bytes payload) {
  const Piece piece = read_piece(payload);
  FrameBuilder out;
  begin_piece(out, piece);
  out.bytes(piece.content);
  out.end();
  const Bytes again = payload_of(out);
  if (!std::equal(again.begin(), again.end(), payload.begin(), payload.end())) std::abort();
}

void read_payload(FrameType type, Bytes payload) {
  switch (type) {
    case FrameType::hello:
      read_hello(payload);
      return;
    case FrameType::open:
      return read_twice(payload, read_open, put_open);
    case FrameType::join:
      return read_twice(payload, read_join, put_join);
    case FrameType::error:
      read_error(payload);
      return;
    case FrameType::accept:
    case FrameType::ping:
    case FrameType::bye:
      return read_empty(payload);
    case FrameType::list:
      return read_twice(payload, read_list, put_list);
    case FrameType::list_end:
      return read_twice(payload, read_list_end, put_list_end);
    case FrameType::want:
      return read_twice(payload, read_wants, put_wants);
    case FrameType::same:
      return read_twice(payload, read_same, put_same);
    case FrameType::credit:
      return read_twice(payload, read_credit, put_credit);
    case FrameType::file_end:
      return read_twice(payload, read_file_end, put_file_end);
    case FrameType::file_dropped:
      return read_twice(payload, read_file_dropped, put_file_dropped);
    case FrameType::file_failed:
      return read_twice(payload, read_file_failed, put_file_failed);
    case FrameType::done:
      return read_twice(payload, read_done, put_done);
    case FrameType::bundle:
      return read_twice(payload, read_bundle, put_bundle);
    case FrameType::piece:
      return read_piece_twice(payload);
  }
}

}  // namespace
}  // namespace fairsync

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace fairsync;
  parse_address(std::string_view(reinterpret_cast<const char*>(data), size));
  if (size < kFrameHeader) return 0;
  const Bytes bytes = std::as_bytes(std::span(data, size));
  try {
    const FrameHeader header = read_frame_header(bytes.first<kFrameHeader>(), kDataLimit);
    read_payload(header.type, bytes.subspan(kFrameHeader));
  } catch (const ProtocolError&) {
  }
  return 0;
}
