package io.nereid.server.grpc.message;

import io.grpc.Context;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.server.codec.protobuf.ProtoInput;
import io.nereid.server.codec.protobuf.ProtoRequest;
import io.nereid.server.codec.protobuf.ProtoRequestParser;
import io.nereid.server.codec.protobuf.ProtoRequestParser.InputPools;
import io.nereid.server.codec.protobuf.UnreadMessage;
import io.nereid.server.grpc.connection.Refusal;
import io.nereid.server.memory.ClientKey;
import io.nereid.server.memory.RequestMemory;
import io.nereid.server.telemetry.refusal.Refusals;
import java.nio.ByteBuffer;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Parses messages that were taken unread, into memory that is counted for their client. Those that
 * take long are parsed by virtual threads, of which half as many run as there are processors: each
 * parses {@link #SLICE} bytes and then lets the next one run, so that a short message never waits
 * for all of a long one. Thread-safe.
 */
public final class MessageReader {
  /** The bytes that a thread parses at a time. */
  private static final int SLICE = 1 << 20;

  private final RequestMemory memory;
  private final InputPools pools;
  private final Refusals<Refusal> refusals;
  private final Semaphore permits =
      new Semaphore(Math.max(1, Runtime.getRuntime().availableProcessors() / 2), true);

  /**
   * @param memory of the requests of all clients
   * @param pools where models want their inputs
   */
  public MessageReader(RequestMemory memory, InputPools pools, Refusals<Refusal> refusals) {
    this.memory = memory;
    this.pools = pools;
    this.refusals = refusals;
  }

  /**
   * Parses a message and passes it on, before this method returns or later, by another thread.
   *
   * @param message taken
   * @param isCancelled whether parsing is useless
   * @param next takes the request, or the failure of one; it is called in the present context
   */
  public void read(
      UnreadMessage message,
      ClientKey client,
      BooleanSupplier isCancelled,
      Consumer<ProtoRequest> next) {
    if (!message.isLong()) {
      next.accept(parse(message, client, message.open()));
      return;
    }
    Runnable task =
        () -> {
          permits.acquireUninterruptibly();
          try {
            var input = message.open().between(chunks -> new Slices(chunks, isCancelled));
            next.accept(parse(message, client, input));
          } finally {
            permits.release();
          }
        };
    Thread.ofVirtual().name("grpc message").start(Context.current().wrap(task));
  }

  private ProtoRequest parse(UnreadMessage message, ClientKey client, ProtoInput input) {
    var parser =
        new ProtoRequestParser((model, version) -> memory.of(pools.of(model, version), client));
    try (message) {
      return parser.parse(input);
    } catch (InferenceException failure) {
      if (failure.code() == StatusCode.RESOURCE_EXHAUSTED && failure.retryAfter().isEmpty()) {
        refusals.count(Refusal.REQUEST_SIZE, client.text());
      }
      return ProtoRequest.malformed(failure);
    }
  }

  /** Chunks between which other threads may run. */
  private final class Slices implements ProtoInput.Chunks {
    private final ProtoInput.Chunks chunks;
    private final BooleanSupplier isCancelled;
    private int read;

    Slices(ProtoInput.Chunks chunks, BooleanSupplier isCancelled) {
      this.chunks = chunks;
      this.isCancelled = isCancelled;
    }

    @Override
    public @Nullable ByteBuffer next() {
      if (read >= SLICE) {
        read = 0;
        permits.release();
        permits.acquireUninterruptibly(); // behind all that wait
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
