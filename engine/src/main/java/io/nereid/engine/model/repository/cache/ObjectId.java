package io.nereid.engine.model.repository.cache;

import io.nereid.spi.repository.StoredObject;

/**
 * What identifies an object in the cache.
 *
 * @param key the hash of the repository's location and the object's key
 * @param version the hash of these, its size and its tag; also the name of its download
 */
record ObjectId(String key, String version) {
  static ObjectId of(String location, StoredObject object) {
    return new ObjectId(
        Hash.sha256Of(location, object.key()),
        Hash.sha256Of(location, object.key(), Long.toString(object.byteSize()), object.tag()));
  }
}
