package io.nereid.spi.cache;

import java.util.Map;

/**
 * The operator's settings for a cache.
 *
 * @param options value by key, from {@code --cache-config=<name>,<key>=<value>}
 */
public record CacheSettings(Map<String, String> options) {
  public CacheSettings {
    options = Map.copyOf(options);
  }
}
