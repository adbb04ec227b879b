/**
 * The v2 protocol over HTTP: one verification per chapter, each test a request as bytes on a
 * socket. Knows a server by its address only. Read {@link io.nereid.tck.http.HttpVerification}
 * first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.http;
