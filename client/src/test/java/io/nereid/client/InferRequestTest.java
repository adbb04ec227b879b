package io.nereid.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Requests as they are built. */
class InferRequestTest {
  private static final Tensor ONE = Tensor.of(new int[] {1});

  @Test
  void aBuilderThatGoesOnDoesNotChangeWhatItHasBuilt() {
    InferRequest.Builder builder = InferRequest.to("m").input("A", ONE);
    InferRequest first = builder.build();

    InferRequest second =
        builder
            .input("B", ONE)
            .outputs("OUT")
            .parameter("x", 1)
            .priority(2)
            .queueTimeout(Duration.ofMillis(1))
            .header("h", "v")
            .id("7")
            .build();
    InferRequest third = builder.input("C", ONE).build();

    assertThat(first.inputs().keySet()).containsExactly("A");
    assertThat(first.outputs()).isEmpty();
    assertThat(first.parameters()).isEmpty();
    assertThat(first.headers()).isEmpty();
    assertThat(first.id()).isEmpty();
    assertThat(second.inputs().keySet()).containsExactly("A", "B");
    assertThat(second.outputs()).hasSize(1);
    assertThat(second.parameters()).containsOnlyKeys("x", "priority", "timeout");
    assertThat(second.headers()).containsExactly(Map.entry("h", "v"));
    assertThat(third.inputs().keySet()).containsExactly("A", "B", "C");
    assertThat(third.id()).isEqualTo("7");
  }

  @Test
  void eachChangeOfABuilderLeavesWhatItHasBuilt() {
    InferRequest.Builder builder = InferRequest.to("m");
    InferRequest built = builder.build();
    builder.parameter("x", "y").build();
    builder.priority(1).build();
    builder.queueTimeout(Duration.ofMillis(1)).build();
    builder.header("h", "v").build();
    builder.outputs("OUT").build();
    builder.input("A", ONE).build();

    assertThat(built.inputs()).isEmpty();
    assertThat(built.outputs()).isEmpty();
    assertThat(built.parameters()).isEmpty();
    assertThat(built.headers()).isEmpty();
  }

  @Test
  void theRequestOfASequenceLeavesTheOneItIsMadeOf() {
    InferRequest request = InferRequest.to("m").parameter("x", 1).build();

    InferRequest first = request.withSequence(Map.of("sequence_id", 1L), Map.of("h", "v"));
    InferRequest second = request.withSequence(Map.of("sequence_id", 2L), Map.of());

    assertThat(request.parameters()).containsOnlyKeys("x");
    assertThat(request.headers()).isEmpty();
    assertThat(first.parameters()).containsEntry("sequence_id", 1L).containsEntry("x", 1L);
    assertThat(second.parameters()).containsEntry("sequence_id", 2L);
    assertThat(second.headers()).isEmpty();
  }

  @Test
  void whatIsGivenTwiceIsRefused() {
    InferRequest.Builder builder = InferRequest.to("m").input("A", ONE).outputs("OUT");
    builder.build();

    assertThatThrownBy(() -> builder.input("A", ONE)).hasMessageContaining("'A' is given twice");
    assertThatThrownBy(() -> builder.outputs("OUT")).hasMessageContaining("'OUT' is asked for");
  }

  @Test
  void aRequestHasAModel() {
    assertThatThrownBy(() -> InferRequest.to(absent()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the name of a model is not empty and has no '/': 'null'");
  }

  /** As Kotlin and Java without a checker give it. */
  @SuppressWarnings("NullAway")
  private static String absent() {
    return null;
  }
}
