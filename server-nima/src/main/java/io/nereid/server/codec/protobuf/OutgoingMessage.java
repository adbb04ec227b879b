package io.nereid.server.codec.protobuf;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A protobuf message to send, whose size is known before it is written. */
public interface OutgoingMessage {
  int byteSize();

  /** Writes {@link #byteSize} bytes. */
  void writeTo(OutputStream stream) throws IOException;

  /**
   * The message in pieces, none of them empty: what is encoded, and each tensor where it lies,
   * borrowed as the response is. Null if there are no tensors, or one lies in an array of the heap.
   */
  default @Nullable List<ByteBuffer> pieces() {
    return null;
  }
}
