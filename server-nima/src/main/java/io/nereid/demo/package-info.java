/**
 * The command that sends handwritten digits to the running server over HTTP and gRPC, by the module
 * {@code client}. Of the server it depends on the ports only. Read {@link io.nereid.demo.Demo}.
 */
@NullMarked
package io.nereid.demo;

import org.jspecify.annotations.NullMarked;
