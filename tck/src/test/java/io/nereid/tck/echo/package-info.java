/** The kit's own backends, held to the kit. Read {@link io.nereid.tck.echo.EchoBackendTest}. */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.echo;
