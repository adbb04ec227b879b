package io.nereid.server.grpc;

import io.grpc.Context;
import io.grpc.ServerCall;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.DecodedRequest;
import io.nereid.server.codec.LongWork;
import io.nereid.server.codec.protobuf.ProtoRequest;
import io.nereid.server.codec.protobuf.ProtoRequestReader;
import io.nereid.server.codec.protobuf.UnreadMessage;
import io.nereid.server.grpc.connection.GrpcConnections;
import io.nereid.server.grpc.connection.TransportMemory;
import io.nereid.server.grpc.connection.TransportMemory.Reservation;
import io.nereid.server.grpc.message.MessageReader;
import io.nereid.server.memory.BufferPool;
import io.nereid.server.memory.ClientKey;
import io.nereid.server.memory.LeaseSource;
import io.nereid.server.memory.RequestMemory;
import io.nereid.server.memory.region.SharedRegions;
import java.util.function.Consumer;

/** The large messages of calls, both ways, counted for their clients. Thread-safe. */
final class ClientMessages {
  /** The most bytes that an event loop reads from regions. */
  private static final long SHORT = 1 << 20;

  private final MessageReader reader;
  private final TransportMemory memory;
  private final RequestMemory requestMemory;
  private final SharedRegions regions;
  private final LongWork longWork;

  ClientMessages(
      MessageReader reader,
      TransportMemory memory,
      RequestMemory requestMemory,
      SharedRegions regions,
      LongWork longWork) {
    this.longWork = longWork;
    this.reader = reader;
    this.memory = memory;
    this.requestMemory = requestMemory;
    this.regions = regions;
  }

  /**
   * Whether {@link #decode} copies so much from regions, or perhaps waits for a GPU, that no event
   * loop should do it.
   */
  boolean takesLong(ProtoRequest request) {
    long bytes = ProtoRequestReader.regionBytes(request);
    return bytes > SHORT || (bytes > 0 && regions.areInDeviceMemory());
  }

  /** What the client of a call may have of a pool. */
  LeaseSource memory(ServerCall<?, ?> call, LeaseSource pool) {
    return requestMemory.of(pool, client(call));
  }

  /** Has another thread run a task of a call, in the present context. */
  void later(ServerCall<?, ?> call, Runnable task) {
    longWork.start(client(call), Context.current().wrap(task));
  }

  /**
   * Decodes a request. Takes it, as {@link ProtoRequestReader#read} does.
   *
   * @param pool where the model wants its inputs
   */
  DecodedRequest decode(ProtoRequest request, ServerCall<?, ?> call, BufferPool pool) {
    LeaseSource inputs =
        ProtoRequestReader.regionBytes(request) == 0 ? pool : requestMemory.of(pool, client(call));
    DecodedRequest decoded =
        ProtoRequestReader.read(request, inputs, RestrictedCalls.regions(call, regions));
    decoded.client(client(call));
    return decoded;
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
    return GrpcConnections.client(call);
  }
}
