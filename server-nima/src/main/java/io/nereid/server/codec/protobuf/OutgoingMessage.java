package io.nereid.server.codec.protobuf;

import java.io.IOException;
import java.io.OutputStream;

/** A protobuf message to send, whose size is known before it is written. */
public interface OutgoingMessage {
  int byteSize();

  /** Writes {@link #byteSize} bytes. */
  void writeTo(OutputStream stream) throws IOException;
}
