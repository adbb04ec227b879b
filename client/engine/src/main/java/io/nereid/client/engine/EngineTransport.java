package io.nereid.client.engine;

import io.nereid.client.Call;
import io.nereid.client.CallContext;
import io.nereid.client.ClientTransport;
import io.nereid.client.ErrorCode;
import io.nereid.client.FailedStream;
import io.nereid.client.GenerateRequest;
import io.nereid.client.Generated;
import io.nereid.client.InferRequest;
import io.nereid.client.InferResponse;
import io.nereid.client.Management;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.Sentences;
import io.nereid.client.TransportFactory;
import io.nereid.engine.Engine;
import io.nereid.engine.ModelRequest;
import io.nereid.engine.ModelResponse;
import io.nereid.error.InferenceException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;

/**
 * Calls to an engine in this process. Inputs are copied once, into memory of the engine; outputs
 * once, into arrays, so that a response need not be closed. Failures have the codes, the sentences
 * and {@code mayHaveRun} of a server's over gRPC.
 *
 * <p>Headers, TLS, connections and compression have no meaning here and are ignored. What an engine
 * does not have is refused as UNIMPLEMENTED: shared memory, classes in place of values, the
 * generate extension, loads with a configuration or files, settings of traces and of the log.
 *
 * <p>The close ends the calls that no thread waits for in {@code infer}, and leaves the engine
 * open.
 */
public final class EngineTransport implements ClientTransport {
  /** Completes calls, and takes the responses of streams. */
  static final Executor THREADS = action -> Thread.ofVirtual().start(action);

  private static final String ADDRESS = "engine:in-process";

  private final Engine engine;
  private final String address;
  private final int maxResponseBytes;
  private final Set<Runnable> open = ConcurrentHashMap.newKeySet();
  private volatile boolean isClosed;

  private EngineTransport(Engine engine, String address, int maxResponseBytes) {
    this.engine = engine;
    this.address = address;
    this.maxResponseBytes = maxResponseBytes;
  }

  /** A client of an engine, which its close leaves open, with the defaults of a builder. */
  public static NereidClient connect(Engine engine) {
    return NereidClient.builder(ADDRESS).transport(over(engine)).open();
  }

  /**
   * For {@link io.nereid.client.ClientBuilder#transport}, where a client has deadlines or retries
   * of its own. The address of the builder is only a name, as in messages.
   */
  public static TransportFactory over(Engine engine) {
    return (address, settings) ->
        new EngineTransport(engine, address.toString(), settings.maxResponseBytes());
  }

  String asked(Object what) {
    return what + " at " + address;
  }

  Engine engine() {
    return engine;
  }

  /**
   * The failure of a call that is not to be begun.
   *
   * @throws NereidException UNAVAILABLE behind the close, DEADLINE_EXCEEDED behind the deadline
   */
  void requireOpen(Object what, CallContext context) {
    if (isClosed) {
      throw closed(what, /* mayHaveRun= */ false);
    }
    if (context.nanosLeft() <= 0) {
      throw context.late(asked(what), /* mayHaveRun= */ false, null);
    }
  }

  NereidException closed(Object what, boolean mayHaveRun) {
    return new NereidException(
        ErrorCode.UNAVAILABLE, asked(what), Sentences.CLOSED, mayHaveRun, null, null);
  }

  /** What is to be told of the close until {@link #ended}. */
  void begun(Runnable onClose) {
    open.add(onClose);
    if (isClosed) {
      onClose.run();
    }
  }

  void ended(Runnable onClose) {
    open.remove(onClose);
  }

  private ModelRequest request(InferRequest request, CallContext context) {
    requireOpen(request, context);
    try {
      return EngineRequests.of(request, context);
    } catch (InferenceException wrong) {
      throw EngineFailures.of(wrong, asked(request), context);
    } catch (UnsupportedOperationException refused) {
      throw NereidException.unimplemented(asked(request), String.valueOf(refused.getMessage()));
    }
  }

  InferResponse response(InferRequest request, ModelResponse response) {
    return EngineResponses.of(response, maxResponseBytes, asked(request));
  }

  @Override
  public InferResponse infer(InferRequest request, CallContext context) {
    try (ModelResponse response = engine.infer(request(request, context))) {
      return response(request, response);
    } catch (InferenceException failure) {
      throw EngineFailures.of(failure, asked(request), context);
    }
  }

  @Override
  public Call<InferResponse> inferAsync(InferRequest request, CallContext context) {
    ModelRequest made;
    try {
      made = request(request, context);
    } catch (NereidException refused) {
      return Call.failed(refused);
    }
    Call<InferResponse> call = new Call<>();
    CompletableFuture<ModelResponse> sent = engine.inferAsync(made);
    call.onAbort(() -> sent.cancel(true));
    Runnable onClose = () -> call.completeExceptionally(closed(request, /* mayHaveRun= */ true));
    begun(onClose);
    var _ =
        sent.whenCompleteAsync(
            (response, failure) -> {
              ended(onClose);
              call.guard(() -> {
                if (failure != null) {
                  call.completeExceptionally(EngineFailures.of(failure, asked(request), context));
                } else {
                  try (response) {
                    call.complete(response(request, response));
                  }
                }
              });
            },
            THREADS);
    return call;
  }

  @Override
  public Flow.Publisher<InferResponse> stream(InferRequest request, CallContext context) {
    ModelRequest made;
    try {
      made = request(request, context);
    } catch (NereidException refused) {
      return new FailedStream<>(refused);
    }
    return subscriber -> new EngineStream(this, request, context, subscriber).start(made);
  }

  @Override
  public Call<Generated> generate(GenerateRequest request, CallContext context) {
    return Call.failed(noGenerate(request));
  }

  @Override
  public Flow.Publisher<Generated> generateStream(GenerateRequest request, CallContext context) {
    return new FailedStream<>(noGenerate(request));
  }

  private NereidException noGenerate(GenerateRequest request) {
    return NereidException.unimplemented(
        asked(request), "an engine in this process has no generate: use infer or stream");
  }

  @Override
  public Management management() {
    return new EngineManagement(this);
  }

  @Override
  public String address() {
    return address;
  }

  @Override
  public void close() {
    isClosed = true;
    open.forEach(Runnable::run);
  }
}
