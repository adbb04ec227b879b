package io.nereid.engine.scheduling.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.BatchingSettings;
import io.nereid.engine.model.config.conversion.SchedulingMessages;
import io.nereid.engine.model.config.conversion.SchedulingRecords;
import io.nereid.engine.scheduling.journal.JournalRecord.Closed;
import io.nereid.engine.scheduling.journal.JournalRecord.Decision;
import io.nereid.engine.scheduling.journal.JournalRecord.SchedulerEnded;
import io.nereid.engine.scheduling.journal.JournalRecord.SchedulerStarted;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.testing.LogCapture;
import io.nereid.request.ModelKey;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A journal's file on a disk that is full for a while. */
class JournalOutputTest {
  private final Path file;
  private boolean isFull;

  JournalOutputTest(@TempDir Path directory) {
    file = directory.resolve("journal");
  }

  private OutputStream begin() throws IOException {
    return new FilterOutputStream(new JournalFile(file, Long.MAX_VALUE).begin()) {
      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        if (isFull) {
          throw new IOException("No space left on device");
        }
        out.write(bytes, offset, length);
      }
    };
  }

  private static SchedulerStarted started(int scheduler) {
    return new SchedulerStarted(
        scheduler,
        new ModelKey("m" + scheduler, 1),
        BatchingSettings.of(List.of(4), 0),
        4,
        /* costs= */ null,
        QueueLimits.of(16),
        1,
        false,
        7);
  }

  private static Decision decision(int scheduler) {
    return new Decision(scheduler, List.of(new Entry.At(8)), 9);
  }

  private static List<JournalRecord> records(Path journal) throws IOException {
    List<JournalRecord> records = new ArrayList<>();
    try (var reader = JournalReader.open(journal, SchedulingRecords::record)) {
      for (JournalRecord next = reader.next(); next != null; next = reader.next()) {
        records.add(next);
      }
    }
    return records;
  }

  @Test
  void aModelThatIsLoadedWhenItHasEndedBeginsAnotherFileWithoutTheSchedulersBefore()
      throws IOException {
    try (var log = new LogCapture("io.nereid")) {
      var output = new JournalOutput(this::begin, SchedulingMessages::message);
      output.write(started(0));
      output.flush();
      isFull = true;
      output.write(decision(0));
      output.flush();
      output.write(started(1)); // finds the disk full, too
      output.write(decision(1));
      output.flush();
      isFull = false;
      output.write(decision(1));
      output.write(started(2));
      output.write(decision(0));
      output.write(decision(2));
      output.write(new SchedulerEnded(0, 10));
      output.write(new SchedulerEnded(2, 11));
      output.write(new Closed());
      output.flush();
      output.close();

      assertThat(log.messages())
          .containsExactly(
              "the scheduler journal ends here: No space left on device",
              "the scheduler journal ends here: No space left on device",
              "the scheduler journal begins anew with model m2:1");
    }
    assertThat(records(file))
        .containsExactly(started(2), decision(2), new SchedulerEnded(2, 11), new Closed());
    Path previous = file.resolveSibling("journal.previous");
    assertThat(records(previous)).containsExactly(started(0));
  }
}
