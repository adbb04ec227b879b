/**
 * HTTP/1.1 and HTTP/1.0 connections: serves the requests of each, for any handler, and writes the
 * responses. Helidon accepts connections and runs each on a virtual thread, the JDK does TLS;
 * requests are read by {@link io.nereid.server.http.message}.
 *
 * <p>Follows RFC 9110 and RFC 9112. Knows nothing of models and routes. Read {@link
 * io.nereid.server.http.connection.HttpListener}, then {@code Http1Connection}.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.server.http.connection;
