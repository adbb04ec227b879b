/**
 * The contract between the server and a response cache. A {@link
 * io.nereid.spi.cache.CacheProvider}, found by {@link java.util.ServiceLoader}, opens the {@link
 * io.nereid.spi.cache.ResponseCache} of the server. The cache maps keys to bytes and knows neither
 * requests nor responses: the server makes the keys, writes entries and reads them. A cache
 * implements the two interfaces and {@link io.nereid.spi.cache.CacheEntry}.
 *
 * <p>A cache reports failures as {@link io.nereid.error.InferenceException}. No failure reaches a
 * client: the server logs it and executes the request. Objects that are {@code AutoCloseable} are
 * owned by their holder; everything else that a method receives is borrowed until it returns.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.spi.cache;
