package io.nereid.spi.cache;

import io.nereid.error.InferenceException;

/**
 * A factory for one kind of response cache, found by {@link java.util.ServiceLoader}. It needs a
 * public constructor without parameters, which must be cheap: the server creates every provider
 * that it finds.
 */
public interface CacheProvider {
  /** The name in {@code --cache-config=<name>,<key>=<value>}, such as {@code local}. */
  String name();

  /**
   * Opens the cache. Called at most once in the life of a server, before models are loaded.
   *
   * @throws InferenceException if a setting is missing or invalid, or the cache cannot work on this
   *     machine; the server then does not start, with this message
   */
  ResponseCache open(CacheSettings settings);
}
