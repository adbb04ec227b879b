package io.nereid.tensorrt.build;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256 of files. */
final class Hashes {
  private Hashes() {}

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every JDK has SHA-256", impossible);
    }
  }

  static byte[] sha256(Path file) throws IOException {
    MessageDigest digest = sha256();
    ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 18);
    try (var channel = FileChannel.open(file)) {
      while (channel.read(buffer) >= 0) {
        digest.update(buffer.flip());
        buffer.clear();
      }
    }
    return digest.digest();
  }
}
