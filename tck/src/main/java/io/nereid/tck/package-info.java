/**
 * The test compatibility kit: the v2 protocol and the contract with backends as tests, for any
 * server and any backend. An implementer extends a {@code *Verification} class and implements one
 * method that starts what is tested: a {@link io.nereid.tck.ServerUnderTest}, known by its
 * addresses, or a {@link io.nereid.tck.BackendUnderTest}, known by its provider. Nothing here
 * depends on the server's classes.
 *
 * <p>Every test names the {@link io.nereid.tck.Rule}s it verifies; {@code rules/*.tsv} lists them
 * with their sources. Tests run on JUnit's threads. Read {@link io.nereid.tck.ServerVerification}
 * first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tck;
