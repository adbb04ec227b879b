package io.nereid.engine.scheduling.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.config.BatchingSettings;
import io.nereid.config.ModelConfig;
import io.nereid.engine.model.config.conversion.SchedulingMessages;
import io.nereid.engine.model.config.conversion.SchedulingRecords;
import io.nereid.engine.scheduling.journal.JournalRecord.Closed;
import io.nereid.engine.scheduling.journal.JournalRecord.Decision;
import io.nereid.engine.scheduling.journal.JournalRecord.Incomplete;
import io.nereid.engine.scheduling.journal.JournalRecord.SchedulerEnded;
import io.nereid.engine.scheduling.journal.JournalRecord.SchedulerStarted;
import io.nereid.engine.scheduling.journal.replay.ReplayedJournal;
import io.nereid.engine.scheduling.journal.replay.ReplayedTickets;
import io.nereid.engine.scheduling.policy.BatchingRule;
import io.nereid.engine.scheduling.policy.DispatchReason;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.scheduling.policy.Rejection;
import io.nereid.engine.scheduling.policy.SchedulingPolicy;
import io.nereid.engine.testing.LogCapture;
import io.nereid.request.ModelKey;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Journals that are written, read and replayed. */
@Timeout(120)
class SchedulerJournalTest extends ReplayedJournal {
  private List<JournalRecord> records() throws IOException {
    List<JournalRecord> records = new ArrayList<>();
    try (var reader = JournalReader.open(file, SchedulingRecords::record)) {
      for (JournalRecord next = reader.next(); next != null; next = reader.next()) {
        records.add(next);
      }
    }
    return records;
  }

