package io.nereid.engine.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.Engine;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.OwnCalls;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Parts of a model: models that it loads for itself and calls. */
@Timeout(120)
class PartsTest extends CallingModels {
  private final AtomicReference<@Nullable OwnCalls> own = new AtomicReference<>();
  private final AtomicInteger loads = new AtomicInteger();

  private static ModelConfig part(String name) {
    return ModelConfig.of(name, "scripted")
        .withSignature(
            0,
            List.of(TensorConfig.of("IN", DataType.INT32, Shape.of(-1))),
            List.of(TensorConfig.of("OUT", DataType.INT32, Shape.of(-1))));
  }

  /** A model that passes its input to a part of it, which adds one. */
  private void modelWithPart(String more) {
    model("outer", "", more, passingTo("outer/inner"));
    ScriptedBackend.script("outer/inner", adding(1));
    ScriptedBackend.onLoad(
        "outer",
        calls -> {
          own.set(calls);
          loads.incrementAndGet();
          assertThat(calls.loadPart(part("inner")).name()).isEqualTo("outer/inner");
        });
  }

  @Test
  void aModelCallsItsPart() throws IOException {
    modelWithPart("");

    open();

    assertThat(infer("outer", 1, 2)).containsExactly(2, 3);
  }

  @Test
  void noClientAndNoOtherModelFindsAPart() throws IOException {
    modelWithPart("");
    model("other", "", passingTo("outer/inner"));
    open();

    assertFails(StatusCode.NOT_FOUND, "outer/inner", () -> infer("outer/inner", 1));
    assertFails(
        StatusCode.INTERNAL,
        "model 'other' calls model 'outer/inner', which its configuration does not name",
        () -> infer("other", 1));
  }

  @Test
  void aModelIsReadyWhileItsPartIsHealthy() throws IOException {
    modelWithPart("");
    open();
    assertThat(engine().isReady("outer")).isTrue();

    ScriptedBackend.setHealthy("outer/inner", false);

    awaitNotReady("outer");
  }

  @Test
  void aModelWhosePartHasFailedForGoodLoadsAgain() throws IOException {
    modelWithPart("");
    open(Engine.builder().startWith("*"));
    ScriptedBackend.script(
        "outer/inner",
        (_, _) -> {
          ScriptedBackend.setHealthy("outer/inner", false);
          throw InferenceException.internal("the device is lost");
        });
    assertFails(StatusCode.INTERNAL, "the device is lost", () -> infer("outer", 1));
    ScriptedBackend.setHealthy("outer/inner", true);
    assertFails(StatusCode.UNAVAILABLE, "", () -> infer("outer", 1));

    ScriptedBackend.script("outer/inner", adding(5));
    engine().load("outer");

    assertThat(infer("outer", 1)).containsExactly(6);
  }

  @Test
  void aModelDoesNotLoadIfItsPartDoesNot() {
    model("outer", "", passingTo("outer/inner"));
    ScriptedBackend.onLoad("outer", calls -> calls.loadPart(part("inner")));
    ScriptedBackend.onLoad(
        "outer/inner",
        _ -> {
          throw InferenceException.invalid("no such graph");
        });

    assertThat(catchThrowable(this::open)).hasMessageContaining("no such graph");
  }

  @Test
  void aPartHasTheInstancesOfItsModelAndFollowsThem() throws Exception {
    modelWithPart("instance_group { count: 2 kind: KIND_CPU }");
    var both = new CountDownLatch(2);
    ScriptedBackend.script(
        "outer/inner",
        (batch, results) -> {
          both.countDown();
          both.await(); // the other instance's execution
          adding(1).execute(batch, results);
        });
    open(Engine.builder().startWith("*"));

    var one = engine().inferAsync(request("outer", 1));
    var other = engine().inferAsync(request("outer", 1));
    one.join().close();
    other.join().close();
    modelWithPart("instance_group { count: 3 kind: KIND_CPU }");
    engine().load("outer");

    assertThat(loads).hasValue(2);
  }

  @Test
  void aPartIsLoadedOnceAndDuringTheLoadOnly() throws IOException {
    modelWithPart("");
    ScriptedBackend.onLoad(
        "outer",
        calls -> {
          own.set(calls);
          calls.loadPart(part("inner"));
          assertThatIllegalStateException()
              .isThrownBy(() -> calls.loadPart(part("inner")))
              .withMessageContaining("there is a part 'outer/inner' already");
        });
    open();

    assertThatIllegalStateException()
        .isThrownBy(() -> Objects.requireNonNull(own.get()).loadPart(part("later")))
        .withMessageContaining("part 'outer/later' is loaded by Backend.load only");
  }

  @Test
  void anUnloadedModelLeavesNoPart() throws IOException {
    modelWithPart("");
    open(Engine.builder().startWith("*"));
    assertThat(infer("outer", 1)).containsExactly(2);

    engine().unload("outer");

    assertThat(engine().isReady("outer")).isFalse();
    engine().load("outer");
    assertThat(infer("outer", 3)).containsExactly(4);
  }
}
