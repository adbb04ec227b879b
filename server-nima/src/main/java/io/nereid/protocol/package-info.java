/**
 * Bytes become types here and nowhere else: JSON, protobuf and tensors' binary form, both ways.
 * Knows no socket, no scheduler and no model but its configuration. Run by the connection's thread;
 * no object here is shared between threads. For JSON read {@link
 * io.nereid.protocol.JsonRequestReader} first, then {@link io.nereid.protocol.JsonDocument}.
 */
@NullMarked
package io.nereid.protocol;

import org.jspecify.annotations.NullMarked;
