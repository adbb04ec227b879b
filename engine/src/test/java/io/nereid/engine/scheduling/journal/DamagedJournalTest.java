package io.nereid.engine.scheduling.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.scheduling.journal.replay.ReplayedJournal;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The replay of files that are truncated, damaged or no journals. */
@Timeout(120)
class DamagedJournalTest extends ReplayedJournal {
  @Test
  void replaysATruncatedFileUpToItsLastWholeRecord() throws IOException {
    RandomScheduler.record(file, 4, 20);
    byte[] whole = Files.readAllBytes(file);
    int header = JournalWriter.HEADER.length;
    for (int length = header; length < whole.length; length += 7) {
      Files.write(file, Arrays.copyOf(whole, length));
      assertThat(replay()).as("%s bytes:\n%s", length, out).isTrue();
      assertThat(out.toString()).contains("The journal was not closed");
    }
    assertThat(out.toString()).contains("its last record is truncated");
  }

  @Test
  void rejectsFilesOfOtherKindsAndVersions() throws IOException {
    Files.writeString(file, "{\"not\": \"a journal\"}");
    assertUnreadable("it is not a journal of a scheduler");
    Files.writeString(file, "");
    assertUnreadable("it is not a journal of a scheduler");
    byte[] later = JournalWriter.HEADER.clone();
    later[later.length - 1]++;
    Files.write(file, later);
    assertUnreadable("it is a journal of version 8; this server reads version 7");
  }

  @Test
  void rejectsBytesThatAreNoRecord() throws IOException {
    RandomScheduler.record(file, 4, 60);
    byte[] bytes = Files.readAllBytes(file);
    Arrays.fill(bytes, bytes.length / 2, bytes.length, (byte) 0);
    Files.write(file, bytes);
    assertUnreadable("");
  }

  @Test
  void reportsAnyChangedByte() throws IOException {
    RandomScheduler.record(file, 11, 60);
    byte[] whole = Files.readAllBytes(file);
    var random = new Random(1);
    for (int i = 0; i < Integer.getInteger("nereid.mutations", 100); i++) {
      byte[] changed = whole.clone();
      int index = random.nextInt(changed.length);
      changed[index] ^= (byte) (1 + random.nextInt(0xFF));
      Files.write(file, changed);
      try {
        assertThat(replay()).as("byte %d", index).isTrue(); // a size can appear truncated
        assertThat(out.toString()).contains("its last record is truncated");
      } catch (DamagedJournalException found) {
        assertThat(found).hasMessageNotContaining("null");
      }
    }
  }

  private void assertUnreadable(String message) {
    assertThatExceptionOfType(DamagedJournalException.class)
        .isThrownBy(this::replay)
        .withMessageContaining(message);
  }
}
