package io.nereid.s3;

import io.nereid.spi.repository.ObjectChecksum;
import io.nereid.spi.repository.ObjectChecksum.Algorithm;
import io.nereid.spi.repository.ObjectStoreException;
import io.nereid.spi.repository.ObjectStoreException.Reason;
import java.util.Base64;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.s3.model.ChecksumType;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;

/** The checksum headers of a response. */
final class S3Checksums {
  private S3Checksums() {}

  /**
   * The strongest checksum of the whole content; empty if there is none.
   *
   * @param object for messages
   * @throws ObjectStoreException REJECTED if it is not Base64, or has not the algorithm's size
   */
  static Optional<ObjectChecksum> of(String object, HeadObjectResponse response)
      throws ObjectStoreException {
    if (response.checksumType() == ChecksumType.COMPOSITE) { // of its parts' checksums
      return Optional.empty();
    }
    if (isWhole(response.checksumSHA256())) {
      return read(object, Algorithm.SHA256, 32, response.checksumSHA256());
    }
    if (isWhole(response.checksumCRC64NVME())) {
      return read(object, Algorithm.CRC64NVME, 8, response.checksumCRC64NVME());
    }
    if (isWhole(response.checksumCRC32C())) {
      return read(object, Algorithm.CRC32C, 4, response.checksumCRC32C());
    }
    if (isWhole(response.checksumCRC32())) {
      return read(object, Algorithm.CRC32, 4, response.checksumCRC32());
    }
    return isWhole(response.checksumSHA1())
        ? read(object, Algorithm.SHA1, 20, response.checksumSHA1())
        : Optional.empty();
  }

  /** False if there is none, or it is a composite one: value-parts. */
  private static boolean isWhole(@Nullable String base64) {
    return base64 != null && base64.indexOf('-') < 0;
  }

  private static Optional<ObjectChecksum> read(
      String object, Algorithm algorithm, int byteSize, String base64) throws ObjectStoreException {
    byte[] value;
    try {
      value = Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException _) {
      value = new byte[0];
    }
    if (value.length != byteSize) {
      throw new ObjectStoreException(
          Reason.REJECTED,
          "the store sent '%s' as the %s of %s, which is not %d bytes in Base64"
              .formatted(S3Errors.text(base64), algorithm, object, byteSize));
    }
    return Optional.of(ObjectChecksum.of(algorithm, value));
  }
}
