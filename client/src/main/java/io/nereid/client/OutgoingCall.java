package io.nereid.client;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a call, as a {@link CallInterceptor} sees and changes it; used during {@link
 * CallInterceptor#intercept} only.
 */
public final class OutgoingCall {
  private static final System.Logger LOG = System.getLogger(OutgoingCall.class.getName());

  private final String operation;
  private final String model;
  private final String address;
  private final int attempt;
  private final Map<Object, Object> attributes;
  private final Map<String, String> headers;
  private final List<Function<WireRequest, Map<String, String>>> signers = new ArrayList<>();
  private final Deque<Consumer<@Nullable NereidException>> ends = new ArrayDeque<>();
  private boolean isRefused;
  private boolean isOver;

  /**
   * An attempt of a call.
   *
   * @param headers copied
   * @param before the attempt before this one; null for the first
   */
  OutgoingCall(
      String operation,
      String model,
      String address,
      Map<String, String> headers,
      @Nullable OutgoingCall before) {
    this.operation = operation;
    this.model = model;
    this.address = address;
    this.headers = new LinkedHashMap<>(headers);
    attempt = before == null ? 1 : before.attempt + 1;
    attributes = before == null ? new HashMap<>() : before.attributes;
  }

  /**
   * What is called: {@code infer}, {@code stream}, {@code generate} and the other methods of {@link
   * ClientTransport} and {@link Management}, by their names.
   */
  public String operation() {
    return operation;
  }

  /** The model; empty if the call concerns none, or all. */
  public String model() {
    return model;
  }

  /** Where the server is. */
  public String address() {
    return address;
  }

  /** 1, and one more each time the call is sent again. */
  public int attempt() {
    return attempt;
  }

  /** What interceptors keep from one attempt of a call to the next. */
  public Map<Object, Object> attributes() {
    return attributes;
  }

  /** The headers, or gRPC metadata, so far; names in lower case. */
  public Map<String, String> headers() {
    return Collections.unmodifiableMap(headers);
  }

  /**
   * Sets a header, or gRPC metadata.
   *
   * @throws IllegalArgumentException if not both transports can send it
   */
  public void header(String name, String value) {
    Arguments.putHeader(headers, name, value);
  }

  /**
   * Makes headers of the request as it is sent, such as a signature. Over gRPC the message is
   * encoded once more for that.
   *
   * @param headers called once, when all interceptors have been; what it throws refuses the call
   */
  public void sign(Function<WireRequest, Map<String, String>> headers) {
    signers.add(headers);
  }

  /**
   * Acts once the attempt has ended, before the caller is told. That is also where another
   * interceptor has refused it.
   *
   * @param action gets null for a success, else the failure: CANCELLED for a call that its caller
   *     cancelled, and for a stream that was closed before its end. Called once, by any thread,
   *     which must not be blocked; what it throws is logged
   */
  public void onEnd(Consumer<@Nullable NereidException> action) {
    ends.addFirst(action);
  }

  /**
   * Shows the attempt to interceptors.
   *
   * @return what the transport must know
   * @throws NereidException if one refuses it
   */
  CallContext begin(List<CallInterceptor> interceptors, CallContext context) {
    for (CallInterceptor each : interceptors) {
      orRefused(() -> {
        each.intercept(this);
        return this;
      });
    }
    return new CallContext(
        context.deadlineNanos(),
        context.time(),
        headers,
        signers.isEmpty() ? null : request -> orRefused(() -> signed(request)));
  }

  private Map<String, String> signed(WireRequest request) {
    for (Function<WireRequest, Map<String, String>> each : signers) {
      each.apply(request).forEach(this::header);
    }
    return headers;
  }

  private <R> R orRefused(Supplier<R> action) {
    try {
      return action.get();
    } catch (NereidException refusal) {
      isRefused = true;
      throw refusal;
    } catch (RuntimeException thrown) {
      isRefused = true;
      throw new NereidException(
          ErrorCode.UNAVAILABLE,
          toString(),
          "an interceptor has refused the call: " + thrown,
          false,
          null,
          thrown);
    }
  }

  /** Whether an interceptor has refused it. */
  boolean isRefused() {
    return isRefused;
  }

  /** Tells its end to interceptors, unless that was told. {@code failure}: null for a success. */
  void end(@Nullable Throwable failure) {
    synchronized (this) {
      if (isOver) {
        return;
      }
      isOver = true;
    }
    NereidException known = failure == null ? null : known(failure);
    for (Consumer<@Nullable NereidException> each : ends) {
      try {
        each.accept(known);
      } catch (RuntimeException thrown) {
        LOG.log(System.Logger.Level.WARNING, "an interceptor failed at the end of " + this, thrown);
      }
    }
  }

  private NereidException known(Throwable failure) {
    if (failure instanceof NereidException known) {
      return known;
    }
    return failure instanceof CancellationException
        ? new NereidException(
            ErrorCode.CANCELLED, toString(), "the call was cancelled", true, null, failure)
        : new NereidException(
            ErrorCode.INTERNAL, toString(), failure.toString(), true, null, failure);
  }

  /** Such as {@code infer of model 'digits' at http://localhost:8000}. */
  @Override
  public String toString() {
    return operation + (model.isEmpty() ? "" : " of model '" + model + "'") + " at " + address;
  }
}
