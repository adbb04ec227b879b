package io.nereid.s3;

import io.nereid.spi.repository.ObjectStoreException;
import io.nereid.spi.repository.ObjectStoreException.Reason;
import io.nereid.spi.repository.StoredObject;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * One listing, page by page. It trusts the store with nothing: a key that was not asked for, a size
 * that is none, and a listing that does not end are errors, which name the location and what came.
 */
final class S3Listing {
  private final S3Location location;
  private final String prefix;
  private final S3Limits limits;
  private final List<StoredObject> objects = new ArrayList<>();
  private final Set<String> tokens = new HashSet<>();
  private @Nullable String nextToken;
  private int pages;
  private long byteSize;

  /**
   * @param prefix of the keys below the location
   */
  S3Listing(S3Location location, String prefix, S3Limits limits) {
    this.location = location;
    this.prefix = prefix;
    this.limits = limits;
  }

  /**
   * Adds a page.
   *
   * @return whether there is another one, with {@link #nextToken}
   * @throws ObjectStoreException REJECTED if it is not a page of this listing
   */
  boolean add(ListObjectsV2Response page) throws ObjectStoreException {
    for (S3Object object : page.contents()) {
      add(object);
    }
    pages++;
    nextToken = page.nextContinuationToken();
    if (!Boolean.TRUE.equals(page.isTruncated())) {
      return false;
    }
    if (nextToken == null || nextToken.isEmpty()) {
      throw rejected("the store sent a part of the listing, and no token for the next one");
    }
    if (!tokens.add(nextToken)) {
      throw rejected(
          "the store sent the continuation token '%s' twice".formatted(S3Errors.text(nextToken)));
    }
    take(nextToken.length());
    if (pages == limits.pages()) {
      throw rejected("the listing has more than %d pages".formatted(limits.pages()));
    }
    return true;
  }

  /** Of the page to ask for; null for the first one. */
  @Nullable String nextToken() {
    return nextToken;
  }

  private void add(S3Object object) throws ObjectStoreException {
    String key = object.key();
    if (key == null || !key.startsWith(location.prefix() + prefix)) {
      throw rejected(
          "the store sent the key '%s', which does not begin with '%s'"
              .formatted(S3Errors.text(String.valueOf(key)), location.prefix() + prefix));
    }
    Long size = object.size();
    if (size == null || size < 0) {
      throw rejected(
          "the store sent the size %s for the key '%s'".formatted(size, S3Errors.text(key)));
    }
    String tag = tag(object);
    take(key.length() + tag.length() + S3Limits.OBJECT_BYTE_SIZE);
    if (key.length() > location.prefix().length()) { // else it marks the location itself
      objects.add(new StoredObject(key.substring(location.prefix().length()), size, tag));
    }
  }

  private static String tag(S3Object object) {
    return object.eTag() == null ? String.valueOf(object.lastModified()) : object.eTag();
  }

  private void take(int length) throws ObjectStoreException {
    byteSize += length;
    if (byteSize > limits.listingByteSize()) {
      throw rejected(
          "the listing takes more than %d bytes of memory".formatted(limits.listingByteSize()));
    }
  }

  private ObjectStoreException rejected(String problem) {
    return new ObjectStoreException(
        Reason.REJECTED, "cannot list %s: %s".formatted(location.describe(prefix), problem));
  }

  /** All objects so far. */
  List<StoredObject> objects() {
    return objects;
  }
}
