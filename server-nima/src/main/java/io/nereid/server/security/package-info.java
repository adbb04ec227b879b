/**
 * TLS for the listeners and restricted APIs: who may connect, and who may call what. Reads
 * certificates and keys, and reads them again when their files change; knows neither Helidon nor
 * gRPC. Connections call it from their own threads; {@link
 * io.nereid.server.security.CertificateWatch} has a thread. Read {@link
 * io.nereid.server.security.ServerTls} first, then {@link
 * io.nereid.server.security.RestrictedApis}.
 */
@NullMarked
package io.nereid.server.security;

import org.jspecify.annotations.NullMarked;
