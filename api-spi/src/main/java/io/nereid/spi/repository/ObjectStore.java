package io.nereid.spi.repository;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;

/**
 * The objects below one location of an object store. Keys are relative to that location: below
 * {@code s3://bucket/models}, the object {@code models/m/config.pbtxt} has the key {@code
 * m/config.pbtxt}. Thread-safe. The server repeats calls that fail, so a store does not.
 */
public interface ObjectStore extends AutoCloseable {
  /**
   * All objects whose keys begin with a prefix, at any depth.
   *
   * @param prefix empty for all objects
   * @return none if there is no such object
   * @throws ObjectStoreException NOT_FOUND if the bucket does not exist
   */
  List<StoredObject> list(String prefix) throws IOException;

  /**
   * Opens the content of an object from an offset on. The stream ends at the object's end; the
   * caller closes it, possibly earlier.
   *
   * @param object from {@link #list}
   * @param offset less than the object's size
   * @throws ObjectStoreException CHANGED if the store has another version of the object by now
   */
  InputStream read(StoredObject object, long offset) throws IOException;

  /**
   * The checksum of an object's whole content; empty if the store has none.
   *
   * @throws ObjectStoreException CHANGED if the store has another version of the object by now
   */
  Optional<ObjectChecksum> checksum(StoredObject object) throws IOException;

  /** Closes connections. Called once, after the last call; never throws. */
  @Override
  void close();
}
