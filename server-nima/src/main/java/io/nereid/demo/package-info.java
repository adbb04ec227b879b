/**
 * A client that sends handwritten digits to the running server over HTTP and gRPC. Depends only on
 * the server's ports. It does not use the module {@code client}, which the distribution would have
 * to carry, and each start to map. Read {@link io.nereid.demo.Demo}.
 */
@NullMarked
package io.nereid.demo;

import org.jspecify.annotations.NullMarked;
