package io.nereid.engine.model.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.config.BatchInput;
import io.nereid.config.BatchOutput;
import io.nereid.config.BatchingSettings;
import io.nereid.config.CudaSettings;
import io.nereid.config.CudaSettings.GraphSpec;
import io.nereid.config.CudaSettings.Size;
import io.nereid.config.EnsembleSettings;
import io.nereid.config.InstanceSettings.Kind;
import io.nereid.config.ModelConfig;
import io.nereid.config.OptimizationSettings;
import io.nereid.config.OptimizationSettings.Accelerator;
import io.nereid.config.OptimizationSettings.Priority;
import io.nereid.config.QueuePolicy;
import io.nereid.config.TensorConfig;
import io.nereid.config.TensorConfig.Format;
import io.nereid.engine.model.config.conversion.ModelConfigJsonTest;
import io.nereid.engine.model.config.conversion.ModelConfigJsonWriter;
import io.nereid.engine.model.config.validation.ConfigLimits;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Completed configurations: message, record and instances. */
class ModelConfigCompletionTest extends CompletedConfigs {
  @Test
  void aBackendAddsParametersAndReplacesNone() {
    var completed =
        complete(
            "backend: 'b' parameters { key: 'own' value: { string_value: '1' } }" + IO,
            draft -> draft.toBuilder().parameters(Map.of("own", "2", "added", "3")).build());

    assertThat(completed.settings().parameters())
        .containsExactlyInAnyOrderEntriesOf(Map.of("own", "1", "added", "3"));
    assertThat(completed.message().getParametersOrThrow("added").getStringValue()).isEqualTo("3");
  }

  @Test
  void messageAndRecordContainWhatTheBackendCompletes() {
    var completed =
        complete(
            "backend: 'b'",
            draft ->
                draft
                    .withSignature(
                        4,
                        List.of(TensorConfig.of("i", DataType.BYTES, Shape.of(-1))),
                        List.of(TensorConfig.of("o", DataType.FP32, Shape.of(10))))
                    .withScheduling(BatchingSettings.of(List.of(), 0))
                    .withDecoupled(true));

    assertThat(ModelConfigJsonWriter.write(completed.message()))
        .contains("\"max_batch_size\":4")
        .contains("\"name\":\"i\",\"data_type\":\"TYPE_STRING\",\"format\":\"FORMAT_NONE\"")
        .contains("\"dims\":[-1]")
        .contains("\"dynamic_batching\":{\"preferred_batch_size\":[4]")
        .contains("\"decoupled\":true");
    assertThat(completed.settings().maxBatchSize()).isEqualTo(4);
    assertThat(completed.settings().decoupled()).isTrue();
    assertThat(completed.settings().scheduling()).isEqualTo(BatchingSettings.of(List.of(4), 0));
    assertThat(completed.settings().inputs())
        .containsExactly(TensorConfig.of("i", DataType.BYTES, Shape.of(-1)));
  }

  @Test
  void showsASimpleModelWithAllDefaults() throws IOException {
    var model =
        ModelOnDisk.named(repository, "simple")
            .withConfig(ModelConfigJsonTest.resource("simple.pbtxt"));

    var configuration = complete(model, UnaryOperator.identity());

    assertThat(ModelConfigJsonWriter.write(configuration.message()))
        .isEqualTo(ModelConfigJsonTest.resource("simple.json").strip());
  }

