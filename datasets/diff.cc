#include "datasets/diff.h"

#include "base/error.h"
#include "base/json.h"
#include "datasets/spec.h"

namespace fairwire {
namespace {

using Kind = Difference::Kind;

// A source that must ascend.
class Stream {
 public:
  Stream(const EntrySource& source, std::string name) : source_(source), name_(std::move(name)) {
    advance();
  }

  bool at_end() const { return !entry_; }
  const Entry& entry() const { return *entry_; }
  void advance() {
    std::string before = entry_ ? std::move(entry_->path) : std::string();
    entry_ = source_();
    if (entry_ && entry_->path <= before) {
      throw FormatError(name_, escape_name(entry_->path),
                        "is out of order; both sides must be sorted by the bytes of full paths");
    }
  }

 private:
  const EntrySource& source_;
  std::string name_;
  std::optional<Entry> entry_;
};

int64_t bytes_of(const Entry& entry) {
  return entry.type == EntryType::file && entry.hard_link.empty() ? entry.size : 0;
}

std::string time_text(const Entry& entry) {
  return std::to_string(entry.mtime_s) + " s + " + std::to_string(entry.mtime_ns) + " ns";
}

std::string owner_text(const LocalFacts& local) {
  return std::to_string(local.owner->uid) + ':' + std::to_string(local.owner->gid);
}

std::string sparse_text(const Entry& entry) {
  return std::to_string(entry.local.data_bytes.value_or(entry.size)) + " of " +
         std::to_string(entry.size) + " bytes stored";
}

std::string xattr_text(const LocalFacts& local) {
  std::string text = local.xattrs ? "user.* " + to_hex(*local.xattrs) : "no user.*";
  if (local.capability) text += ", security.capability " + to_hex(*local.capability);
  return text;
}

class Merge {
 public:
  Merge(const EntrySource& wanted, const EntrySource& landed, size_t keep,
        const std::function<void(const Difference&)>& each)
      : wanted_(wanted, "the wanted tree"),
        landed_(landed, "the landed tree"),
        keep_(keep),
        each_(each) {}

  DiffResult run() {
    while (!wanted_.at_end() || !landed_.at_end()) {
      if (landed_.at_end() || (!wanted_.at_end() && wanted_.entry().path < landed_.entry().path)) {
        take_missing();
      } else if (wanted_.at_end() || landed_.entry().path < wanted_.entry().path) {
        take_extra();
      } else {
        take_both();
      }
    }
    return std::move(result_);
  }

 private:
  void take_missing() {
    count_wanted(wanted_.entry(), bytes_of(wanted_.entry()));
    ++result_.missing;
    report(Kind::missing, wanted_.entry().path, to_string(wanted_.entry().type), "");
    wanted_.advance();
  }

  void take_extra() {
    ++result_.landed_entries;
    ++result_.extra;
    report(Kind::extra, landed_.entry().path, "", to_string(landed_.entry().type));
    landed_.advance();
  }

  void take_both() {
    const Entry& wanted = wanted_.entry();
    const Entry& landed = landed_.entry();
    count_wanted(wanted, wanted.content_only ? bytes_of(landed) : bytes_of(wanted));
    ++result_.landed_entries;
    if (!wanted.problem.empty() || !landed.problem.empty()) {
      tell_unreadable(wanted.problem, landed.problem);
    } else if (result_.properties.type.add(wanted.type != landed.type)) {
      tell_content(Kind::type, to_string(wanted.type), to_string(landed.type));
    } else {
      compare_content(wanted, landed);
      if (!wanted.content_only && !landed.content_only) compare_metadata(wanted, landed);
    }
    wanted_.advance();
    landed_.advance();
  }

  void compare_content(const Entry& wanted, const Entry& landed) {
    if (wanted.type == EntryType::symlink &&
        result_.properties.symlink.add(wanted.target != landed.target)) {
      return tell_content(Kind::target, escape_name(wanted.target), escape_name(landed.target));
    }
    if (wanted.type != EntryType::file) return;
    const bool sizes_known = !wanted.content_only && !landed.content_only;
    if (sizes_known && wanted.size != landed.size) {
      return tell_content(Kind::size, std::to_string(wanted.size), std::to_string(landed.size));
    }
    if (!wanted.sha256 && !landed.sha256) return;
    if (!wanted.sha256 || !landed.sha256) {
      return tell_unreadable(wanted.sha256 ? "" : "was not hashed",
                             landed.sha256 ? "" : "was not hashed");
    }
    if (*wanted.sha256 != *landed.sha256) {
      return tell_content(Kind::content, to_hex(*wanted.sha256), to_hex(*landed.sha256));
    }
    const int64_t bytes = wanted.content_only ? bytes_of(landed) : bytes_of(wanted);
    result_.verified_bytes = add_bytes(result_.verified_bytes, bytes);
    ++result_.verified_files;
  }

