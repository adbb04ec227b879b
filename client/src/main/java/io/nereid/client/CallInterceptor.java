package io.nereid.client;

/**
 * Sees every attempt of every call of a client, over any transport: inferences, streams, and all
 * that {@link ServerAdmin}, {@link ModelAdmin} and {@link RegionAdmin} ask. Given to {@link
 * ClientBuilder#interceptor}.
 *
 * <pre>{@code
 * NereidClient.builder(address)
 *     .interceptor(call -> call.header("authorization", "Bearer " + tokens.current()))
 *     .open();
 * }</pre>
 *
 * <p>Interceptors are called in the order in which the builder got them, and their {@linkplain
 * OutgoingCall#onEnd ends} in the reverse one. A call that is sent again is seen again. The first
 * attempt is seen by the thread that makes the call; a further one by the same thread if that waits
 * for the result, else by a thread that the JVM shares. The time that an interceptor takes is part
 * of the call's time.
 */
@FunctionalInterface
public interface CallInterceptor {
  /**
   * Called before an attempt is sent, by many threads at once.
   *
   * @throws RuntimeException refuses the call: nothing is sent, nor sent again. The caller gets a
   *     {@link NereidException} of UNAVAILABLE with this exception as its cause; a {@code
   *     NereidException} as it is
   */
  void intercept(OutgoingCall call);
}