  @Test
  void theRecordContainsEveryFieldThatBackendsRead() {
    String text =
        "backend: 'b' platform: 'p' max_batch_size: 8 default_model_filename: 'f'"
            + " input { name: 'i' data_type: TYPE_FP32 dims: [ 3, 2, 2 ] reshape { shape: 12 }"
            + " optional: true allow_ragged_batch: true format: FORMAT_NCHW }"
            + " output { name: 'o' data_type: TYPE_BF16 dims: 1 label_filename: 'l' }"
            + " dynamic_batching { preferred_batch_size: [ 2, 4 ] max_queue_delay_microseconds: 7"
            + " preserve_ordering: true }"
            + " cc_model_filenames { key: '9.0' value: 'h' }"
            + " batch_input { kind: BATCH_ITEM_SHAPE target_name: [ 's', 't' ]"
            + " data_type: TYPE_INT32 source_input: 'i' }"
            + " batch_output { target_name: [ 'o' ] source_input: 'i' }"
            + " model_operations { op_library_filename: 'lib' }"
            + " parameters { key: 'k' value { string_value: 'v' } }"
            + " optimization { graph { level: 1 } execution_accelerators {"
            + " gpu_execution_accelerator { name: 'g' parameters { key: 'a' value: 'b' } }"
            + " cpu_execution_accelerator { name: 'c' } }"
            + " priority: PRIORITY_MAX input_pinned_memory { enable: false }"
            + " gather_kernel_buffer_threshold: 3000000000 eager_batching: true"
            + " cuda { graphs: true busy_wait_events: true output_copy_stream: true"
            + " graph_spec { batch_size: 8 input { key: 'i' value { dim: [ 3, 2, 2 ] } }"
            + " graph_lower_bound { batch_size: 4 input { key: 'i' value { dim: [ 1, 2, 2 ] } } } }"
            + " graph_spec { batch_size: 2 } } }";

    Shape dims = Shape.of(3, 2, 2);
    var reshape = Optional.of(Shape.of(12));
    var input =
        new TensorConfig(
            "i", DataType.FP32, dims, reshape, true, true, false, Format.FORMAT_NCHW, "");
    Optional<Shape> none = Optional.empty();
    var output =
        new TensorConfig(
            "o", DataType.BF16, Shape.of(1), none, false, false, false, Format.FORMAT_NONE, "l");

    ModelConfig settings = complete(text).settings();

    assertThat(settings.name()).isEqualTo("m");
    assertThat(settings.platform()).isEqualTo("p");
    assertThat(settings.backend()).isEqualTo("b");
    assertThat(settings.maxBatchSize()).isEqualTo(8);
    assertThat(settings.defaultModelFilename()).isEqualTo("f");
    assertThat(settings.inputs()).containsExactly(input);
    assertThat(settings.outputs()).containsExactly(output);
    assertThat(settings.scheduling())
        .isEqualTo(new BatchingSettings(List.of(2, 4), 7, true, 0, 0, QueuePolicy.NONE, Map.of()));
    assertThat(settings.batchInputs())
        .containsExactly(
            new BatchInput(
                BatchInput.Kind.BATCH_ITEM_SHAPE, List.of("s", "t"), DataType.INT32, "i"));
    assertThat(settings.batchOutputs()).containsExactly(new BatchOutput("o", "i"));
    assertThat(settings.computeCapabilityFilenames()).isEqualTo(Map.of("9.0", "h"));
    assertThat(settings.operationLibraries()).containsExactly("lib");
    assertThat(settings.parameters()).isEqualTo(Map.of("k", "v"));
    assertThat(settings.optimization())
        .isEqualTo(
            new OptimizationSettings(
                1,
                Priority.MAX,
                List.of(new Accelerator("g", Map.of("a", "b"))),
                List.of(new Accelerator("c", Map.of())),
                new CudaSettings(
                    true,
                    true,
                    List.of(
                        new GraphSpec(
                            new Size(8, Map.of("i", Shape.of(3, 2, 2))),
                            Optional.of(new Size(4, Map.of("i", Shape.of(1, 2, 2))))),
                        new GraphSpec(new Size(2, Map.of()), Optional.empty())),
                    true),
                false,
                true,
                3_000_000_000L,
                true));
  }

  @Test
  void keepsFieldsOfAnInputThatTheRecordDoesNotHave() {
    String text =
        "platform: 'tensorrt_plan' input { name: 'i' data_type: TYPE_FP32 dims: [ 3, 2, 2 ]"
            + " is_non_linear_format_io: true }"
            + " output { name: 'o' data_type: TYPE_FP32 dims: 1 label_filename: 'l' }";

    var completed =
        complete(
            text,
            draft ->
                draft.withSignature(
                    2,
                    List.of(
                        draft.inputs().getFirst(),
                        TensorConfig.of("new", DataType.BOOL, Shape.of(1))),
                    List.of(TensorConfig.of("other", DataType.INT8, Shape.of(2)))));

    assertThat(completed.message().getInput(0).getIsNonLinearFormatIo()).isTrue();
    assertThat(completed.message().getInput(1).getName()).isEqualTo("new");
    assertThat(completed.message().getOutputList()).hasSize(1);
    assertThat(completed.message().getOutput(0).getName()).isEqualTo("other");
  }

