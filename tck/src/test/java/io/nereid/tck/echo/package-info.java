/**
 * The TCK's own backends under the TCK's verifications. Read {@link
 * io.nereid.tck.echo.EchoBackendTest}.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.echo;
