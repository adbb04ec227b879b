/**
 * What verifications are made of: a batch and results that watch a backend, generated tensors,
 * memory with a guard page, and wire clients that send exactly the bytes they are given. Written
 * from the specification, it shares no code with a server. Used by the test's thread. Read {@link
 * io.nereid.tck.support.TestResults} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.support;
