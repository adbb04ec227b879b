package io.nereid.engine.model.repository.cache;

import io.nereid.spi.repository.ObjectChecksum;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.util.Optional;

/**
 * The hashes of a content, computed while it is written: the SHA-256 by which it is kept, and the
 * checksum that the store has of it.
 */
final class ContentHashes {
  private final Hash sha256 = Hash.sha256();
  private final Optional<ObjectChecksum> stored;
  private final Optional<Hash> checksum;

  /**
   * @param stored the store's checksum
   */
  ContentHashes(Optional<ObjectChecksum> stored) {
    this.stored = stored;
    this.checksum = stored.map(known -> Hash.of(known.algorithm()));
  }

  void add(byte[] bytes, int length) {
    sha256.add(bytes, length);
    checksum.ifPresent(hash -> hash.add(bytes, length));
  }

  /**
   * Adds the first bytes of a file.
   *
   * @param buffer overwritten
   */
  void add(SeekableByteChannel file, long length, byte[] buffer) throws IOException {
    file.position(0);
    for (long left = length; left > 0; ) {
      int read = file.read(ByteBuffer.wrap(buffer, 0, (int) Math.min(buffer.length, left)));
      if (read < 0) {
        throw new IOException("a file of the cache has become shorter");
      }
      add(buffer, read);
      left -= read;
    }
  }

  /** How the content differs from the store's; empty if it does not. Called once, at the end. */
  Optional<String> mismatch() {
    String actual = checksum.map(Hash::hex).orElse("");
    return stored
        .filter(known -> !known.hex().equals(actual))
        .map(known ->
            "its %s is %s, that of the store %s".formatted(known.algorithm(), actual, known.hex()));
  }

  /** The SHA-256 of all bytes, in hexadecimal digits. Called once, at the end. */
  String sha256() {
    return sha256.hex();
  }
}