  @Test
  void validatesInputsAndOutputsAfterCompletion() {
    assertThatThrownBy(() ->
            complete(
                "backend: 'b'",
                draft ->
                    draft.withSignature(
                        0, List.of(TensorConfig.of("i", DataType.FP32, Shape.of())), List.of())))
        .hasMessage("model input 'i' must specify 'dims' for m (config.pbtxt, input[0].dims)");
    assertThatThrownBy(() -> complete("backend: 'b' input { name: 'i' }"))
        .hasMessageStartingWith("model input 'i' must specify 'data_type' for m");
    assertThatThrownBy(
            () -> complete("backend: 'b' dynamic_batching { preferred_batch_size: 1 }" + IO))
        .hasMessage(
            "dynamic batching preferred size must be <= max batch size for m"
                + " (config.pbtxt:1:33, dynamic_batching.preferred_batch_size[0])");
  }

  @Test
  void validatesBatchTensorsAndStatesBeforeCompletion() {
    assertThatThrownBy(
            () -> complete("backend: 'b' batch_input {}" + IO, ModelConfigCompletionTest::notAsked))
        .hasMessage(
            "batch input kind 'BATCH_ELEMENT_COUNT' expects 1 source input, got 0 for m"
                + " (config.pbtxt:1:14, batch_input[0].source_input)");
    assertThatThrownBy(() ->
            complete(
                "backend: 'b' sequence_batching { state { initial_state {} initial_state {} } }"
                    + IO,
                ModelConfigCompletionTest::notAsked))
        .hasMessageContaining("must contain exactly one or zero element. Found '2' elements.");
  }

  @Test
  void doesNotCallTheBackendWithoutAutomaticCompletion() {
    var model = ModelOnDisk.named(repository, "m").withConfig("backend: 'b'" + IO);
    var polled =
        new ModelConfigReader(new ConfigSettings(false, Optional.empty(), ConfigLimits.DEFAULT))
            .read(model.directory());

    var configuration =
        new ModelConfigCompletion(new ConfigSettings(false, Optional.empty(), ConfigLimits.DEFAULT))
            .complete(
                model.directory(),
                polled,
                ModelConfigCompletionTest::notAsked,
                kind -> 1,
                List.of());

    assertThat(configuration.settings().maxBatchSize()).isZero();
    assertThat(configuration.instances()).hasSize(1);
  }

  @Test
  void usesTheInstanceCountOfTheBackend() {
    var completed = complete("backend: 'onnxruntime'" + IO);

    assertThat(completed.instances())
        .extracting(instance -> instance.name() + " " + instance.kind())
        .containsExactly("m_0 " + Kind.KIND_CPU, "m_1 " + Kind.KIND_CPU);
    assertThat(ModelConfigJsonWriter.write(completed.message()))
        .contains(
            "\"instance_group\":[{\"name\":\"m\",\"kind\":\"KIND_CPU\",\"count\":2,\"gpus\":[],"
                + "\"secondary_devices\":[],\"profile\":[],\"passive\":false,\"host_policy\":\"\"}]");
  }

  @Test
  void leavesAnEnsembleWithoutBackendAndInstances() {
    String text =
        "platform: 'ensemble' ensemble_scheduling { step { model_name: 's' model_version: -1"
            + " input_map { key: 'x' value: 'i' } output_map { key: 'y' value: 'o' } } }"
            + IO;

    var completed = complete(text, ModelConfigCompletionTest::notAsked);

    assertThat(completed.settings().scheduling())
        .isEqualTo(
            new EnsembleSettings(
                List.of(
                    new EnsembleSettings.Step(
                        "s", OptionalLong.empty(), Map.of("x", "i"), Map.of("y", "o"))),
                0));
    assertThat(completed.instances()).isEmpty();
    assertThat(completed.message().getInstanceGroupList()).isEmpty();
    assertThat(completed.message().hasOptimization()).isFalse();
    assertThatThrownBy(() -> complete(text.replace("TYPE_FP32", "TYPE_INVALID")))
        .hasMessageStartingWith("model input 'i' must specify 'data_type' for m");
  }

  private static ModelConfig notAsked(ModelConfig draft) {
    throw new AssertionError("asked to complete " + draft);
  }
}
