package io.nereid.server.http.message;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.OptionalLong;

/** Finds the end of a request's body in the input. */
public sealed interface BodyReader permits NoBody, LengthBody, ChunkedBody {
  /** The length that the head declares; empty if the body is chunked. 0 if there is no body. */
  OptionalLong declaredLength();

  /** See {@link RequestBody#read}. */
  int read(ByteBuffer target) throws IOException;

  /** Whether nothing of the body is left to be read. */
  default boolean isRead() {
    return left() == 0;
  }

  /** The number of bytes that are left to be read; {@code Long.MAX_VALUE} if it is unknown. */
  long left();
}
