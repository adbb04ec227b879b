package io.nereid.server.grpc.message;

import io.nereid.engine.memory.RequestMemory.Reservation;
import io.nereid.server.codec.protobuf.ProtoInput;
import io.nereid.server.codec.protobuf.UnreadMessage;

/**
 * A message that is counted for its client until it is closed.
 *
 * @param message owned
 * @param reservation of its bytes, owned
 */
public record CountedMessage(UnreadMessage message, Reservation reservation)
    implements UnreadMessage {
  @Override
  public ProtoInput open() {
    return message.open();
  }

  @Override
  public long byteSize() {
    return message.byteSize();
  }

  @Override
  public boolean isLong() {
    return message.isLong();
  }

  @Override
  public void close() {
    try (reservation) {
      message.close();
    }
  }
}
