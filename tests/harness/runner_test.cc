// The whole runner on fakes: what is recorded, in which order things happen, what an exception in
// a phase leaves behind, and which exit code a run earns.
#include "tests/harness/runner_fixture.h"

namespace fairwire {
namespace {

const std::vector<std::string> kAllPhases = {"arrange", "chill", "prepare", "serve",   "run",
                                             "settle",  "stop",  "judge",   "collect", "clear"};

TEST_F(RunnerTest, AGoodTrialIsVerifiedAndGoesThroughEveryPhaseInOrder) {
  add_tool("good", "puller");
  const RunResult result = run("\"good\"");
  EXPECT_EQ(result.code, ExitCode::good);
  const auto list = trials();
  ASSERT_EQ(list.size(), 1u);
  const TrialRecord& trial = list[0];
  EXPECT_EQ(trial.outcome, Outcome::completed) << trial.reason;
  EXPECT_EQ(trial.verdict, Verdict::identical);
  EXPECT_EQ(phases(trial), kAllPhases);
  ASSERT_EQ(trial.ops.size(), 1u);
  EXPECT_EQ(trial.ops[0].bytes, 303);
  EXPECT_EQ(trial.ops[0].files, 3);
  EXPECT_GE(trial.ops[0].wall_ns, 5'000'000);
  EXPECT_EQ(trial.flags, std::vector<Flag>{Flag::single_run});
  ASSERT_EQ(trial.wires.size(), 2u);
  EXPECT_EQ(trial.wires[0].bytes, 1000) << "a difference of two readings";
  ASSERT_EQ(trial.machines.size(), 2u);
  EXPECT_GT(trial.machines[0].cpu_total_us, 0);
}

TEST_F(RunnerTest, ServersAreUpAndReadyBeforeTheOpAndStoppedBeforeTheJudge) {
  add_tool("good", "puller");
  run("\"good\"");
  const auto begin =  // behind the calibration
      std::find(site_.log.begin(), site_.log.end(), "writer start good-writer-prepare1");
  const auto at = [&](const std::string& line) {
    const auto found = std::find(begin, site_.log.end(), line);
    EXPECT_NE(found, site_.log.end()) << line;
    return found - site_.log.begin();
  };
  EXPECT_LT(at("writer start good-writer-prepare1"), at("writer start good-writer-serve"));
  EXPECT_LT(at("writer start good-writer-serve"), at("writer tcp 10.0.0.writer:7000"));
  EXPECT_LT(at("writer tcp 10.0.0.writer:7000"), at("reader start good-reader-pull"));
  EXPECT_LT(at("reader start good-reader-pull"), at("writer stop good-writer-serve"));
  EXPECT_LT(at("writer stop good-writer-serve"), at("reader manifest tree hashed"));
}

TEST_F(RunnerTest, AnExceptionInAnyPhaseIsARecordAndTheNextTrialRuns) {
  add_tool("good", "puller");
  const std::pair<const char*, const char*> breaks[] = {
      {"writer start good-writer-prepare1", "prepare"},
      {"writer start good-writer-serve", "serve"},
      {"reader start good-reader-pull", "run"},
      {"writer stop good-writer-serve", "stop"},
      {"reader manifest tree hashed", "judge"}};
  for (const auto& [line, phase] : breaks) {
    SCOPED_TRACE(line);
    site_.throw_at = line;
    const RunResult result = run("\"good\"", "", 2);
    EXPECT_EQ(result.code, ExitCode::not_measured);
    const auto list = trials();
    ASSERT_EQ(list.size(), 2u) << "the campaign goes on";
    EXPECT_EQ(list[0].outcome, Outcome::harness_error);
    EXPECT_EQ(list[0].verdict, Verdict::unknown);
    EXPECT_TRUE(list[0].reason.starts_with(phase)) << list[0].reason;
    const auto names = phases(list[0]);
    EXPECT_EQ(names.back(), "clear") << "clear always runs";
    EXPECT_NE(std::find(names.begin(), names.end(), "collect"), names.end());
  }
}

TEST_F(RunnerTest, AnExceptionWhileTheStageIsSetIsARecordToo) {
  add_tool("good", "puller");
  site_.throw_at = "writer start version-good";  // the machines of the context are another stage
  EXPECT_THROW(run("\"good\""), ProtocolError);
  EXPECT_TRUE(site_.machines.empty());
}

TEST_F(RunnerTest, WhatLandedDecidesNotTheExitCode) {
  site_.programs["flipper"] =
      pulls([](FakeMachine& m, const std::string& tree) { m.files()[tree + "/a"][5] = '!'; });
  site_.programs["dropper"] =
      pulls([](FakeMachine& m, const std::string& tree) { m.files().erase(tree + "/b"); });
  site_.programs["adder"] =
      pulls([](FakeMachine& m, const std::string& tree) { m.files()[tree + "/z"] = "extra"; });
  site_.programs["idler"] = ends_with(0);
  site_.programs["grumbler"] = pulls({}, 7);
  for (const char* name : {"flipper", "dropper", "adder", "idler", "grumbler"})
    add_tool(name, name);
  const RunResult result = run(R"("flipper", "dropper", "adder", "idler", "grumbler")");
  EXPECT_EQ(result.code, ExitCode::mismatch);
  for (const TrialRecord& trial : trials()) {
    SCOPED_TRACE(trial.variant);
    ASSERT_EQ(trial.verdicts.size(), 1u);
    const VerdictRecord& verdict = trial.verdicts[0];
    if (trial.variant == "grumbler") {
      EXPECT_EQ(trial.outcome, Outcome::tool_failed);
      EXPECT_EQ(trial.verdict, Verdict::identical);
      continue;
    }
    EXPECT_EQ(trial.outcome, Outcome::completed);
    EXPECT_EQ(trial.verdict, Verdict::different);
    EXPECT_GT(trial.ops[0].wall_ns, 0) << "a wrong time is branded, never dropped";
    EXPECT_EQ(verdict.different, trial.variant == "flipper" ? 1 : 0);
    EXPECT_EQ(verdict.missing, trial.variant == "dropper" ? 1 : trial.variant == "idler" ? 3 : 0);
    EXPECT_EQ(verdict.extra, trial.variant == "adder" ? 1 : 0);
  }
}

TEST_F(RunnerTest, WritingAfterExitAndProcessesLeftBehindAreFlagged) {
  site_.programs["late"] = [](FakeMachine& reader, const ExecSpec& exec) {
    ExecReport report = pulls()(reader, exec);
    report.left_processes = {"sleep"};
    return report;
  };
  add_tool("late", "late");
  run("\"late\"");
  const auto list = trials();
  EXPECT_EQ(list[0].flags, (std::vector<Flag>{Flag::single_run, Flag::left_processes}));
  EXPECT_EQ(list[0].verdict, Verdict::identical);
}

TEST_F(RunnerTest, ARecordThatCannotBeWrittenIsOneBadTrial) {
  add_tool("good", "puller");
  site_.meters_run_backwards = true;
  const RunResult result = run("\"good\"", "", 2);
  EXPECT_EQ(result.code, ExitCode::not_measured);
  const auto list = trials();
  ASSERT_EQ(list.size(), 2u) << "the campaign goes on";
  EXPECT_EQ(list[1].outcome, Outcome::harness_error);
  EXPECT_TRUE(list[1].reason.starts_with("record: ")) << list[1].reason;
}

TEST_F(RunnerTest, AToolThatIsNotInstalledSaysSoAndTheRestRuns) {
  add_tool("good", "puller");
  std::string text = replace(replace(kTool, "NAME", "absent"), R"(["puller"])", R"(["nowhere"])");
  write_file(folder_.path() + "/tools/absent.json", text);
  const RunResult result = run(R"("good", "absent")");
  EXPECT_EQ(result.code, ExitCode::good);
  for (const TrialRecord& trial : trials()) {
    if (trial.variant == "good") {
      EXPECT_EQ(trial.verdict, Verdict::identical);
    } else {
      EXPECT_EQ(trial.outcome, Outcome::unsupported);
      EXPECT_NE(trial.reason.find("not installed"), std::string::npos) << trial.reason;
    }
  }
}

TEST_F(RunnerTest, EventsOfTheWireNeedAnEmulatedOne) {
  site_.programs["puller"] = [](FakeMachine& machine, const ExecSpec& exec) {
    machine.site().clock.sleep(std::chrono::milliseconds(50));
    return pulls()(machine, exec);
  };
  add_tool("good", "puller");
  const std::string events =
      R"(, "events": [{"do": "link-down", "at": {"ms": 5}}, {"do": "blackhole", "from": "writer",
         "to": "reader", "at": {"ms": 6}}])";
  run("\"good\"", events);
  EXPECT_EQ(trials()[0].outcome, Outcome::unsupported);
  EXPECT_NE(trials()[0].reason.find("needs an emulated wire"), std::string::npos);
  EXPECT_THROW(run("\"good\"", R"(, "events": [{"do": "link-up", "machine": "mars",
                                                "at": {"ms": 5}}])"),
               FormatError);
}

