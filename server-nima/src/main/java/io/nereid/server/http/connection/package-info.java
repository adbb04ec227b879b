/**
 * HTTP/1.1 and HTTP/1.0 connections: reads requests and writes responses, for any handler. Helidon
 * accepts connections and runs each on a virtual thread, the JDK does TLS; heads, bodies and
 * responses are read and written here, so that bodies go straight into off-heap memory and every
 * byte is checked.
 *
 * <p>Follows RFC 9110 and RFC 9112. Knows nothing of models and routes. Read {@link
 * io.nereid.server.http.connection.HttpListener}, then {@code Http1Connection}.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.server.http.connection;
