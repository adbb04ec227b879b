/**
 * The contract as tests: what any server of the v2 protocol and any backend can be held to. An
 * implementer extends a {@code *Verification} class and says in one method how to start what is
 * tested: a {@link io.nereid.tck.ServerUnderTest}, known by two addresses, or a {@link
 * io.nereid.tck.BackendUnderTest}, known by its provider. Nothing here knows the server's classes.
 *
 * <p>Every test names the {@link io.nereid.tck.Rule}s it proves; {@code rules/*.tsv} lists them
 * with their sources. Tests run on JUnit's threads. Read {@link io.nereid.tck.ServerVerification}
 * first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tck;
