package io.nereid.engine.scheduling.journal;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import com.google.protobuf.CodedOutputStream;
import io.nereid.engine.model.config.conversion.SchedulingRecords;
import io.nereid.engine.scheduling.journal.replay.Replay;
import io.nereid.engine.testing.FuzzedMemory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.zip.CRC32C;

/** Any bytes as a journal, which operators send each other. */
class JournalFuzzTest {
  private final Path file = Jimfs.newFileSystem(Configuration.unix()).getPath("/journal");

  @FuzzTest
  void isReplayedOrRejected(byte[] input) {
    replayOrReject(input, input);
  }

  /** Each part of the input is the message of a record: a byte for its size, and so many bytes. */
  @FuzzTest
  void isReplayedOrRejectedWithCorrectChecksums(byte[] input) {
    try {
      var journal = new ByteArrayOutputStream();
      journal.writeBytes(JournalWriter.HEADER);
      CodedOutputStream records = CodedOutputStream.newInstance(journal);
      for (int at = 0; at < input.length; at += 1 + size(input, at)) {
        int size = size(input, at);
        var checksum = new CRC32C();
        checksum.update(input, at + 1, size);
        records.writeUInt32NoTag(size);
        records.write(input, at + 1, size);
        records.writeFixed32NoTag((int) checksum.getValue());
      }
      records.flush();
      replayOrReject(input, journal.toByteArray());
    } catch (IOException impossible) {
      throw new UncheckedIOException("writing to an array", impossible);
    }
  }

  private static int size(byte[] input, int at) {
    return Math.min(input[at] & 0xff, input.length - at - 1);
  }

  private void replayOrReject(byte[] input, byte[] journal) {
    FuzzedMemory.run(
        input,
        _ -> {
          var out = new StringWriter();
          try {
            Files.write(file, journal);
            new Replay(new PrintWriter(out), SchedulingRecords::record, Optional.empty(), false)
                .run(file);
          } catch (DamagedJournalException damaged) {
            assertThat(damaged.getMessage()).isNotEmpty();
          } catch (IOException broken) {
            throw new UncheckedIOException(broken);
          }
        });
  }
}
