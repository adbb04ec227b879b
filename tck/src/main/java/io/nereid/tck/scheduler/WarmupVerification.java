package io.nereid.tck.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.nereid.config.InstanceSettings;
import io.nereid.error.InferenceException;
import io.nereid.request.SequenceId;
import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import io.nereid.tck.gate.ExecutedRequest;
import io.nereid.tck.gate.Execution;
import io.nereid.tck.gate.Gate;
import io.nereid.tck.gate.Reply;
import io.nereid.tck.support.Tensors;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.provider.ValueSource;

/** What instances execute before their model is ready. */
public abstract class WarmupVerification extends SchedulerVerification {
  private static final String NO_ID = "[request id: <id_unknown>] ";

  private static final String ZEROS = input("IN0", "FP32", "dims: [ 16 ] zero_data: true");

  private static final String STRINGS =
      """
      input { name: "IN0" data_type: TYPE_STRING dims: [ 2 ] }
      output { name: "OUT0" data_type: TYPE_STRING dims: [ 2 ] }
      """;

  private static String input(String name, String type, String rest) {
    return "inputs { key: \"%s\" value { data_type: TYPE_%s %s } }\n".formatted(name, type, rest);
  }

  private static String sample(String name, int batchSize, int count, String inputs) {
    return "model_warmup { name: \"%s\" batch_size: %d count: %d\n%s}\n"
        .formatted(name, batchSize, count, inputs);
  }

