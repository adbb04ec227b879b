package io.nereid.server.memory.region;

/**
 * A registered system region.
 *
 * @param key the name of its shared memory object
 * @param offset where it begins in the object
 */
public record RegionStatus(String name, String key, long offset, long byteSize) {}
