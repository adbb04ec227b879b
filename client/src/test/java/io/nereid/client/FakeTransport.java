package io.nereid.client;

import java.util.concurrent.CompletionException;
import java.util.concurrent.Flow;
import java.util.function.Function;

/** A transport whose inferences are what a test says. */
record FakeTransport(Function<InferRequest, Call<InferResponse>> answers)
    implements ClientTransport {
  @Override
  public InferResponse infer(InferRequest request, CallContext context) {
    try {
      return answers.apply(request).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof NereidException failure ? failure : e;
    }
  }

  @Override
  public Call<InferResponse> inferAsync(InferRequest request, CallContext context) {
    return answers.apply(request);
  }

  @Override
  public Flow.Publisher<InferResponse> stream(InferRequest request, CallContext context) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Call<Generated> generate(GenerateRequest request, CallContext context) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Flow.Publisher<Generated> generateStream(GenerateRequest request, CallContext context) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Management management() {
    throw new UnsupportedOperationException();
  }

  @Override
  public String address() {
    return "fake://server";
  }

  @Override
  public void close() {}
}
