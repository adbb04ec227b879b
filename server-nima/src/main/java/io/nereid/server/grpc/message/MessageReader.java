package io.nereid.server.grpc.message;

import io.grpc.Context;
import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.request.UnexpectedFailures;
import io.nereid.engine.telemetry.refusal.Refusals;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.server.codec.LongWork;
import io.nereid.server.codec.protobuf.ProtoInput;
import io.nereid.server.codec.protobuf.ProtoRequest;
import io.nereid.server.codec.protobuf.ProtoRequestParser;
import io.nereid.server.codec.protobuf.ProtoRequestParser.InputPools;
import io.nereid.server.codec.protobuf.UnreadMessage;
import io.nereid.server.grpc.limits.GrpcRefusal;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Parses messages that were taken unread, into memory that is counted for their client. Those that
 * take long are {@link LongWork}, which pauses after each {@link #SLICE} bytes, so that a short
 * message never waits for all of a long one. Thread-safe.
 *
 * @param memory of the requests of all clients
 * @param pools where models want their inputs
 */
public record MessageReader(
    RequestMemory memory, InputPools pools, Refusals<GrpcRefusal> refusals, LongWork longWork) {
  private static final System.Logger LOG = System.getLogger(MessageReader.class.getName());

  /** The bytes that are parsed at a time. */
  private static final int SLICE = 1 << 20;

  /**
   * Parses a message and passes it on, before this method returns or later, by another thread.
   *
   * @param message unread; taken, unless this throws
   * @param isCancelled whether parsing is useless
   * @param next takes the request, or the failure of one, whatever was thrown; it is called once,
   *     in the present context, and throws nothing
   */
  public void read(
      ProtoRequest message,
      ClientKey client,
      BooleanSupplier isCancelled,
      Consumer<ProtoRequest> next) {
    if (!message.isLong()) {
      next.accept(parse(message, client, UnaryOperator.identity()));
      return;
    }
    UnaryOperator<ProtoInput.Chunks> slices = chunks -> new Slices(chunks, client, isCancelled);
    Runnable task =
        () -> {
          if (isCancelled.getAsBoolean()) {
            message.close();
            next.accept(ProtoRequest.malformed(InferenceException.cancelled()));
          } else {
            next.accept(parse(message, client, slices));
          }
        };
    longWork.start(client, Context.current().wrap(task));
  }

  private ProtoRequest parse(
      ProtoRequest unread, ClientKey client, UnaryOperator<ProtoInput.Chunks> slices) {
    try (UnreadMessage message = unread.takeUnread()) {
      var parser =
          new ProtoRequestParser((model, version) -> memory.of(pools.of(model, version), client));
      return parser.parse(message.open().between(slices));
    } catch (Throwable thrown) {
      InferenceException failure = UnexpectedFailures.of(LOG, "reading a message", thrown);
      if (failure.code() == StatusCode.RESOURCE_EXHAUSTED && failure.retryAfter().isEmpty()) {
        refusals.count(GrpcRefusal.REQUEST_SIZE, client.text());
      }
      return ProtoRequest.malformed(failure);
    }
  }

  /** Chunks between which other tasks may run. */
  private final class Slices implements ProtoInput.Chunks {
    private final ProtoInput.Chunks chunks;
    private final ClientKey client;
    private final BooleanSupplier isCancelled;
    private int read;

    Slices(ProtoInput.Chunks chunks, ClientKey client, BooleanSupplier isCancelled) {
      this.chunks = chunks;
      this.client = client;
      this.isCancelled = isCancelled;
    }

    @Override
    public @Nullable ByteBuffer next() {
      if (read >= SLICE) {
        read = 0;
        longWork.pause(client);
        if (isCancelled.getAsBoolean()) {
          throw InferenceException.cancelled();
        }
      }
      ByteBuffer next = chunks.next();
      read += next == null ? 0 : next.remaining();
      return next;
    }
  }
}
