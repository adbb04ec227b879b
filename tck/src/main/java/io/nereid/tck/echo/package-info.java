/**
 * The backends that server verifications load: they show what a client sent. They are examples,
 * too: {@link io.nereid.tck.echo.EchoBackend} is the one that {@code docs/writing-a-backend.md}
 * walks through. They know {@code api-spi} only, and run on the server's instance threads.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.echo;