TEST_F(RunnerTest, WhatThisVersionCannotDoIsSaidNotPassed) {
  add_tool("good", "puller");
  run("\"good\"", R"(, "events": [{"do": "delete", "path": "a", "at": {"ms": 5}}])");
  EXPECT_EQ(trials()[0].outcome, Outcome::unsupported);
  EXPECT_FALSE(trials()[0].reason.empty());
}

TEST_F(RunnerTest, BuffersAndCongestionControlReachTheWire) {
  add_tool("good", "puller");
  run("\"good\"", R"(, "conditions": {"buffers": "tuned", "congestion": "bbr",
                                    "congestion_locked": false})");
  EXPECT_EQ(trials()[0].verdict, Verdict::identical);
  const auto same = [](const NetworkConditions& conditions) {
    return conditions.buffers == Buffers::tuned && conditions.congestion_control == "bbr" &&
           !conditions.locked;
  };
  // The context's stage and the trial's; the calibrations have none but tuned buffers.
  EXPECT_EQ(std::count_if(site_.conditions.begin(), site_.conditions.end(), same), 2);
}

TEST_F(RunnerTest, ACongestionControlThatTheHostLacksIsUnsupportedAndNamed) {
  add_tool("good", "puller");
  site_.refuse_congestion = "bbr";
  EXPECT_THROW(run("\"good\"", R"(, "conditions": {"congestion": "bbr"})"), UnfitError);
}

