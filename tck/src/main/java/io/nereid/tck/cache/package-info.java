/**
 * The contract with a response cache, and which responses a scheduler caches. A cache's tests
 * extend {@link io.nereid.tck.cache.CacheVerification}, without a server; a scheduler's extend
 * {@link io.nereid.tck.cache.CachingVerification}.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.cache;
