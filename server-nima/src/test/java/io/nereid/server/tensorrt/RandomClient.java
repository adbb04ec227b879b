package io.nereid.server.tensorrt;

import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.error.InferenceException;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One client of a model that adds and subtracts: requests of random shapes, some of which it
 * cancels. It has several requests in flight, so that batches form, and holds some responses for a
 * while. Used by one thread.
 */
final class RandomClient {
  private static final int MAX_IN_FLIGHT = 12;
  private static final int MAX_HELD = 6;

  /** The counts of the outcomes. */
  static final class Outcomes {
    private long succeeded;
    private long cancelled;
    private long rejected;
    private long failed;

    void add(Outcomes more) {
      succeeded += more.succeeded;
      cancelled += more.cancelled;
      rejected += more.rejected;
      failed += more.failed;
    }

    long succeeded() {
      return succeeded;
    }

    long all() {
      return succeeded + cancelled + rejected + failed;
    }

    @Override
    public String toString() {
      return "%d succeeded, %d cancelled, %d of shapes out of range, %d failed by a fault"
          .formatted(succeeded, cancelled, rejected, failed);
    }
  }

  private static final class Request {
    final float[] left;
    final float[] right;
    final Shape shape;
    final boolean valid;
    final boolean cancelled;
    final Answer answer;

    Request(
        float[] left, float[] right, Shape shape, boolean valid, boolean cancelled, Answer answer) {
      this.left = left;
      this.right = right;
      this.shape = shape;
      this.valid = valid;
      this.cancelled = cancelled;
      this.answer = answer;
    }
  }

  private record Held(Request request, InferenceResponse response) {}

  private final EmbeddedServer server;
  private final LoadedModel model;

  private final SplittableRandom random;
  private final Predicate<InferenceException> isFault;
  private final Deque<Request> inFlight = new ArrayDeque<>();
  private final Deque<Held> held = new ArrayDeque<>();
  private final Outcomes outcomes = new Outcomes();

  /**
   * @param isFault whether a failure is one that follows from an injected fault
   */
  RandomClient(
      EmbeddedServer server,
      LoadedModel model,
      SplittableRandom random,
      Predicate<InferenceException> isFault) {
    this.server = server;
    this.model = model;

    this.random = random;
    this.isFault = isFault;
  }

  /** Sends so many requests, and waits for all outcomes. */
  Outcomes run(int requests) {
    for (int i = 0; i < requests; i++) {
      send();
      while (inFlight.size() > random.nextInt(MAX_IN_FLIGHT)) {
        takeOutcome();
      }
    }
    while (!inFlight.isEmpty()) {
      takeOutcome();
    }
    while (!held.isEmpty()) {
      verifyHeld();
    }
    return outcomes;
  }

  private void send() {
    boolean valid = random.nextInt(50) > 0;
    Shape shape = valid ? RoundModel.valid(random) : RoundModel.invalid(random);
    int count = Math.toIntExact(shape.elementCount());
    float[] left = values(count);
    float[] right = values(count);
    Answer answer =
        server.submit(
            model,
            List.of(
                new Tensor("INPUT0", DataType.FP32, shape, MemorySegment.ofArray(left)),
                new Tensor("INPUT1", DataType.FP32, shape, MemorySegment.ofArray(right))));
    boolean cancelled = random.nextInt(10) == 0;
    inFlight.add(new Request(left, right, shape, valid, cancelled, answer));
    if (cancelled) {
      for (int spin = random.nextInt(2_000); spin > 0; spin--) {
        Thread.onSpinWait();
      }
      answer.cancel();
    }
  }

  private float[] values(int count) {
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = random.nextInt(1 << 20);
    }
    return values;
  }

  private void takeOutcome() {
    Request request = inFlight.remove();
    Answer answer = request.answer.await();
    InferenceException failure = answer.failure();
    if (failure == null) {
      held.add(new Held(request, Objects.requireNonNull(answer.response())));
      while (held.size() > random.nextInt(MAX_HELD)) {
        verifyHeld();
      }
    } else {
      verify(request, failure);
    }
    require(answer.outcomes() == 1, "answered %d times: %s", answer.outcomes(), request.shape);
  }

  private void verify(Request request, InferenceException failure) {
    if (!request.valid && String.valueOf(failure.getMessage()).contains("invalid shape")) {
      outcomes.rejected++;
      return;
    }
    switch (failure.code()) {
      case CANCELLED -> {
        require(request.cancelled, "cancelled without a reason: %s", request.shape);
        outcomes.cancelled++;
      }
      case INTERNAL, UNAVAILABLE, RESOURCE_EXHAUSTED -> {
        require(isFault.test(failure), "failed without a fault: %s", failure);
        outcomes.failed++;
      }
      case UNKNOWN, INVALID_ARGUMENT, NOT_FOUND, UNSUPPORTED, ALREADY_EXISTS, DEADLINE_EXCEEDED ->
          throw new AssertionError("a failure of " + request.shape, failure);
    }
  }

  private void verifyHeld() {
    Held first = held.remove();
    Request request = first.request;
    try (InferenceResponse response = first.response) {
      require(request.valid, "a response to a shape out of range: %s", request.shape);
      Tensor sum = response.output("OUTPUT0").orElseThrow();
      Tensor difference = response.output("OUTPUT1").orElseThrow();
      require(sum.shape().equals(request.shape), "%s, not %s", sum.shape(), request.shape);
      require(difference.shape().equals(request.shape), "%s", difference.shape());
      for (int i = 0; i < request.left.length; i++) {
        float left = request.left[i];
        float right = request.right[i];
        require(at(sum, i) == left + right, "element %d of %s: sum", i, request.shape);
        require(at(difference, i) == left - right, "element %d of %s", i, request.shape);
      }
      outcomes.succeeded++;
    }
  }

  /** Whether a failure says what has failed. */
  static boolean names(InferenceException failure) {
    String message = String.valueOf(failure.getMessage());
    return message.contains("cuda")
        || message.contains("Cuda Runtime")
        || message.contains("TensorRT")
        || message.contains("planted");
  }

  private static float at(Tensor tensor, int index) {
    return tensor.data().get(Elements.FLOAT, (long) index * Float.BYTES);
  }

  private static void require(boolean holds, String violation, @Nullable Object... arguments) {
    if (!holds) { // AssertJ would dominate the time
      throw new AssertionError(violation.formatted(arguments));
    }
  }
}