TEST_F(RunnerTest, EveryWireIsReadBeforeAndAfter) {
  add_tool("good", "puller");
  run("\"good\"");
  const auto list = calibrations();
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].when, "before");
  EXPECT_EQ(list[1].when, "after");
  EXPECT_EQ(list[0].status, "no bounds");
  EXPECT_EQ(*list[0].reading.find("forth_16_bytes_per_second")->if_int(), 4'700'000);
  EXPECT_EQ(list[0].reading.find("hosts")->if_object()->size(), 1u) << "namespaces share a host";
  EXPECT_EQ(list[1].reading.find("hosts"), nullptr);
}

TEST_F(RunnerTest, AWireAsDeclaredIsWithinItsBounds) {
  add_tool("good", "puller");
  wire_ = "away";
  EXPECT_EQ(run("\"good\"").code, ExitCode::good);
  for (const CalibrationRecord& reading : calibrations()) {
    EXPECT_EQ(reading.status, "within bounds") << reading.reason;
    EXPECT_EQ(*reading.reading.find("theory_bytes_per_second")->if_int(), 4'707'412);
  }
}

TEST_F(RunnerTest, ABusySecondDoesNotStopTheRun) {
  add_tool("good", "puller");
  wire_ = "away";
  site_.figures.then = {4'000'000, 4'000'000, 4'000'000, 4'000'000};
  EXPECT_EQ(run("\"good\"").code, ExitCode::good);
  const auto list = calibrations();
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].status, "out of bounds") << "kept, although another one followed";
  EXPECT_EQ(list[1].status, "within bounds");
}

TEST_F(RunnerTest, AWireOutOfItsBoundsStopsTheRunAndTheFigureIsNamed) {
  add_tool("good", "puller");
  wire_ = "away";
  site_.figures.goodput = 4'000'000;
  EXPECT_EQ(run("\"good\"").code, ExitCode::not_measured);
  EXPECT_NE(told_.find("wire away, before the trials: goodput forth 4.00 MB/s, declared 4.71"),
            std::string::npos)
      << told_;
  EXPECT_EQ(calibrations().size(), 3u) << "three attempts";
  EXPECT_TRUE(trials().empty());
  EXPECT_EQ(std::get<EndRecord>(results_.records.back()).status, "unfit");
}

TEST_F(RunnerTest, AWireThatLeftItsBoundsMeanwhileIsSaid) {
  add_tool("good", "puller");
  wire_ = "away";
  site_.programs["slower"] = [this](FakeMachine& reader, const ExecSpec& exec) {
    site_.figures.round_trip = std::chrono::milliseconds(120);
    return pulls()(reader, exec);
  };
  add_tool("slow", "slower");
  site_.programs["puller"] = ends_with(0);  // asked for its version only
  EXPECT_EQ(run("\"slow\"").code, ExitCode::not_measured);
  EXPECT_EQ(trials()[0].verdict, Verdict::identical);
  EXPECT_EQ(calibrations().back().status, "out of bounds");
  EXPECT_EQ(std::get<EndRecord>(results_.records.back()).status, "complete");
}

TEST_F(RunnerTest, AWireThatPromisesAndCannotBeReadStopsTheRun) {
  add_tool("good", "puller");
  site_.programs["/bin/fairwire"] = ends_with(4);
  EXPECT_EQ(run("\"good\"").code, ExitCode::good) << "an open wire promises nothing";
  EXPECT_EQ(calibrations()[0].status, "not measured");
  EXPECT_NE(calibrations()[0].reason.find("brought no reading"), std::string::npos);
  wire_ = "away";
  EXPECT_EQ(run("\"good\"").code, ExitCode::not_measured);
  EXPECT_TRUE(trials().empty());
}

