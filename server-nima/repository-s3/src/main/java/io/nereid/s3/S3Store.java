package io.nereid.s3;

import io.nereid.spi.repository.ObjectChecksum;
import io.nereid.spi.repository.ObjectChecksum.Algorithm;
import io.nereid.spi.repository.ObjectStore;
import io.nereid.spi.repository.ObjectStoreException;
import io.nereid.spi.repository.ObjectStoreException.Reason;
import io.nereid.spi.repository.StoredObject;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ChecksumMode;
import software.amazon.awssdk.services.s3.model.ChecksumType;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectRequest;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * The objects below a location. The tag of an object is its ETag: every read asks for that ETag and
 * compares the one in the response, so that all bytes of a download are of one version.
 */
final class S3Store implements ObjectStore {
  private final S3Client client;
  private final S3Location location;

  /**
   * @param client closed with the store
   */
  S3Store(S3Client client, S3Location location) {
    this.client = client;
    this.location = location;
  }

  @Override
  public List<StoredObject> list(String prefix) throws ObjectStoreException {
    var request =
        ListObjectsV2Request.builder()
            .bucket(location.bucket())
            .prefix(location.prefix() + prefix)
            .build();
    List<StoredObject> objects = new ArrayList<>();
    try {
      for (S3Object object : client.listObjectsV2Paginator(request).contents()) {
        String key = object.key().substring(location.prefix().length());
        if (!key.isEmpty()) { // else it marks the location itself
          objects.add(new StoredObject(key, object.size(), tag(object)));
        }
      }
    } catch (SdkException failed) {
      throw S3Errors.of("cannot list " + location.describe(prefix), failed);
    }
    return objects;
  }

  private static String tag(S3Object object) {
    return object.eTag() == null ? String.valueOf(object.lastModified()) : object.eTag();
  }

  @Override
  public InputStream read(StoredObject object, long offset) throws ObjectStoreException {
    var request =
        GetObjectRequest.builder().bucket(location.bucket()).key(location.prefix() + object.key());
    ifMatch(object).ifPresent(request::ifMatch);
    if (offset > 0) {
      request.range("bytes=%d-".formatted(offset));
    }
    try {
      ResponseInputStream<GetObjectResponse> content = client.getObject(request.build());
      try {
        GetObjectResponse response = content.response();
        requireSame(object, response.eTag());
        requireRange(object, offset, response);
        return content;
      } catch (ObjectStoreException unusable) {
        content.abort();
        throw unusable;
      }
    } catch (SdkException failed) {
      throw S3Errors.of("cannot read " + location.describe(object.key()), failed);
    }
  }

  private void requireSame(StoredObject object, @Nullable String eTag) throws ObjectStoreException {
    if (eTag != null && ifMatch(object).isPresent() && !eTag.equals(object.tag())) {
      throw new ObjectStoreException(
          Reason.CHANGED,
          "%s has changed: its ETag was %s and is %s"
              .formatted(location.describe(object.key()), object.tag(), eTag));
    }
  }

  /** Some stores ignore ranges and send all of the object. */
  private void requireRange(StoredObject object, long offset, GetObjectResponse response)
      throws ObjectStoreException {
    String range = response.contentRange();
    String expected = "bytes %d-%d/%d".formatted(offset, object.byteSize() - 1, object.byteSize());
    if (offset > 0 && !expected.equals(range)) {
      throw new ObjectStoreException(
          Reason.REJECTED,
          "the store sent the range '%s' of %s instead of '%s'"
              .formatted(range, location.describe(object.key()), expected));
    }
  }

  @Override
  public Optional<ObjectChecksum> checksum(StoredObject object) throws ObjectStoreException {
    var request =
        HeadObjectRequest.builder()
            .bucket(location.bucket())
            .key(location.prefix() + object.key())
            .checksumMode(ChecksumMode.ENABLED);
    ifMatch(object).ifPresent(request::ifMatch);
    try {
      HeadObjectResponse response = client.headObject(request.build());
      requireSame(object, response.eTag());
      return response.checksumType() == ChecksumType.COMPOSITE // of its parts' checksums
          ? Optional.empty()
          : checksum(Algorithm.SHA256, response.checksumSHA256())
              .or(() -> checksum(Algorithm.CRC64NVME, response.checksumCRC64NVME()))
              .or(() -> checksum(Algorithm.CRC32C, response.checksumCRC32C()))
              .or(() -> checksum(Algorithm.CRC32, response.checksumCRC32()))
              .or(() -> checksum(Algorithm.SHA1, response.checksumSHA1()));
    } catch (SdkException failed) {
      throw S3Errors.of("cannot read " + location.describe(object.key()), failed);
    }
  }

  private static Optional<ObjectChecksum> checksum(Algorithm algorithm, @Nullable String base64) {
    return base64 == null || base64.indexOf('-') >= 0 // a composite one: value-parts
        ? Optional.empty()
        : Optional.of(ObjectChecksum.of(algorithm, Base64.getDecoder().decode(base64)));
  }

  /** Empty if the tag is a time, since the store has no ETags. */
  private static Optional<String> ifMatch(StoredObject object) {
    return Optional.of(object.tag()).filter(tag -> tag.startsWith("\""));
  }

  @Override
  public void close() {
    client.close();
  }
}
