package io.nereid.s3;

import io.nereid.spi.repository.ObjectChecksum;
import io.nereid.spi.repository.ObjectStore;
import io.nereid.spi.repository.ObjectStoreException;
import io.nereid.spi.repository.ObjectStoreException.Reason;
import io.nereid.spi.repository.StoredObject;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ChecksumMode;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectRequest;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;

/**
 * The objects below a location. The tag of an object is its ETag: every read asks for that ETag and
 * compares the one in the response, so that all bytes of a download are of one version.
 */
final class S3Store implements ObjectStore {
  private final S3Client client;
  private final S3Location location;
  private final S3Limits limits;

  /**
   * @param client closed with the store
   */
  S3Store(S3Client client, S3Location location, S3Limits limits) {
    this.client = client;
    this.location = location;
    this.limits = limits;
  }

  @Override
  public List<StoredObject> list(String prefix) throws ObjectStoreException {
    var listing = new S3Listing(location, prefix, limits);
    var request =
        ListObjectsV2Request.builder().bucket(location.bucket()).prefix(location.prefix() + prefix);
    String what = "cannot list " + location.describe(prefix);
    while (listing.add(call(what, () -> client.listObjectsV2(request.build())))) {
      request.continuationToken(listing.nextToken());
    }
    return listing.objects();
  }

  /** A call of the client, with its failures as those of this interface. */
  private static <T> T call(String what, Supplier<T> request) throws ObjectStoreException {
    try {
      return request.get();
    } catch (SdkException failed) {
      throw S3Errors.of(what, failed);
    } catch (RuntimeException unreadable) {
      throw S3Errors.unreadable(what, unreadable);
    }
  }

  @Override
  public InputStream read(StoredObject object, long offset) throws ObjectStoreException {
    var request =
        GetObjectRequest.builder().bucket(location.bucket()).key(location.prefix() + object.key());
    ifMatch(object).ifPresent(request::ifMatch);
    if (offset > 0) {
      request.range("bytes=%s-".formatted(offset));
    }
    ResponseInputStream<GetObjectResponse> content =
        call(reading(object), () -> client.getObject(request.build()));
    try {
      GetObjectResponse response = content.response();
      requireSame(object, response.eTag());
      requireRange(object, offset, response);
      requireLength(object, offset, response);
      return new SteadyInputStream(content, System::nanoTime);
    } catch (ObjectStoreException unusable) {
      content.abort();
      throw unusable;
    }
  }

  private String reading(StoredObject object) {
    return "cannot read " + location.describe(object.key());
  }

  private void requireSame(StoredObject object, @Nullable String eTag) throws ObjectStoreException {
    if (eTag != null && ifMatch(object).isPresent() && !eTag.equals(object.tag())) {
      throw new ObjectStoreException(
          Reason.CHANGED,
          "%s has changed: its ETag was %s and is %s"
              .formatted(location.describe(object.key()), object.tag(), S3Errors.text(eTag)));
    }
  }

  /** Some stores ignore ranges and send all of the object. */
  private void requireRange(StoredObject object, long offset, GetObjectResponse response)
      throws ObjectStoreException {
    String range = response.contentRange();
    String expected = "bytes %s-%s/%s".formatted(offset, object.byteSize() - 1, object.byteSize());
    if (offset > 0 && !expected.equals(range)) {
      throw new ObjectStoreException(
          Reason.REJECTED,
          "the store sent the range '%s' of %s instead of '%s'"
              .formatted(range, location.describe(object.key()), expected));
    }
  }

  private void requireLength(StoredObject object, long offset, GetObjectResponse response)
      throws ObjectStoreException {
    Long length = response.contentLength();
    if (length != null && length != object.byteSize() - offset) {
      throw new ObjectStoreException(
          Reason.CHANGED,
          "%s has %d bytes in the listing, and %d in the response"
              .formatted(location.describe(object.key()), object.byteSize(), offset + length));
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
    HeadObjectResponse response = call(reading(object), () -> client.headObject(request.build()));
    requireSame(object, response.eTag());
    return S3Checksums.of(location.describe(object.key()), response);
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
