/** Streams of both protocols with clients that are slow, and servers that stop or refuse. */
@NullMarked
package io.nereid.server.stream;

import org.jspecify.annotations.NullMarked;
