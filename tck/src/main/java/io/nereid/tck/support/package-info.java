/**
 * Support for verifications: generated and compared tensors, memory with a guard page, shared
 * memory of a client, and wire clients that send exactly the bytes they are given. Shares no code
 * with a server, and knows no other package of the kit. Used by the test's thread.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.support;
