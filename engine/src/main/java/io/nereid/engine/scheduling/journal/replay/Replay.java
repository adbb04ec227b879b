package io.nereid.engine.scheduling.journal.replay;

import io.nereid.config.SchedulingSettings;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.journal.DamagedJournalException;
import io.nereid.engine.scheduling.journal.Entry;
import io.nereid.engine.scheduling.journal.JournalReader;
import io.nereid.engine.scheduling.journal.JournalRecord;
import io.nereid.engine.scheduling.journal.JournalRecord.Closed;
import io.nereid.engine.scheduling.journal.JournalRecord.Decision;
import io.nereid.engine.scheduling.journal.JournalRecord.Incomplete;
import io.nereid.engine.scheduling.journal.JournalRecord.SchedulerEnded;
import io.nereid.engine.scheduling.journal.JournalRecord.SchedulerStarted;
import io.nereid.protocol.config.ModelConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Repeats the decisions of a journal, explains them, and reports whether they are the same. */
public final class Replay {
  /**
   * The first difference between two decisions.
   *
   * @param recorded the entry of the journal
   * @param replayed the entry of the replay
   */
  private record Difference(String recorded, String replayed) {
    static @Nullable Difference between(Decision recorded, Decision replayed) {
      List<Entry> before = recorded.entries();
      List<Entry> after = replayed.entries();
      for (int i = 0; i < Math.max(before.size(), after.size()); i++) {
        String expected = entry(before, i);
        String actual = entry(after, i);
        if (!expected.equals(actual)) {
          return new Difference(expected, actual);
        }
      }
      return recorded.wakeNanos() == replayed.wakeNanos()
          ? null
          : new Difference(wake(recorded), wake(replayed));
    }

    private static String entry(List<Entry> entries, int index) {
      return index < entries.size() ? entries.get(index).toString() : "no more entries";
    }

    private static String wake(Decision decision) {
      return decision.wakeNanos() == Ticket.NEVER
          ? "next decision at the next event"
          : "next decision at " + decision.wakeNanos() + " ns";
    }
  }

  /** A scheduler of the journal. */
  private static final class ReplayedScheduler {
    final SchedulerStarted started;
    final SchedulerReplay replay;
    final DecisionText text;
    final ReplaySummary summary = new ReplaySummary();
    String verdict = "agrees";
    boolean differs;
    boolean ended;

    ReplayedScheduler(SchedulerStarted started) {
      this.started = started;
      this.replay = new SchedulerReplay(started);
      this.text =
          new DecisionText(
              !(started.settings() instanceof SchedulingSettings.Direct), started.costs());
    }

    String name() {
      return "%s version %d".formatted(started.model().name(), started.model().version());
    }
  }

  private final PrintWriter out;
  private final Function<ModelConfig, SchedulingSettings> settings;
  private final Optional<String> model;
  private final boolean quiet;
  private final Map<Integer, ReplayedScheduler> schedulers = new TreeMap<>();
  private boolean closed;

  /**
   * @param settings the conversion of a scheduler's settings
   * @param model the model whose schedulers to replay; empty for all
   * @param quiet whether to print differences and the summary only
   */
  public Replay(
      PrintWriter out,
      Function<ModelConfig, SchedulingSettings> settings,
      Optional<String> model,
      boolean quiet) {
    this.out = out;
    this.settings = settings;
    this.model = model;
    this.quiet = quiet;
  }

  /**
   * Replays a file. To be called once.
   *
   * @return whether every decision is the same
   * @throws IOException if the file cannot be read to its end; the records before are replayed
   */
  public boolean run(Path file) throws IOException {
    try (var reader = JournalReader.open(file, settings)) {
      try {
        for (JournalRecord record = reader.next(); record != null; record = reader.next()) {
          replay(record);
        }
      } finally {
        summarise();
        out.flush();
      }
      if (!closed) {
        out.println(
            "The journal was not closed: the server was killed, or is still running"
                + (reader.isTruncated() ? "; its last record is truncated." : "."));
      }
    }
    if (schedulers.isEmpty() && model.isPresent()) {
      throw new DamagedJournalException("it has no scheduler of model '%s'", model.get());
    }
    out.flush();
    return schedulers.values().stream().noneMatch(scheduler -> scheduler.differs);
  }

  private void replay(JournalRecord record) throws DamagedJournalException {
    switch (record) {
      case SchedulerStarted started -> {
        if (model.isEmpty() || model.get().equals(started.model().name())) {
          var scheduler = new ReplayedScheduler(started);
          schedulers.put(started.scheduler(), scheduler);
          print(
              started.nanos(),
              "%s: loaded with %s"
                  .formatted(
                      scheduler.name(), Descriptions.counted(started.instances(), "instance")));
        }
      }
      case SchedulerEnded(int number, long nanos) -> {
        ReplayedScheduler scheduler = scheduler(number);
        if (scheduler != null) {
          print(nanos, scheduler.name() + ": unloaded");
        }
      }
      case Decision decision -> {
        ReplayedScheduler scheduler = scheduler(decision.scheduler());
        if (scheduler != null && !scheduler.ended) {
          replay(decision, scheduler);
        }
      }
      case Incomplete(int number, long lost) -> {
        ReplayedScheduler scheduler = scheduler(number);
        if (scheduler != null) {
          scheduler.ended = true;
          scheduler.verdict =
              "%s up to where the journal is incomplete: %s missing"
                  .formatted(
                      scheduler.differs ? "differs" : "agrees",
                      Descriptions.counted(lost, "decision"));
        }
      }
      case Closed() -> closed = true;
    }
  }

  private void print(long nanos, String text) {
    if (!quiet) {
      out.println(Descriptions.seconds(nanos) + "  " + text);
    }
  }

  private @Nullable ReplayedScheduler scheduler(int number) throws DamagedJournalException {
    ReplayedScheduler scheduler = schedulers.get(number);
    if (scheduler == null && model.isEmpty()) {
      throw new DamagedJournalException("a record of the unknown scheduler %d", number);
    }
    return scheduler;
  }

  private void replay(Decision decision, ReplayedScheduler scheduler) {
    scheduler.summary.add(decision);
    List<String> lines = scheduler.text.lines(decision);
    String title =
        "%s  #%d %s"
            .formatted(
                Descriptions.seconds(scheduler.text.now()),
                scheduler.summary.decisions(),
                scheduler.name());
    if (!quiet && !lines.isEmpty()) {
      out.println(title + ": " + lines.getFirst());
      lines.stream().skip(1).forEach(out::println);
    }
    Difference difference = Difference.between(decision, scheduler.replay.repeat(decision));
    if (difference != null) {
      scheduler.differs = true;
      scheduler.ended = true; // the states of the two policies differ from here on
      scheduler.verdict = "DIFFERS at decision #" + scheduler.summary.decisions();
      out.println(title + ": DIFFERS");
      out.println("    recorded: " + difference.recorded());
      out.println("    replayed: " + difference.replayed());
    }
  }

  private void summarise() {
    for (ReplayedScheduler scheduler : schedulers.values()) {
      SchedulerStarted started = scheduler.started;
      out.println();
      out.println(
          "%s (%s, %s): %s"
              .formatted(
                  scheduler.name(),
                  Descriptions.of(started),
                  Descriptions.counted(started.instances(), "instance"),
                  scheduler.verdict));
      scheduler.summary.lines().forEach(line -> out.println("  " + line));
    }
  }
}
