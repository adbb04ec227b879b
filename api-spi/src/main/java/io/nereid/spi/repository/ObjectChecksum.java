package io.nereid.spi.repository;

import java.util.HexFormat;
import java.util.Locale;

/**
 * A checksum of the whole content of an object.
 *
 * @param hex the value in hexadecimal digits of lower case, the most significant byte first
 */
public record ObjectChecksum(Algorithm algorithm, String hex) {
  /** The algorithms that the server can compute. */
  public enum Algorithm {
    CRC32,
    CRC32C,
    /** The CRC of 64 bits that Amazon S3 computes by default. */
    CRC64NVME,
    MD5,
    SHA1,
    SHA256
  }

  public ObjectChecksum {
    hex = hex.toLowerCase(Locale.ROOT);
  }

  public static ObjectChecksum of(Algorithm algorithm, byte[] value) {
    return new ObjectChecksum(algorithm, HexFormat.of().formatHex(value));
  }
}
