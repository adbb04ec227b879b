package io.nereid.junit.jvm;

import io.nereid.spi.CallMemory;
import io.nereid.spi.CallResponse;
import io.nereid.spi.CallResponses;
import io.nereid.spi.ModelCall;
import io.nereid.spi.ModelCalls;
import io.nereid.spi.OwnCalls;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Calls on behalf of one request, or of a session, which know what of them is open. Thread-safe.
 */
final class WatchedCalls implements OwnCalls.Session {
  /**
   * @param what such as {@code the response of its call of model 'm'}
   */
  private record Opened(String what, BooleanSupplier isOpen) {}

  private final ModelCalls calls;
  private final Consumer<WatchedCalls> onClose;
  private final List<Opened> opened = new ArrayList<>();

  /**
   * @param onClose of a session, before it is closed
   */
  WatchedCalls(ModelCalls calls, Consumer<WatchedCalls> onClose) {
    this.calls = calls;
    this.onClose = onClose;
  }

  /** What the model has opened and not closed. */
  synchronized List<String> open() {
    return opened.stream().filter(each -> each.isOpen().getAsBoolean()).map(Opened::what).toList();
  }

  private synchronized void opened(String what, BooleanSupplier isOpen) {
    opened.add(new Opened(what, isOpen));
  }

  private CallResponse watched(ModelCall call, CallResponse response) {
    opened(
        "the response of its call of model '%s'".formatted(call.model()),
        () -> isUsable(response::outputs));
    return response;
  }

  /** What is closed says so. */
  private static boolean isUsable(Runnable use) {
    try {
      use.run();
      return true;
    } catch (IllegalStateException closed) {
      return false;
    }
  }

  @Override
  public CallResponse infer(ModelCall call) {
    return watched(call, calls.infer(call));
  }

  @Override
  public CompletableFuture<CallResponse> inferAsync(ModelCall call) {
    CompletableFuture<CallResponse> running = calls.inferAsync(call);
    var taken = new CompletableFuture<CallResponse>();
    var _ =
        running.whenComplete((response, failure) -> {
          if (failure != null) {
            taken.completeExceptionally(failure);
          } else {
            taken.complete(watched(call, response));
          }
        });
    var _ =
        taken.whenComplete((_, _) -> {
          if (taken.isCancelled()) {
            running.cancel(true);
          }
        });
    return taken;
  }

  @Override
  public CallResponses stream(ModelCall call) {
    var stream = new WatchedStream(call, calls.stream(call));
    opened("the stream of its call of model '%s'".formatted(call.model()), () -> !stream.isClosed);
    return stream;
  }

  private final class WatchedStream implements CallResponses {
    private final ModelCall call;
    private final CallResponses responses;
    volatile boolean isClosed;

    WatchedStream(ModelCall call, CallResponses responses) {
      this.call = call;
      this.responses = responses;
    }

    @Override
    public Optional<CallResponse> next() {
      return responses.next().map(response -> watched(call, response));
    }

    @Override
    public void close() {
      isClosed = true;
      responses.close();
    }
  }

  @Override
  public CallMemory allocate(String model, long byteSize) {
    CallMemory memory = calls.allocate(model, byteSize);
    opened(
        "%d bytes of memory for a call of model '%s'".formatted(byteSize, model),
        () -> isUsable(memory::segment));
    return memory;
  }

  /** Closes the session, if it is one. */
  @Override
  public void close() {
    if (calls instanceof OwnCalls.Session session) {
      onClose.accept(this);
      session.close();
    }
  }
}
