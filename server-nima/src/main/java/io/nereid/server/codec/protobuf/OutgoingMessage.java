package io.nereid.server.codec.protobuf;

import java.io.IOException;
import java.io.OutputStream;

/** A message on its way out, measured before it is written. */
public interface OutgoingMessage {
  /** The bytes of the whole message. */
  int byteSize();

  /** Writes the whole message. */
  void writeTo(OutputStream stream) throws IOException;
}
