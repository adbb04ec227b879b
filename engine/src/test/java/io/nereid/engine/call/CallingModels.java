package io.nereid.engine.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.Engine;
import io.nereid.engine.EngineBuilder;
import io.nereid.engine.EngineParts;
import io.nereid.engine.ModelRequest;
import io.nereid.engine.ModelResponse;
import io.nereid.engine.call.ScriptedBackend.Script;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.Batch;
import io.nereid.spi.CallResponse;
import io.nereid.spi.DetachedRequest;
import io.nereid.spi.ModelCall;
import io.nereid.spi.Results;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * An engine with models that call each other. Each has an input IN and an output OUT of INT32, one
 * instance, and does what its script says.
 */
abstract class CallingModels {
  @TempDir Path repository;

  final CheckedBufferPool pool = new CheckedBufferPool();
  private @Nullable EngineParts parts;
  private @Nullable Engine engine;

  /** Adds a model. */
  void model(String name, String calls, String more, Script script) {
    model(name, "[ -1 ]", calls, more, script);
  }

  void model(String name, String dims, String calls, String more, Script script) {
    String parameters =
        calls.isEmpty()
            ? ""
            : "parameters { key: \"calls\" value { string_value: \"%s\" } }".formatted(calls);
    String instances =
        more.contains("instance_group") ? "" : "instance_group { count: 1 kind: KIND_CPU }";
    ModelOnDisk.of(
        repository,
        name,
        """
        backend: "scripted"
        input { name: "IN" data_type: TYPE_INT32 dims: %s }
        output { name: "OUT" data_type: TYPE_INT32 dims: %s }
        %s
        %s
        %s
        """
            .formatted(dims, dims, instances, parameters, more));
    ScriptedBackend.script(name, script);
  }

  void model(String name, String calls, Script script) {
    model(name, calls, "", script);
  }

  /** Adds an ensemble of one step. */
  void ensemble(String name, String step) {
    ModelOnDisk.of(
        repository,
        name,
        """
        platform: "ensemble"
        input { name: "IN" data_type: TYPE_INT32 dims: [ -1 ] }
        output { name: "OUT" data_type: TYPE_INT32 dims: [ -1 ] }
        ensemble_scheduling { step { model_name: "%s" model_version: -1
          input_map { key: "IN" value: "IN" } output_map { key: "OUT" value: "OUT" } } }
        """
            .formatted(step));
  }

  void open() throws IOException {
    open(Engine.builder());
  }

  void open(EngineBuilder builder) throws IOException {
    builder.repository(repository);
    var opened = new EngineParts(builder.settings(), pool, () -> true);
    parts = opened;
    assertThat(opened.load()).as(opened.models().index(false).toString()).isTrue();
    opened.serve();
    engine = Engine.of(opened);
  }

  Engine engine() {
    return Objects.requireNonNull(engine, "open() was not called");
  }

  /** Stops the engine, unless it is stopped. */
  void stop() {
    EngineParts opened = parts;
    if (opened != null && opened.beginStop()) {
      var _ = opened.finishSequences(System.nanoTime() + 5_000_000_000L);
      opened.close();
    }
  }

  @AfterEach
  void close() {
    stop();
    ScriptedBackend.clear();
    assertThat(pool.outstanding()).as("leases that were not released").isZero();
  }

  static ModelRequest request(String model, int... values) {
    return ModelRequest.to(model).id("r").input("IN", Shape.of(values.length), values).build();
  }

  int[] infer(String model, int... values) {
    try (ModelResponse response = engine().infer(request(model, values))) {
      return response.ints("OUT");
    }
  }

  /** Waits until the health of instances is known, which readiness waits for a moment only. */
  void awaitNotReady(String model) {
    while (engine().isReady(model)) { // until the test's timeout
      Thread.onSpinWait();
    }
  }

  static void assertFails(StatusCode code, String message, ThrowingCallable call) {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(call)
        .withMessageContaining(message)
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(code));
  }

  /** A call of a model with the input of a request. */
  static ModelCall.Builder call(String model, Batch batch) {
    return ModelCall.to(model).input("IN", input(batch));
  }

  static Tensor input(Batch batch) {
    return batch.input(0, "IN").orElseThrow();
  }

  /** Answers with an output of a called model, without a copy. */
  static void pass(CallResponse response, Results results) {
    results.give(0, response.output("OUT"), response.keep());
  }

  /** Answers with the input and a number added to each element. */
  static Script adding(int number) {
    return (batch, results) -> {
      for (int i = 0; i < batch.size(); i++) {
        Tensor input = batch.input(i, "IN").orElseThrow();
        var out = results.allocate(i, "OUT", DataType.INT32, input.shape(), input.byteSize());
        for (long at = 0; at < input.byteSize(); at += Integer.BYTES) {
          out.set(Elements.INT, at, input.data().get(Elements.INT, at) + number);
        }
      }
    };
  }

  /** What answers a request that is detached. */
  @FunctionalInterface
  interface Answer {
    /** Answers, or throws what the request fails with. */
    void answer(DetachedRequest request) throws Exception;
  }

  /** Detaches each request, which a thread of its own answers. */
  static Script later(Answer answer) {
    return (batch, results) -> {
      for (int i = 0; i < batch.size(); i++) {
        DetachedRequest request = results.detach(i);
        Thread.ofVirtual().start(() -> answer(request, answer));
      }
    };
  }

  private static void answer(DetachedRequest request, Answer answer) {
    try {
      answer.answer(request);
    } catch (InferenceException failed) {
      request.fail(failed);
    } catch (Throwable wrong) { // an assertion too: the client sees it
      request.fail(InferenceException.internal(wrong.toString()));
    }
  }

  /** A call of a model with the input of a detached request. */
  static ModelCall call(String model, DetachedRequest request) {
    return ModelCall.to(model).input("IN", request.input("IN").orElseThrow()).build();
  }

  /** Calls a model with the input of a detached request, and answers with its output. */
  static Answer answeringFrom(String model) {
    return request -> {
      CallResponse response = request.calls().infer(call(model, request));
      request.give(response.output("OUT"), response.keep());
      request.send();
    };
  }

  /** Calls a model with the input, and answers with its output. */
  static Script passingTo(String model) {
    return (batch, results) -> pass(batch.calls(0).infer(call(model, batch).build()), results);
  }
}
