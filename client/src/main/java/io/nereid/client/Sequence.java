package io.nereid.client;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Requests to a model that keeps a state between them. The sequence knows which of them is the
 * first and which the last, and sends one after the other, in the order of the calls, whatever
 * threads make them.
 *
 * <pre>{@code
 * Sequence sequence = client.sequence("accumulate");
 * sequence.infer(sequence.request().input("IN", one).build());
 * sequence.finish(sequence.request().input("IN", two).build());
 * }</pre>
 *
 * <p>A request that the server refused, or that server or model found wrong, such as
 * INVALID_ARGUMENT, may be sent again: the state is as before. After any other failure it is
 * unknown: the sequence is broken, and all further requests fail without being sent. The server
 * forgets a sequence that is not finished after a time of the model's.
 */
public final class Sequence {
  private final NereidClient client;
  private final Caller caller;
  private final String model;
  private final Object id;

  /** In the order of the calls. This and all below are guarded by this object. */
  private final Queue<Waiting> waiting = new ArrayDeque<>();

  private boolean isFinished;
  private boolean isSending;
  private boolean isInFlight;

  /** Written and read by one request at a time. */
  private boolean isStarted;

  private @Nullable NereidException broken;

  /** {@code ends}: whether it is the last request of the sequence. */
  private record Waiting(InferRequest request, boolean ends, Call<InferResponse> result) {}

  /** {@code id}: a {@code Long} above 0 or a {@code String} that is not empty. */
  Sequence(NereidClient client, Caller caller, String model, Object id) {
    this.client = client;
    this.caller = caller;
    this.model = Arguments.model(model);
    this.id = id;
  }

  /** The id that the server knows it by: a {@code Long} or a {@code String}. */
  public Object id() {
    return id;
  }

  /** A request to the sequence's model. */
  public InferRequest.Builder request() {
    return InferRequest.to(model);
  }

  /**
   * Sends the next request and waits for the response.
   *
   * @throws IllegalStateException if the sequence is finished
   */
  public InferResponse infer(InferRequest request) {
    return caller.await(inferAsync(request));
  }

  /** Sends the next request, once the one before has its response. */
  public CompletableFuture<InferResponse> inferAsync(InferRequest request) {
    return next(request, false);
  }

  /** Sends the last request and waits for the response. */
  public InferResponse finish(InferRequest request) {
    return caller.await(finishAsync(request));
  }

  /** Sends the last request, once the one before has its response. */
  public CompletableFuture<InferResponse> finishAsync(InferRequest request) {
    return next(request, true);
  }

  private CompletableFuture<InferResponse> next(InferRequest request, boolean ends) {
    if (!request.model().equals(model)) {
      throw new IllegalArgumentException(
          "a request to model '%s' in %s".formatted(request.model(), this));
    }
    Call<InferResponse> result = new Call<>();
    synchronized (this) {
      if (isFinished) {
        throw new IllegalStateException(this + " is finished");
      }
      isFinished = ends;
      waiting.add(new Waiting(request, ends, result));
    }
    sendWaiting();
    return caller.handOver(result);
  }

  /** Sends what waits until a request is in flight. One thread does, and sees what others add. */
  private void sendWaiting() {
    while (true) {
      Waiting next;
      synchronized (this) {
        if (isSending || isInFlight || waiting.isEmpty()) {
          return;
        }
        next = waiting.remove();
        isSending = true;
        isInFlight = true;
      }
      try {
        send(next);
      } catch (Throwable thrown) {
        over(next, null, thrown);
      }
      synchronized (this) {
        isSending = false;
      }
    }
  }

  private void send(Waiting next) {
    NereidException earlier = broken;
    if (next.result.isDone()) {
      over(next, null, null);
    } else if (earlier != null) {
      over(
          next,
          null,
          new NereidException(
              ErrorCode.CANCELLED,
              next.request + " at " + client.address(),
              this + " is broken: a request of it failed and may have been executed",
              false,
              null,
              earlier));
    } else {
      Map<String, Object> parameters = new LinkedHashMap<>();
      parameters.put("sequence_id", id);
      parameters.put("sequence_start", !isStarted);
      parameters.put("sequence_end", next.ends);
      Call<InferResponse> call = client.start(next.request.withSequence(parameters, header()));
      next.result.onAbort(() -> call.cancel(true));
      Call.onEnd(call, (response, failure) -> over(next, response, failure));
    }
  }

  /** The header that names the sequence, if the client sends one. */
  private Map<String, String> header() {
    if (caller.sequenceHeader().isEmpty()) {
      return Map.of();
    }
    String text = id.toString();
    boolean isPlain = text.chars().allMatch(each -> each >= ' ' && each <= '~');
    return Map.of(
        caller.sequenceHeader(), isPlain ? text : URLEncoder.encode(text, StandardCharsets.UTF_8));
  }

  /** {@code response} and {@code failure}: both null if the caller gave up before it was sent. */
  private void over(
      Waiting request, @Nullable InferResponse response, @Nullable Throwable failure) {
    if (response != null) {
      isStarted = true;
    } else if (failure != null && isStarted && mayHaveChanged(failure)) {
      broken = known(request.request, failure);
    }
    synchronized (this) {
      isFinished &= response != null || !request.ends;
      isInFlight = false;
    }
    if (response != null) {
      request.result.complete(response);
    } else if (failure != null) {
      request.result.completeExceptionally(failure);
    }
    sendWaiting();
  }

  /** Whether a failure leaves the state unknown; who says what is wrong has not used it. */
  private static boolean mayHaveChanged(Throwable failure) {
    if (!(failure instanceof NereidException known)) {
      return true;
    }
    return switch (known.code()) {
      case INVALID_ARGUMENT, NOT_FOUND, ALREADY_EXISTS, UNIMPLEMENTED -> false;
      default -> known.mayHaveRun();
    };
  }

  private NereidException known(InferRequest request, Throwable failure) {
    return failure instanceof NereidException known
        ? known
        : new NereidException(
            ErrorCode.CANCELLED,
            request + " at " + client.address(),
            "the call was cancelled",
            true,
            null,
            failure);
  }

  /** Such as {@code sequence 5 of model 'accumulate'}. */
  @Override
  public String toString() {
    return "sequence %s of model '%s'".formatted(id, model);
  }
}
