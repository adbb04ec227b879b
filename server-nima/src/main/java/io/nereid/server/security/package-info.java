/**
 * TLS for the listeners, restricted APIs, settings that clients may change, and files of the owner
 * alone: who may connect, who may call and change what, and who may read what is written. Reads
 * certificates and keys, and reads them again when their files change; knows neither Helidon nor
 * gRPC. Connections call it from their own threads; {@link
 * io.nereid.server.security.CertificateWatch} has a thread. Read {@link
 * io.nereid.server.security.ServerTls} first, then {@link
 * io.nereid.server.security.RestrictedApis}.
 */
@NullMarked
package io.nereid.server.security;

import org.jspecify.annotations.NullMarked;