  private void write(List<JournalRecord> records) throws IOException {
    try (OutputStream stream = Files.newOutputStream(file)) {
      var writer = new JournalWriter(stream, SchedulingMessages::message);
      for (JournalRecord record : records) {
        writer.write(record);
      }
      writer.flush();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void aReplayRepeatsEveryDecision(long seed) throws IOException {
    int batches = RandomScheduler.record(file, seed, 2_000);

    assertThat(batches).as("batches").isGreaterThan(100);
    assertThat(replay()).as("seed %s:\n%s", seed, out).isTrue();
    assertThat(out.toString()).contains("m0 version 1", "): agrees").doesNotContain("not closed");
  }

  @Test
  void theScenariosContainEveryKindOfEntryAndReason() throws IOException {
    Set<String> happened = new TreeSet<>();
    for (long seed = 1; seed <= 12; seed++) {
      RandomScheduler.record(file, seed, 1_000);
      for (JournalRecord record : records()) {
        if (record instanceof Decision decision) {
          decision.entries().forEach(entry -> happened.add(kind(entry)));
        }
      }
    }
    Set<String> kinds = new TreeSet<>();
    for (DispatchReason reason : DispatchReason.values()) {
      kinds.add(reason.name());
    }
    for (Rejection rejection : Rejection.values()) {
      kinds.add(rejection.name());
    }
    for (var each : List.of(Entry.Event.class, Entry.Action.class)) {
      for (Class<?> kind : each.getPermittedSubclasses()) {
        kinds.add(kind.getSimpleName());
      }
    }
    kinds.removeAll(List.of("Dispatched", "Rejected", "Failed", "DELAY_SKIPPED"));
    assertThat(happened).containsAll(kinds);
  }

  private static String kind(Entry entry) {
    return switch (entry) {
      case Entry.Dispatched dispatched -> dispatched.reason().name();
      case Entry.Rejected rejected -> rejected.rejection().name();
      default -> entry.getClass().getSimpleName();
    };
  }

  @Test
  void readsRecordsAsTheyWereWritten() throws IOException {
    RandomScheduler.record(file, 5, 2_000);
    List<JournalRecord> records = records();
    write(records);

    assertThat(records()).isEqualTo(records).last().isEqualTo(new Closed());
  }

  @Test
  void reportsTheDecisionOfAChangedAction() throws IOException {
    RandomScheduler.record(file, 2, 2_000);
    List<JournalRecord> records = new ArrayList<>(records());
    int decisions = 0;
    int index = 0;
    for (int found = 0; found < 50; index++) {
      if (records.get(index) instanceof Decision decision && decision.scheduler() == 1) {
        decisions++;
        found += decision.entries().stream().anyMatch(Entry.Dispatched.class::isInstance) ? 1 : 0;
      }
    }
    records.set(index - 1, changed((Decision) records.get(index - 1), SchedulerJournalTest::other));
    write(records);

    assertThat(replay(Optional.empty(), true)).isFalse();
    assertThat(out.toString())
        .contains("#" + decisions + " m1 version 1: DIFFERS")
        .contains("recorded: Dispatched[instance=77")
        .contains("replayed: Dispatched[instance=")
        .contains("): DIFFERS at decision #" + decisions)
        .contains("): agrees");
  }

  private static Decision changed(Decision decision, UnaryOperator<Entry> change) {
    return new Decision(
        decision.scheduler(),
        decision.entries().stream().map(change).toList(),
        decision.wakeNanos());
  }

  private static Entry other(Entry entry) {
    return entry instanceof Entry.Dispatched(_, var reason, var tickets)
        ? new Entry.Dispatched(77, reason, tickets)
        : entry;
  }

  @Test
  void reportsAChangedTimeOfTheNextDecision() throws IOException {
    RandomScheduler.record(file, 3, 500);
    List<JournalRecord> records = new ArrayList<>(records());
    records.replaceAll(record ->
        record instanceof Decision(int scheduler, var entries, long wake) && wake == Long.MAX_VALUE
            ? new Decision(scheduler, entries, 17)
            : record);
    write(records);

    assertThat(replay()).isFalse();
    assertThat(out.toString())
        .contains("recorded: next decision at 17 ns")
        .contains("replayed: next decision at the next event");
  }

  @Test
  void replaysTheSchedulersOfOneModel() throws IOException {
    RandomScheduler.record(file, 6, 600);
    assertThat(replay(Optional.of("m1"), false)).isTrue();
    assertThat(out.toString()).contains("m1 version 1").doesNotContain("m0").doesNotContain("m2");

    assertThatExceptionOfType(DamagedJournalException.class)
        .isThrownBy(() -> replay(Optional.of("m9"), false))
        .withMessage("it has no scheduler of model 'm9'");
  }

  @Test
  void renamesAnExistingFile() throws IOException {
    Files.writeString(file, "older");
    RandomScheduler.record(file, 1, 10);
    assertThat(file.resolveSibling("journal.previous")).hasContent("older");
    assertThat(replay()).isTrue();
  }

  /** A file that blocks each write after the header until it is released. */
  private static final class SlowFile extends FilterOutputStream {
    final CountDownLatch reached = new CountDownLatch(1);
    final CountDownLatch released = new CountDownLatch(1);
    private boolean header;

    SlowFile(OutputStream file) {
      super(file);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      if (!header) {
        header = true;
        out.write(bytes, offset, length);
        return;
      }
      reached.countDown();
      try {
        released.await();
      } catch (InterruptedException stopped) {
        throw new IOException(stopped);
      }
      out.write(bytes, offset, length);
    }
  }

  private static SchedulingPolicy policy(SchedulerJournal journal) {
    ModelConfig config =
        ModelConfig.of("m", "b").withScheduling(BatchingSettings.of(List.of(4), 0));
    return journal.policy(new ModelKey("m", 1), config, 1, QueueLimits.of(16), BatchingRule.ALL);
  }

  private static void decide(SchedulingPolicy policy, int times) {
    for (int i = 0; i < times; i++) {
      policy.decide(i, new ReplayedTickets());
    }
  }

  @Test
  void schedulersDoNotWaitForTheFileAndTheGapIsRecorded() throws Exception {
    var slow = new SlowFile(Files.newOutputStream(file));
    try (var journal =
        SchedulerJournal.start(() -> slow, () -> 0, SchedulingMessages::message, 16)) {
      SchedulingPolicy policy = policy(journal);
      slow.reached.await(); // the thread is in write(), and the ring is empty
      decide(policy, 16 + 25);
      slow.released.countDown();
    }

    List<JournalRecord> records = records();
    assertThat(records.getFirst()).isInstanceOf(SchedulerStarted.class);
    assertThat(records.stream().filter(Decision.class::isInstance)).hasSize(16);
    assertThat(records).contains(new Incomplete(0, 25)).last().isEqualTo(new Closed());
    assertThat(replay()).isTrue();
    assertThat(out.toString())
        .contains("agrees up to where the journal is incomplete: 25 decisions missing");
  }

  @Test
  void theFileIsItsOwnersAlone() throws IOException {
    SchedulerJournal.open(
            new JournalFile(file, Long.MAX_VALUE), () -> 7, SchedulingMessages::message)
        .close();

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
  }

  @Test
  void itEndsBeforeItIsLargerThanItMayBeAndCanBeRead() throws IOException {
    try (var log = new LogCapture("io.nereid")) {
      try (var journal =
          SchedulerJournal.open(
              new JournalFile(file, 10_000), () -> 7, SchedulingMessages::message)) {
        decide(policy(journal), 1_000);
      }

      assertThat(log.messages())
          .containsExactly(
              "the scheduler journal ends here: it has reached 10000 bytes"
                  + " (--scheduler-journal-max-bytes)");
    }
    assertThat(Files.size(file)).isEqualTo(10_000);
    assertThat(records()).hasSizeGreaterThan(10).doesNotContain(new Closed());
  }

  @Test
  void aSchedulerEndsAfterItsLastDecisionWhileOthersGoOn() throws IOException {
    try (var journal =
        SchedulerJournal.open(
            new JournalFile(file, Long.MAX_VALUE), () -> 7, SchedulingMessages::message)) {
      SchedulingPolicy unloaded = policy(journal);
      SchedulingPolicy reloaded = policy(journal);
      decide(unloaded, 1_000);
      journal.ended(unloaded);
      decide(reloaded, 1_000);
    }

    List<JournalRecord> records = records();
    int end = records.indexOf(new SchedulerEnded(0, 7));
    assertThat(records.subList(0, end))
        .filteredOn(record -> record instanceof Decision decision && decision.scheduler() == 0)
        .hasSize(1_000);
    assertThat(records.subList(end + 1, records.size()))
        .noneMatch(record -> record instanceof Decision decision && decision.scheduler() == 0)
        .doesNotContain(new SchedulerEnded(1, 7));
    assertThat(replay()).isTrue();
    assertThat(out.toString())
        .contains("0.000000007 s  m version 1: loaded with 1 instance")
        .contains("0.000000007 s  m version 1: unloaded");
  }

  @Test
  void theEndOfASchedulerFollowsItsGap() throws Exception {
    var slow = new SlowFile(Files.newOutputStream(file));
    try (var journal =
        SchedulerJournal.start(() -> slow, () -> 7, SchedulingMessages::message, 16)) {
      SchedulingPolicy policy = policy(journal);
      slow.reached.await(); // as above
      decide(policy, 16 + 25);
      journal.ended(policy);
      slow.released.countDown();
    }

    assertThat(records()).endsWith(new Incomplete(0, 25), new SchedulerEnded(0, 7), new Closed());
  }

  @Test
  void aFailedWriteDoesNotStopSchedulers() throws IOException {
    var full =
        new OutputStream() {
          private int written;

          @Override
          public void write(int single) throws IOException {
            if (++written > JournalWriter.HEADER.length) {
              throw new IOException("No space left on device");
            }
          }
        };
    try (var journal =
        SchedulerJournal.start(() -> full, () -> 0, SchedulingMessages::message, 16)) {
      decide(policy(journal), 1_000);
    }
  }

  @Test
  void modelsLoadAndTheServerStopsBehindAnErrorOfTheThread() throws IOException {
    var isBroken = new AtomicBoolean();
    var writes = new AtomicInteger();
    var broken =
        new OutputStream() {
          @Override
          public void write(int value) {
            if (isBroken.get()) {
              writes.incrementAndGet();
              throw new OutOfMemoryError("of a test");
            }
          }
        };
    try (var journal =
        SchedulerJournal.start(() -> broken, () -> 0, SchedulingMessages::message, 2)) {
      isBroken.set(true);
      for (int model = 0; model < 8; model++) { // more than the ring has room for
        var _ =
            journal.policy(
                new ModelKey("m" + model, 1),
                ModelConfig.of("m" + model, "b"),
                1,
                QueueLimits.of(16),
                BatchingRule.ALL);
      }
    }

    assertThat(writes.get()).isBetween(1, 8); // each model begins the journal anew
  }
}
