package io.nereid.java.backend;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.java.Calls;
import io.nereid.java.Request;
import io.nereid.java.Response;
import io.nereid.request.InferenceRequest;
import io.nereid.request.RequestOptions;
import io.nereid.spi.DetachedRequest;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Optional;

/** A request that is answered later than its execution returns, as the model sees it. */
final class LaterRequest implements Request {
  private final ModelConfig config;
  private final DetachedRequest detached;
  private final InferenceRequest request;

  LaterRequest(ModelConfig config, DetachedRequest detached) {
    this.config = config;
    this.detached = detached;
    this.request = detached.request();
  }

  /** Calls on behalf of it. */
  Calls calls(Runnable onCall) {
    return new Calls(new AnnouncedCalls(detached.calls(), onCall));
  }

  /** Answers and ends it. */
  void answer(Response response, ReturnedOutputs returned) {
    returned.failure(response).or(() -> collect(response)).ifPresentOrElse(this::fail, this::send);
  }

  /** Collects the response; returns why it cannot be sent. */
  private Optional<InferenceException> collect(Response response) {
    try {
      response.parameters().forEach(detached::parameter);
      for (Tensor output : response.outputs()) {
        if (detached.wants(output.name())) {
          MemorySegment target =
              detached.allocate(
                  output.name(), output.dataType(), output.shape(), output.byteSize());
          MemorySegment.copy(output.data(), 0, target, 0, output.byteSize());
        }
      }
      return Optional.empty();
    } catch (InferenceException failure) {
      return Optional.of(failure);
    } catch (Throwable unreadable) { // such as memory that the model has closed
      return Optional.of(
          InferenceException.internal(
              "model '%s': an output cannot be read: %s".formatted(config.name(), unreadable)));
    }
  }

  private void send() {
    detached.send();
    if (config.decoupled()) {
      detached.finish();
    }
  }

  /** Fails and ends it. */
  void fail(InferenceException failure) {
    detached.fail(failure);
  }

  @Override
  public String id() {
    return request.id();
  }

  @Override
  public RequestOptions options() {
    return request.options();
  }

  @Override
  public long rows() {
    return request.rows(config);
  }

  @Override
  public Optional<Tensor> find(String name) {
    return detached.input(name);
  }

  @Override
  public Tensor input(String name) {
    return find(name).orElseThrow(() -> MissingInput.of(config, name));
  }

  @Override
  public boolean wants(String output) {
    return detached.wants(output);
  }

  @Override
  public boolean isCancelled() {
    return detached.isCancelled();
  }

  @Override
  public Optional<Duration> remaining() {
    return detached.remaining();
  }
}
