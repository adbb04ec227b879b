/**
 * A client that sends handwritten digits to the running server over HTTP and gRPC. Depends only on
 * the server's ports. Read {@link io.nereid.demo.Demo}.
 */
@NullMarked
package io.nereid.demo;

import org.jspecify.annotations.NullMarked;
