/**
 * Support for verifications: a batch and results that observe a backend, generated tensors, memory
 * with a guard page, and wire clients that send exactly the bytes they are given. Shares no code
 * with a server. Used by the test's thread. Read {@link io.nereid.tck.support.TestResults} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.support;
