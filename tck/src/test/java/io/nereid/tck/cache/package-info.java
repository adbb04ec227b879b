/** The verification of caches, tried on one that is right and on others that are not. */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.cache;