  private static byte[] floats(float... values) {
    var bytes = ByteBuffer.allocate(values.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (float value : values) {
      bytes.putFloat(value);
    }
    return bytes.array();
  }

  /** Loads a model that does not stop at its gate. */
  private GatedModel loadOpen(String config) {
    return loadOpen(config, Map.of());
  }

  private GatedModel loadOpen(String config, Map<String, byte[]> files) {
    String name = freshName();
    Gate.of(name).openAll();
    return load(name, 8, config, files);
  }

  private static Tensor onlyInput(GatedModel model) {
    assertThat(model.executions()).hasSize(1);
    var inputs = model.executions().getFirst().requests().getFirst().inputs();
    return Objects.requireNonNull(inputs.get("IN0"));
  }

  @Rule("SCHED-50")
  void executesEachSampleOnEachInstanceBeforeTheModelIsReady() throws Exception {
    String name = freshName();
    Gate gate = Gate.of(name);
    String config = TWO_INSTANCES + sample("s", 2, 2, ZEROS) + sample("t", 1, 0, ZEROS);
    var loading = CompletableFuture.supplyAsync(() -> load(name, 8, config));
    gate.awaitBegun(2);
    for (int i = 0; i < 4; i++) {
      gate.open(1);
      gate.awaitEnded(i + 1);
      assertThat(loading).isNotDone();
    }

    gate.open(2);
    var model = loading.get(60, TimeUnit.SECONDS);

    assertThat(model.executions()).hasSize(6);
    for (InstanceSettings instance : gate.instances()) {
      assertThat(model.executions())
          .filteredOn(execution -> execution.instance().equals(instance.name()))
          .extracting(Execution::rows, execution -> execution.requests().size())
          .containsExactly(tuple(2L, 2), tuple(2L, 2), tuple(1L, 1));
    }
    gate.openAll();
    model.assertEchoed(List.of(model.submit("r")));
  }

  @Rule("SCHED-50")
  void skipsASampleOfBatchSizeZero() {
    var model = loadOpen(sample("s", 0, 1, input("IN0", "FP32", "dims: [ -1 ]")));

    assertThat(model.executions()).isEmpty();
  }

  @Rule("SCHED-13")
  void executesNoSampleOnAPassiveInstance() {
    var model =
        loadOpen(
            ONE_INSTANCE
                + "instance_group { name: \"idle\" kind: KIND_CPU count: 1 passive: true }\n"
                + sample("s", 1, 1, ZEROS));

    assertThat(model.executions()).hasSize(1);
    assertThat(model.executions().getFirst().instance()).doesNotStartWith("idle");
  }

  @Rule("SCHED-WARM-01")
  void givesZeros() {
    Tensor input = onlyInput(loadOpen(sample("s", 1, 1, ZEROS)));

    assertThat(input.shape()).isEqualTo(Shape.of(1, 16));
    assertThat(input.data().toArray(Elements.BYTE)).isEqualTo(new byte[64]);
  }

  @Rule("SCHED-WARM-01")
  void givesRandomBytes() {
    String random = input("IN0", "FP32", "dims: [ 16 ] random_data: true");
    Tensor input = onlyInput(loadOpen(sample("s", 1, 1, random)));

    assertThat(input.data().toArray(Elements.BYTE)).hasSize(64).isNotEqualTo(new byte[64]);
  }

  @Rule("SCHED-WARM-01")
  void givesEmptyStringsInPlaceOfRandomOnes() {
    String random = input("IN0", "STRING", "dims: [ 2 ] random_data: true");
    Tensor input = onlyInput(loadOpen(STRINGS + sample("s", 1, 1, random)));

    assertThat(input.data().toArray(Elements.BYTE)).isEqualTo(new byte[8]);
  }

  @Rule("SCHED-WARM-01")
  void givesTheFirstBytesOfAFile() {
    byte[] content = floats(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17);
    String file = input("IN0", "FP32", "dims: [ 16 ] input_data_file: \"numbers\"");
    Tensor input = onlyInput(loadOpen(sample("s", 1, 1, file), Map.of("warmup/numbers", content)));

    assertThat(input.data().byteSize()).isEqualTo(64);
    assertThat(input.data().get(Elements.FLOAT, 0)).isEqualTo(1);
    assertThat(input.data().get(Elements.FLOAT, 60)).isEqualTo(16);
  }

  @Rule("SCHED-WARM-01")
  void givesTheStringsOfAFile() {
    byte[] content = {1, 0, 0, 0, 'a', 2, 0, 0, 0, 'b', 'c'};
    String file = input("IN0", "STRING", "dims: [ 2 ] input_data_file: \"words\"");
    Tensor input =
        onlyInput(loadOpen(STRINGS + sample("s", 1, 1, file), Map.of("warmup/words", content)));

    assertThat(input.data().toArray(Elements.BYTE)).isEqualTo(content);
  }

  private void assertRejected(String config, String message) {
    assertRejected(config, Map.of(), message);
  }

  private void assertRejected(String config, Map<String, byte[]> files, String message) {
    assertInvalid(() -> loadOpen(config, files)).hasMessage(message);
  }

  @Rule("SCHED-WARM-02")
  void failsWithTheErrorsOfAllRequestsAndSkipsTheOtherSamples() {
    String name = freshName();
    Gate gate = Gate.of(name);
    gate.openAll();
    gate.reply("", Reply.failure(InferenceException.unavailable("as it was told")));
    String config = sample("s", 2, 3, ZEROS) + sample("t", 1, 1, ZEROS);

    assertInvalid(() -> load(name, 8, config))
        .hasMessage("failed to run warmup sample 's': as it was told; as it was told; ");
    assertThat(gate.executions()).hasSize(1);

    gate.reply("", Reply.ECHO);
    var model = load(name, 8, config);
    model.assertEchoed(List.of(model.submit("r")));
  }

  @Rule("SCHED-WARM-03")
  void rejectsASampleThatIsNotComplete() {
    assertRejected(
        sample("s", 1, 1, input("IN0", "FP32", "dims: [ -1 ] zero_data: true")),
        "warmup setting expects all variable-size dimensions are specified for input 'IN0'");
    assertRejected(
        sample("s", 1, 1, input("IN0", "FP32", "dims: [ 16 ]")),
        NO_ID + "warmup setting expects input 'IN0' to have input_data_type set");
    assertRejected(
        sample("s", 1, 1, input("IN0", "FP32", "dims: [ 16 ] input_data_file: \"short\"")),
        Map.of("warmup/short", new byte[63]),
        NO_ID
            + "warmup setting expects 64 bytes, but the data provided from shortonly has 63 bytes");
  }

  @RuleCases("SCHED-WARM-04")
  @ValueSource(ints = {0, 1, 3})
  void waitsForTheLastResponseOfADecoupledModel(int responses) throws Exception {
    String name = freshName();
    Gate gate = Gate.of(name);
    gate.reply("", Reply.responses(responses).thenHeld());
    String config = DECOUPLED + sample("s", 1, 1, ZEROS);
    var loading = CompletableFuture.supplyAsync(() -> load(name, 8, config));
    gate.open(1);
    gate.awaitBegun(1);
    assertThat(loading).isNotDone();

    gate.release("");
    var model = loading.get(60, TimeUnit.SECONDS);

    assertThat(model.statistics().success()).isEqualTo(1);
  }

  @Rule("SCHED-WARM-05")
  void countsItsExecutions() {
    var model = loadOpen(sample("s", 2, 3, ZEROS));

    Statistics statistics = model.statistics();
    assertThat(statistics.success()).isEqualTo(6);
    assertThat(statistics.failed()).isZero();
    assertThat(statistics.inferenceCount()).isEqualTo(6);
    assertThat(statistics.executionCount()).isEqualTo(3);
    assertThat(statistics.batches()).isEqualTo(Map.of(2L, 3L));
  }

  @Rule("SCHED-WARM-06")
  void passesControlsThatASampleContains() {
    byte[] yes = {1, 0, 0, 0};
    var model =
        loadOpen(
            """
            sequence_batching { direct { }
              control_input { name: "GO"
                control { kind: CONTROL_SEQUENCE_READY int32_false_true: [ 0, 1 ] } }
              control_input { name: "STOP"
                control { kind: CONTROL_SEQUENCE_END int32_false_true: [ 0, 1 ] } } }
            """
                + sample(
                    "s",
                    2,
                    1,
                    ZEROS
                        + input("GO", "INT32", "dims: [ 1 ] input_data_file: \"yes\"")
                        + input("STOP", "INT32", "dims: [ 1 ] zero_data: true")),
            Map.of("warmup/yes", yes));

    assertThat(model.executions()).hasSize(1);
    assertThat(model.executions().getFirst().requests())
        .hasSize(2)
        .extracting(ExecutedRequest::controls)
        .allSatisfy(controls -> {
          assertThat(controls.orElseThrow().ready()).isTrue();
          assertThat(controls.orElseThrow().end()).isFalse();
        });
  }

  @Rule("SCHED-WARM-07")
  void leavesNoStateToASequence() {
    var model =
        loadOpen(
            """
            parameters { key: "gate_accumulate" value { string_value: "true" } }
            sequence_batching { direct { }
              state { input_name: "SUM_IN" output_name: "SUM_OUT" data_type: TYPE_FP32 dims: [ 16 ] } }
            """
                + sample("s", 1, 3, input("IN0", "FP32", "dims: [ 16 ] input_data_file: \"ones\"")),
            Map.of("warmup/ones", floats(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)));
    assertThat(model.executions())
        .hasSize(3)
        .allSatisfy(
            execution -> assertThat(state(execution).data().get(Elements.FLOAT, 0)).isEqualTo(0));

    var first = TestRequest.of("r", TestRequest.fp32("IN0", 7, 1, 16));
    var answer = model.submit(first.inSequence(new SequenceId.OfNumber(1), true, true)).await();

    Tensor output = Tensors.named(answer.responses().getFirst(), "OUT0");
    assertThat(output.data().get(Elements.FLOAT, 0)).isEqualTo(7);
  }

  private static Tensor state(Execution execution) {
    return Objects.requireNonNull(execution.requests().getFirst().states().get("SUM_IN"));
  }
}