  void compare_metadata(const Entry& wanted, const Entry& landed) {
    PropertyCounts& counts = result_.properties;
    if (wanted.type != EntryType::symlink && counts.mode.add(wanted.mode != landed.mode)) {
      report(Kind::mode, wanted.path, format_mode(wanted.mode), format_mode(landed.mode));
    }
    const bool seconds = counts.mtime_seconds.add(wanted.mtime_s != landed.mtime_s);
    if (counts.mtime.add(seconds || wanted.mtime_ns != landed.mtime_ns)) {
      report(Kind::mtime, wanted.path, time_text(wanted), time_text(landed), !seconds);
    }
    const bool linked = !wanted.hard_link.empty() || !landed.hard_link.empty();
    if (linked && counts.hard_link.add(wanted.hard_link != landed.hard_link)) {
      report(Kind::hard_link, wanted.path, escape_name(wanted.hard_link),
             escape_name(landed.hard_link));
    }
    if (!wanted.local_unknown && !landed.local_unknown) compare_local(wanted, landed);
  }

  void compare_local(const Entry& wanted, const Entry& landed) {
    PropertyCounts& counts = result_.properties;
    const LocalFacts& want = wanted.local;
    const LocalFacts& have = landed.local;
    const bool both_root = want.owner && have.owner;
    if (both_root && counts.owner.add(want.owner != have.owner)) {
      report(Kind::owner, wanted.path, owner_text(want), owner_text(have));
    }
    // Known of files only where they were read.
    if (wanted.type == EntryType::file && !(wanted.sha256 && landed.sha256)) return;
    if (want.data_bytes &&
        counts.sparse.add(have.data_bytes.value_or(landed.size) > *want.data_bytes)) {
      report(Kind::sparse, wanted.path, sparse_text(wanted), sparse_text(landed));
    }
    const bool any =
        want.xattrs || have.xattrs || (both_root && (want.capability || have.capability));
    if (any && counts.xattr.add(want.xattrs != have.xattrs ||
                                (both_root && want.capability != have.capability))) {
      report(Kind::xattr, wanted.path, xattr_text(want), xattr_text(have));
    }
  }

  void count_wanted(const Entry& entry, int64_t bytes) {
    ++result_.wanted_entries;
    result_.wanted_files += entry.type == EntryType::file;
    result_.wanted_bytes = add_bytes(result_.wanted_bytes, bytes);
  }

  void tell_content(Kind kind, std::string wanted, std::string landed) {
    ++result_.content_different;
    report(kind, wanted_.entry().path, std::move(wanted), std::move(landed));
  }

  void tell_unreadable(std::string wanted, std::string landed) {
    ++result_.unreadable;
    report(Kind::unreadable, wanted_.entry().path, std::move(wanted), std::move(landed));
  }

  void report(Kind kind, const std::string& path, std::string wanted, std::string landed,
              bool below_a_second = false) {
    if (!each_ && result_.first.size() >= keep_) return;
    Difference difference{kind, path, std::move(wanted), std::move(landed), below_a_second};
    if (each_) each_(difference);
    if (result_.first.size() < keep_) result_.first.push_back(std::move(difference));
  }

  Stream wanted_;
  Stream landed_;
  const size_t keep_;
  const std::function<void(const Difference&)>& each_;
  DiffResult result_;
};

}  // namespace

const char* to_string(Difference::Kind kind) {
  switch (kind) {
    case Kind::missing:
      return "missing";
    case Kind::extra:
      return "extra";
    case Kind::type:
      return "type";
    case Kind::size:
      return "size";
    case Kind::content:
      return "content";
    case Kind::target:
      return "target";
    case Kind::mode:
      return "mode";
    case Kind::mtime:
      return "mtime";
    case Kind::hard_link:
      return "hard_link";
    case Kind::sparse:
      return "sparse";
    case Kind::xattr:
      return "xattr";
    case Kind::owner:
      return "owner";
    case Kind::unreadable:
      return "unreadable";
  }
  return "unknown";
}

DiffResult diff_entries(const EntrySource& wanted, const EntrySource& landed, size_t keep,
                        const std::function<void(const Difference&)>& each) {
  return Merge(wanted, landed, keep, each).run();
}

}  // namespace fairwire
