/**
 * The contract with a response cache. A cache's tests extend these classes, without a server. Read
 * {@link io.nereid.tck.cache.CacheVerification} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.cache;
