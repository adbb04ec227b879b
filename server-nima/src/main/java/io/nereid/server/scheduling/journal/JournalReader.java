package io.nereid.server.scheduling.journal;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Reads a journal, record by record. */
public final class JournalReader implements AutoCloseable {
  private final InputStream file;
  private boolean cutOff;

  /**
   * Opens a file.
   *
   * @throws DamagedJournalException if it is no journal
   */
  public static JournalReader open(Path path) throws IOException {
    var reader = new JournalReader(new BufferedInputStream(Files.newInputStream(path), 1 << 16));
    try {
      reader.readMagic();
      return reader;
    } catch (IOException unreadable) {
      reader.close();
      throw unreadable;
    }
  }

  private JournalReader(InputStream file) {
    this.file = file;
  }

  private void readMagic() throws IOException {
    byte[] expected = RecordForm.magic();
    byte[] magic = file.readNBytes(expected.length);
    int name = expected.length - 1;
    if (magic.length < expected.length || !Arrays.equals(magic, 0, name, expected, 0, name)) {
      throw new DamagedJournalException("it is not a journal of a scheduler");
    }
    if (magic[name] != expected[name]) {
      throw new DamagedJournalException(
          "it is a journal of version %d; this is for version %d", magic[name], expected[name]);
    }
  }

  /**
   * The next record; null at the end.
   *
   * @throws DamagedJournalException if there is something else
   */
  public @Nullable JournalRecord next() throws IOException {
    int size = size();
    if (size < 0) {
      return null;
    }
    byte[] record = file.readNBytes(size);
    if (record.length < size) {
      cutOff = true;
      return null;
    }
    return RecordForm.read(new Frame(record));
  }

  /** Whether the file has ended within a record. */
  public boolean isCutOff() {
    return cutOff;
  }

  /** How many bytes the next record has; -1 at the end. */
  private int size() throws IOException {
    long size = 0;
    for (int shift = 0; shift < Integer.SIZE; shift += 7) {
      int next = file.read();
      if (next < 0) {
        cutOff |= shift > 0;
        return -1;
      }
      size |= (next & 0x7FL) << shift;
      if (next < 0x80 && size > 0 && size < Integer.MAX_VALUE) {
        return (int) size;
      }
      if (next < 0x80) {
        break;
      }
    }
    throw new DamagedJournalException("a record of an impossible size");
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
