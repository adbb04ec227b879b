package io.nereid.engine.model.repository.cache;

import io.nereid.spi.repository.ObjectChecksum;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.function.ObjIntConsumer;
import java.util.function.Supplier;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/** A hash of bytes that are added one after another. */
record Hash(ObjIntConsumer<byte[]> update, Supplier<String> end) {
  void add(byte[] bytes, int length) {
    update.accept(bytes, length);
  }

  /** The hash in hexadecimal digits. Called once, at the end. */
  String hex() {
    return end.get();
  }

  static Hash of(ObjectChecksum.Algorithm algorithm) {
    return switch (algorithm) {
      case CRC32 -> of(new CRC32(), 8);
      case CRC32C -> of(new CRC32C(), 8);
      case CRC64NVME -> of(new Crc64Nvme(), 16);
      case MD5 -> of(digest("MD5"));
      case SHA1 -> of(digest("SHA-1"));
      case SHA256 -> sha256();
    };
  }

  static Hash sha256() {
    return of(digest("SHA-256"));
  }

  /** The SHA-256 of texts, each followed by a zero byte. */
  static String sha256Of(String... texts) {
    Hash hash = sha256();
    for (String text : texts) {
      byte[] bytes = (text + '\0').getBytes(StandardCharsets.UTF_8);
      hash.add(bytes, bytes.length);
    }
    return hash.hex();
  }

  private static MessageDigest digest(String name) {
    try {
      return MessageDigest.getInstance(name);
    } catch (NoSuchAlgorithmException impossible) { // every JDK has them
      throw new IllegalStateException(impossible);
    }
  }

  private static Hash of(MessageDigest digest) {
    return new Hash(
        (bytes, length) -> digest.update(bytes, 0, length),
        () -> HexFormat.of().formatHex(digest.digest()));
  }

  private static Hash of(Checksum checksum, int digits) {
    return new Hash(
        (bytes, length) -> checksum.update(bytes, 0, length),
        () -> HexFormat.of().toHexDigits(checksum.getValue(), digits));
  }
}
