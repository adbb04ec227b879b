package io.nereid.server.grpc.call;

import io.grpc.Context;
import io.grpc.ServerCall;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.memory.LeaseSource;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.memory.RequestMemory.Reservation;
import io.nereid.engine.memory.region.SharedRegions;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.LongWork;
import io.nereid.server.codec.protobuf.OutgoingMessage;
import io.nereid.server.codec.protobuf.ProtoRequest;
import io.nereid.server.codec.protobuf.ProtoRequestReader;
import io.nereid.server.codec.protobuf.UnreadMessage;
import io.nereid.server.grpc.connection.CallConnection;
import io.nereid.server.grpc.message.CountedMessage;
import io.nereid.server.grpc.message.LentMessage;
import io.nereid.server.grpc.message.MessageReader;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The large messages of calls, both ways, counted for their clients. Thread-safe. */
public final class ClientMessages {
  /** The most bytes that an event loop reads from regions. */
  private static final long SHORT = 1 << 20;

  /** The most tensors of a message that is lent; many small ones are better copied. */
  private static final int MAX_LENT = 16;

  private final MessageReader reader;
  private final RequestMemory memory;
  private final RequestMemory requestMemory;
  private final SharedRegions regions;
  private final LongWork longWork;

  /** The memory of tensors whose responses are on their way. */
  private final RequestMemory lent;

  public ClientMessages(
      MessageReader reader,
      RequestMemory memory,
      RequestMemory requestMemory,
      SharedRegions regions,
      LongWork longWork) {
    this.longWork = longWork;
    this.lent = new RequestMemory(requestMemory.limitBytes() / 4, Long.MAX_VALUE);
    this.reader = reader;
    this.memory = memory;
    this.requestMemory = requestMemory;
    this.regions = regions;
  }

  /**
   * Whether {@link #decode} copies so much from regions, or converts so much, or perhaps waits for
   * a GPU, that no event loop should do it.
   */
  public boolean takesLong(ProtoRequest request) {
    long bytes = ProtoRequestReader.regionBytes(request);
    return bytes > SHORT
        || (bytes > 0 && regions.areInDeviceMemory())
        || ProtoRequestReader.contentsBytes(request) > LongWork.LEAST;
  }

  /** What the client of a call may have of a pool. */
  public LeaseSource memory(ServerCall<?, ?> call, LeaseSource pool) {
    return requestMemory.of(pool, client(call));
  }

  /** Has another thread run a task of a call, in the present context. */
  public void later(ServerCall<?, ?> call, Runnable task) {
    longWork.start(client(call), Context.current().wrap(task));
  }

  /**
   * Decodes a request. Takes it, as {@link ProtoRequestReader#read} does.
   *
   * @param pool where the model wants its inputs
   */
  public DecodedRequest decode(ProtoRequest request, ServerCall<?, ?> call, BufferPool pool) {
    boolean isCounted =
        ProtoRequestReader.regionBytes(request) + ProtoRequestReader.contentsBytes(request) > 0;
    LeaseSource inputs = isCounted ? memory(call, pool) : pool;
    return ProtoRequestReader.read(request, inputs, RestrictedCalls.regions(call, regions));
  }

  /**
   * Counts a message until it is closed.
   *
   * @param message taken
   * @return a message, or the failure of one
   */
  public ProtoRequest count(ProtoRequest message, ServerCall<?, ?> call) {
    if (!message.isUnread()) {
      return message;
    }
    UnreadMessage unread = message.takeUnread();
    try {
      return ProtoRequest.unread(new CountedMessage(unread, reserve(call, unread.byteSize())));
    } catch (InferenceException exhausted) {
      unread.close();
      return ProtoRequest.malformed(exhausted);
    }
  }

  /**
   * Parses a message and passes it on, before this method returns or later, by another thread.
   *
   * @param message unread; taken, unless this throws
   * @param next takes the request, or the failure of one; it is called once, and throws nothing
   */
  public void read(ProtoRequest message, ServerCall<?, ?> call, Consumer<ProtoRequest> next) {
    reader.read(message, client(call), call::isCancelled, next);
  }

  /**
   * Counts bytes of a message until it is closed.
   *
   * @throws InferenceException RESOURCE_EXHAUSTED if the client has too many of them
   */
  public Reservation reserve(ServerCall<?, ?> call, long byteSize) {
    return memory.reserve(client(call), byteSize);
  }

  /**
   * A message that is sent from the memory of its tensors. A client has a share of what is lent,
   * since it may not read: its further messages are copied, into memory that is counted as well.
   *
   * @param response of the message; taken, unless this returns null or throws
   * @return null if the message is to be copied
   */
  public @Nullable LentMessage lend(
      ServerCall<?, ?> call, OutgoingMessage message, InferenceResponse response) {
    long byteSize = message.byteSize();
    if (byteSize <= RequestMemory.UNCOUNTED || response.outputs().size() > MAX_LENT) {
      return null;
    }
    List<ByteBuffer> pieces = message.pieces();
    ClientKey client = client(call);
    if (pieces == null || !lent.tryAcquire(client, byteSize)) {
      return null;
    }
    return new LentMessage(
        message,
        pieces,
        () -> {
          response.close();
          lent.release(client, byteSize);
        });
  }

  public static ClientKey client(ServerCall<?, ?> call) {
    return CallConnection.client(call);
  }
}
