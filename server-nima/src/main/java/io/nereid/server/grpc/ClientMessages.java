package io.nereid.server.grpc;

import io.grpc.Grpc;
import io.grpc.ServerCall;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.protobuf.ProtoRequest;
import io.nereid.server.codec.protobuf.UnreadMessage;
import io.nereid.server.grpc.connection.TransportMemory;
import io.nereid.server.grpc.connection.TransportMemory.Reservation;
import io.nereid.server.grpc.message.MessageReader;
import io.nereid.server.memory.ClientKey;
import java.net.SocketAddress;
import java.util.function.Consumer;

/** The large messages of calls, both ways, counted for their clients. Thread-safe. */
final class ClientMessages {
  private final MessageReader reader;
  private final TransportMemory memory;

  ClientMessages(MessageReader reader, TransportMemory memory) {
    this.reader = reader;
    this.memory = memory;
  }

  /**
   * Parses a message and passes it on, before this method returns or later, by another thread.
   *
   * @param message taken
   * @param next takes the request, or the failure of one
   */
  void read(UnreadMessage message, ServerCall<?, ?> call, Consumer<ProtoRequest> next) {
    ClientKey client = client(call);
    Reservation reservation;
    try {
      reservation = memory.reserve(client, message.byteSize());
    } catch (InferenceException exhausted) {
      message.close();
      next.accept(ProtoRequest.malformed(exhausted));
      return;
    }
    reader.read(
        message,
        client,
        call::isCancelled,
        request -> {
          reservation.close();
          next.accept(request);
        });
  }

  /**
   * Counts a response until it is closed.
   *
   * @throws InferenceException RESOURCE_EXHAUSTED if the client has too many unread responses
   */
  Reservation reserve(ServerCall<?, ?> call, long byteSize) {
    return memory.reserve(client(call), byteSize);
  }

  private static ClientKey client(ServerCall<?, ?> call) {
    SocketAddress address = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    return address == null ? ClientKey.LOCAL : ClientKey.of(address);
  }
}
