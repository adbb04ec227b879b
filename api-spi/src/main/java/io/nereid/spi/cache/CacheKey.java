package io.nereid.spi.cache;

/**
 * The key of an entry: the load of a model version, and a hash of all that determines the response.
 * Different requests may have equal keys; the server compares the content of an entry with the
 * request before it uses the entry.
 *
 * @param generation the load of the model version that responded, a number that no other load has,
 *     of any server at any time; a model that is loaded again has another one
 * @param high the upper half of the hash
 * @param low the lower half of the hash
 */
public record CacheKey(long generation, long high, long low) {}