TEST_F(RunnerTest, ADurableCaseSyncsInsideTheClock) {
  add_tool("good", "puller");
  run("\"good\"", R"(, "conditions": {"durable": true})");
  const TrialRecord trial = trials()[0];
  EXPECT_EQ(trial.durability, "syncfs");
  EXPECT_EQ(trial.ops[0].settle_ns, 3'000'000);
  EXPECT_GE(trial.ops[0].wall_ns, 8'000'000);
}

TEST_F(RunnerTest, AColdCaseDropsTheCachesOfEveryMachine) {
  add_tool("good", "puller");
  run("\"good\"", R"(, "conditions": {"cache": "cold"})");
  EXPECT_EQ(std::count(site_.log.begin(), site_.log.end(), "reader drop caches"), 1);
  EXPECT_EQ(std::count(site_.log.begin(), site_.log.end(), "writer drop caches"), 1);
}

TEST_F(RunnerTest, TheDataSetIsMadeOnceAndAgainWhenSomethingChangedIt) {
  add_tool("good", "puller");
  run("\"good\"", "", 3);
  EXPECT_EQ(std::count(site_.log.begin(), site_.log.end(), "writer make tree"), 1);
  site_.log.clear();
  site_.stores.clear();
  site_.programs["vandal"] = [](FakeMachine& reader, const ExecSpec& exec) {
    const ExecReport report = pulls()(reader, exec);
    reader.site().machines.at("writer")->files()[exec.argv.at(1) + "/a"] += "!";
    return report;
  };
  add_tool("vandal", "vandal");
  run("\"vandal\"", "", 2);
  EXPECT_EQ(trials()[0].outcome, Outcome::source_changed);
  EXPECT_EQ(trials()[0].verdict, Verdict::unknown);
  EXPECT_EQ(std::count(site_.log.begin(), site_.log.end(), "writer make tree"), 2);
}

// Case A21.
TEST_F(RunnerTest, ASourceThatChangedIsNoFailureOfTheTool) {
  site_.programs["startled"] = [](FakeMachine& reader, const ExecSpec& exec) {
    ExecReport report = pulls()(reader, exec);
    reader.site().machines.at("writer")->files().erase(exec.argv.at(1) + "/a");
    report.exit_code = 24;
    return report;
  };
  add_tool("startled", "startled");
  run("\"startled\"");
  EXPECT_EQ(trials()[0].outcome, Outcome::source_changed);
  EXPECT_EQ(trials()[0].ops.at(0).exit_code, 24);
  EXPECT_NE(trials()[0].reason.find("exit code 24"), std::string::npos) << trials()[0].reason;
}

TEST_F(RunnerTest, CtrlCLeavesAValidRecordAndAPage) {
  int left = 2;
  site_.programs["stopper"] = [&left](FakeMachine& reader, const ExecSpec& exec) {
    if (left-- == 0) throw Interrupted();
    return pulls()(reader, exec);
  };
  add_tool("good", "stopper");
  const RunResult result = run("\"good\"", "", 5);
  EXPECT_EQ(result.code, ExitCode::interrupted);
  EXPECT_EQ(trials().size(), 2u);
  const auto* end = std::get_if<EndRecord>(&results_.records.back());
  ASSERT_NE(end, nullptr);
  EXPECT_EQ(end->status, "interrupted");
  EXPECT_FALSE(read_file(result.page, 1 << 24).empty());
}

TEST_F(RunnerTest, PlansThatDoNotFitAreRefusedBeforeAnythingIsTouched) {
  add_tool("good", "puller");
  EXPECT_THROW(run("\"good:fsync\""), FormatError);
  EXPECT_THROW(run("\"nobody\""), FormatError);
  EXPECT_THROW(run("\"good\"", R"(, "roles": {"writer": "mars"})"), FormatError);
  EXPECT_TRUE(site_.log.empty());
}

TEST(ExitCodes, TheWorstWins) {
  const ExitCode order[] = {ExitCode::good,         ExitCode::inconclusive, ExitCode::regression,
                            ExitCode::not_measured, ExitCode::mismatch,     ExitCode::usage,
                            ExitCode::interrupted};
  for (size_t i = 0; i < std::size(order); ++i) {
    for (size_t j = 0; j < std::size(order); ++j) {
      EXPECT_EQ(worse(order[i], order[j]), order[std::max(i, j)]);
    }
  }
}

}  // namespace
}  // namespace fairwire
