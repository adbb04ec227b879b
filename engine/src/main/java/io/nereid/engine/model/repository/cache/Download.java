package io.nereid.engine.model.repository.cache;

import io.nereid.engine.file.OwnerOnly;
import io.nereid.error.IoReason;
import io.nereid.spi.repository.ObjectChecksum;
import io.nereid.spi.repository.ObjectStore;
import io.nereid.spi.repository.ObjectStoreException;
import io.nereid.spi.repository.ObjectStoreException.Reason;
import io.nereid.spi.repository.StoredObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The download of one object into a file. It continues where the file ends: after a lost connection
 * in this process, or where an earlier process stopped. The content is verified when it is
 * complete: its size, and its checksum if the store has one; the store makes sure that all parts
 * are of the same version.
 */
final class Download {
  private static final int BUFFER_BYTE_SIZE = 256 * 1024;

  /** An attempt that received less counts as failed, as one that received nothing. */
  private static final long MIN_PROGRESS = 1024 * 1024;

  private final ObjectStore store;
  private final Retries retries;
  private final StoredObject object;
  private final Path file;
  private final byte[] buffer = new byte[BUFFER_BYTE_SIZE];

  /**
   * @param file need not exist; used by no other thread or process
   */
  Download(ObjectStore store, Retries retries, StoredObject object, Path file) {
    this.store = store;
    this.retries = retries;
    this.object = object;
    this.file = file;
  }

  /**
   * Completes the file.
   *
   * @return the SHA-256 of the content
   * @throws ObjectStoreException if the store fails more often than it is asked again, or the
   *     content is not what the store says
   * @throws IOException if the file cannot be written; it is deleted then
   */
  String run() throws IOException {
    try {
      return attempt(retries.call(() -> store.checksum(object)));
    } catch (UncheckedIOException notWritten) { // a full disk should not stay full
      Files.deleteIfExists(file);
      throw new IOException(notWritten.getMessage(), notWritten);
    }
  }

  private String attempt(Optional<ObjectChecksum> checksum) throws IOException {
    for (int failures = 0; ; ) {
      var hashes = new ContentHashes(checksum);
      receive(hashes);
      Optional<String> mismatch = hashes.mismatch();
      if (mismatch.isEmpty()) {
        return hashes.sha256();
      }
      Files.delete(file);
      failures++;
      retries.pauseAfter(
          new ObjectStoreException(
              Reason.UNAVAILABLE,
              "object '%s' is damaged: %s".formatted(object.key(), mismatch.get())),
          failures);
    }
  }

  private void receive(ContentHashes hashes) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file,
            Set.of(
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                LinkOption.NOFOLLOW_LINKS),
            OwnerOnly.file(file))) {
      if (channel.size() > object.byteSize()) {
        channel.truncate(0);
      }
      long received = channel.size();
      hashes.add(channel, received, buffer);
      for (int failures = 0; received < object.byteSize(); ) {
        long before = received;
        ObjectStoreException failure = append(channel, received, hashes);
        received = channel.position();
        if (failure != null) {
          failures = received - before >= MIN_PROGRESS ? 1 : failures + 1;
          retries.pauseAfter(failure, failures);
        }
      }
      channel.force(true);
    }
  }

  /**
   * Appends bytes until the object ends or the store fails.
   *
   * @return the store's failure; null if there was none
   * @throws UncheckedIOException if the file cannot be written
   */
  private @Nullable ObjectStoreException append(
      FileChannel channel, long offset, ContentHashes hashes) {
    long position = offset;
    try (InputStream content = store.read(object, position)) {
      for (int read = content.read(buffer); read >= 0; read = content.read(buffer)) {
        position += read;
        if (position > object.byteSize()) {
          return new ObjectStoreException(
              Reason.CHANGED,
              "object '%s' is longer than the listed %d bytes"
                  .formatted(object.key(), object.byteSize()));
        }
        write(channel, read);
        hashes.add(buffer, read);
      }
    } catch (IOException failed) {
      return Retries.storeFailure(failed);
    }
    return position == object.byteSize() ? null : cutAt(position);
  }

  private void write(FileChannel channel, int length) {
    try {
      for (ByteBuffer bytes = ByteBuffer.wrap(buffer, 0, length); bytes.hasRemaining(); ) {
        channel.write(bytes);
      }
    } catch (IOException failed) {
      throw new UncheckedIOException(
          "cannot write object '%s' (%d bytes) to '%s': %s"
              .formatted(object.key(), object.byteSize(), file, IoReason.of(failed)),
          failed);
    }
  }

  private ObjectStoreException cutAt(long position) {
    return new ObjectStoreException(
        Reason.UNAVAILABLE,
        "object '%s' ended after %d of %d bytes"
            .formatted(object.key(), position, object.byteSize()));
  }
}
