// One data connection of a sender. Holds one frame at a time.
#pragma once

#include "reference/transfer/sender.h"

namespace fairsync {

class Sender::Worker {
 public:
  Worker(Sender& sender, Channel& data) : sender_(sender), data_(data) {}

  void run();

 private:
  struct Opened {
    FileDescriptor file;
    struct stat status {};
  };

  void send_group(const std::vector<SizedWant>& wants);
  void answer(const Want& want);
  Opened open(EntryId id);
  bool is_same(const Opened& opened, const Held& held);
  bool bundle_file(EntryId id, const Opened& opened);
  void flush_bundle();
  void start_pieces(EntryId id, Opened opened, uint8_t attempt);
  void send_piece(OutgoingFile& file, uint64_t piece);
  bool read_piece(OutgoingFile& file, uint64_t piece);
  void end_file(OutgoingFile& file);
  void fail(EntryId id, FailReason reason, const std::string& text);
  void send_frame();

  Sender& sender_;
  Channel& data_;
  FrameBuilder frame_;
  FrameBuilder control_;
  std::vector<std::byte> buffer_;
  std::vector<std::byte> contents_;  // of the bundle being filled
  size_t filled_ = 0;
  std::vector<BundledFile> bundle_;
  std::vector<EntryId> same_;
};

}  // namespace fairsync
