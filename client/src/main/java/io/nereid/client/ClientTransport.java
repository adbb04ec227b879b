package io.nereid.client;

import java.util.concurrent.Flow;

/**
 * How calls travel to one server. Called by any thread. Every call ends by its deadline, whatever
 * the server does, and every failure is a {@link NereidException}; a transport repeats nothing.
 */
public interface ClientTransport extends AutoCloseable {
  /** Sends a request and waits. An interrupt cancels the call. */
  InferResponse infer(InferRequest request, CallContext context);

  /** Sends a request. The call completes on a thread that may be blocked for a while. */
  Call<InferResponse> inferAsync(InferRequest request, CallContext context);

  /** The responses of a decoupled model. Sends the request when there is a subscriber, to each. */
  Flow.Publisher<InferResponse> stream(InferRequest request, CallContext context);

  /** One response of the generate extension. */
  Call<Generated> generate(GenerateRequest request, CallContext context);

  /** The responses of the generate extension, as {@link #stream}. */
  Flow.Publisher<Generated> generateStream(GenerateRequest request, CallContext context);

  /** All other calls. */
  Management management();

  /** Where the server is, such as {@code http://localhost:8000}. */
  String address();

  /** Ends all calls, with UNAVAILABLE, and closes all connections. */
  @Override
  void close();
}
