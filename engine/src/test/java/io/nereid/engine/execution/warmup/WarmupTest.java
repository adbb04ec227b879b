package io.nereid.engine.execution.warmup;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.TextFormat;
import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Control;
import io.nereid.config.SequenceSettings.State;
import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.config.TensorConfig;
import io.nereid.engine.memory.ArenaAllocator;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.memory.SlabPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.protocol.config.ModelWarmup;
import io.nereid.request.ModelKey;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The samples of a warm-up and their data. */
class WarmupTest {
  private static final String PREFIX = "[request id: <id_unknown>] ";

  @TempDir private Path repository;
  private final CheckedBufferPool pool = new CheckedBufferPool();
  private ModelOnDisk model;
  private ModelConfig config;

  @BeforeEach
  void createTheModel() {
    model = ModelOnDisk.of(repository, "m", "");
    config = batching(4, tensor("A", DataType.FP32, false), tensor("B", DataType.BYTES, true));
  }

  @AfterEach
  void noLeaseIsOutstanding() {
    assertThat(pool.outstanding()).isZero();
  }

  private static ModelConfig batching(int maxBatchSize, TensorConfig... inputs) {
    return ModelConfig.of("m", "b").withSignature(maxBatchSize, List.of(inputs), List.of());
  }

  private static TensorConfig tensor(String name, DataType type, boolean optional) {
    return tensor(name, type, optional, false);
  }

  private static TensorConfig tensor(
      String name, DataType type, boolean optional, boolean shapeTensor) {
    var format = TensorConfig.Format.FORMAT_NONE;
    return new TensorConfig(
        name, type, Shape.of(-1), Optional.empty(), optional, false, shapeTensor, format, "");
  }

  private static String input(String name, String type, String rest) {
    return "inputs { key: '%s' value { data_type: TYPE_%s %s } } ".formatted(name, type, rest);
  }

  private WarmupSamples prepare(String... samples) {
    return prepare(pool, samples);
  }

  private WarmupSamples prepare(BufferPool from, String... samples) {
    List<ModelWarmup> declared = List.of(samples).stream().map(WarmupTest::parse).toList();
    var warmup = new Warmup(new ModelKey("m", 1), config, declared, model.directory()::fileInside);
    return warmup.prepare(from);
  }

  private static ModelWarmup parse(String text) {
    try {
      return TextFormat.parse("name: 's' batch_size: 1 " + text, ModelWarmup.class);
    } catch (TextFormat.ParseException wrong) {
      throw new IllegalArgumentException(wrong);
    }
  }

  private void assertRejected(String sample, StatusCode code, String message) {
    assertThatThrownBy(() -> prepare(sample))
        .isInstanceOfSatisfying(
            InferenceException.class, failure -> assertThat(failure.code()).isEqualTo(code))
        .hasMessage(message);
    assertThat(pool.outstanding()).isZero();
  }

  private void assertInvalid(String sample, String message) {
    assertRejected(sample, StatusCode.INVALID_ARGUMENT, message);
  }

  @Test
  void everyRequestHasOneRowOfEachInput() {
    try (var samples = prepare(input("A", "FP32", "dims: 3 zero_data: true") + "count: 0")) {
      WarmupSample sample = samples.samples().getFirst();
      assertThat(sample.executions()).isEqualTo(1);
      assertThat(sample.batchSize()).isEqualTo(1);
      assertThat(sample.request().inputs())
          .extracting(Tensor::shape)
          .containsExactly(Shape.of(1, 3));
    }
  }

  @Test
  void requestsOfAModelThatDoesNotBatchAreExecutedOneByOne() {
    config = batching(0, tensor("A", DataType.FP32, false));
    String zeros = input("A", "FP32", "dims: 3 zero_data: true");
    try (var samples = prepare(zeros + "batch_size: 3 count: 5")) {
      WarmupSample sample = samples.samples().getFirst();
      assertThat(sample.executions()).isEqualTo(15);
      assertThat(sample.batchSize()).isEqualTo(1);
      assertThat(sample.request().inputs().getFirst().shape()).isEqualTo(Shape.of(3));
    }
  }

  @Test
  void aShapeTensorHasNoBatchDimension() {
    config = batching(4, tensor("A", DataType.INT32, false, true));
    try (var samples = prepare(input("A", "INT32", "dims: 3 zero_data: true"))) {
      Tensor input = samples.samples().getFirst().request().inputs().getFirst();
      assertThat(input.shape()).isEqualTo(Shape.of(3));
    }
  }

  @Test
  void samplesShareTheirZerosAndTheirRandomBytes() {
    String zeros = input("A", "FP32", "dims: 8 zero_data: true");
    String strings = input("B", "STRING", "dims: 2 random_data: true");
    String random = input("A", "FP32", "dims: 8 random_data: true");
    try (var _ = prepare(zeros + strings, zeros, random, random)) {
      assertThat(pool.outstanding()).isEqualTo(2);
      assertThat(pool.heldBytes()).isEqualTo(64);
    }
  }

  @Test
  void tensorsCannotBeWritten() {
    try (var samples = prepare(input("A", "FP32", "dims: 8 zero_data: true"))) {
      Tensor input = samples.samples().getFirst().request().inputs().getFirst();
      assertThat(input.data().isReadOnly()).isTrue();
    }
  }

  @Test
  void aFileMayBeLargerThanAnyBuffer() {
    byte[] content = new byte[200_000];
    content[199_999] = 7;
    model.withFile("warmup/large", content);
    try (var samples = prepare(input("A", "FP32", "dims: 50000 input_data_file: 'large'"))) {
      Tensor input = samples.samples().getFirst().request().inputs().getFirst();
      assertThat(input.data().toArray(JAVA_BYTE)).isEqualTo(content);
    }
  }

  @Test
  void aFileMustLieInTheModelsDirectory() throws Exception {
    Files.write(repository.resolve("secret"), new byte[64]);
    model.withDirectory("warmup");
    Files.createSymbolicLink(
        model.path().resolve("warmup/link"), repository.resolve("secret").toAbsolutePath());

    for (String outside : List.of("../../secret", "link", "/etc/hostname")) {
      String message = "warmup file '%s' for input 'A' of model 'm' ".formatted(outside);
      assertThatThrownBy(
              () -> prepare(input("A", "FP32", "dims: 1 input_data_file: '" + outside + "'")))
          .isInstanceOf(InferenceException.class)
          .message()
          .isIn(message + "is outside model directory", message + "does not exist");
    }
    assertInvalid(
        input("A", "FP32", "dims: 1 input_data_file: 'link'"),
        "warmup file 'link' for input 'A' of model 'm' is outside model directory");
  }

  @Test
  void aFileMustExistAndBeAFile() {
    model.withDirectory("warmup/folder");

    assertInvalid(
        input("A", "FP32", "dims: 1 input_data_file: 'none'"),
        "warmup file 'none' for input 'A' of model 'm' does not exist");
    assertInvalid(
        input("A", "FP32", "dims: 1 input_data_file: 'folder'"),
        "warmup file 'folder' for input 'A' of model 'm' is not a file");
  }

  @Test
  void aSizeThatOverflowsIsRejected() {
    String huge = "dims: 4611686018427387904 ";
    for (String type : List.of("FP32", "STRING")) {
      assertInvalid(
          input("A", type, huge + "zero_data: true"),
          "byte size for tensor 'A' exceeds maximum size of 9223372036854775807");
    }
    assertInvalid(
        input("A", "FP32", huge + huge + "random_data: true"),
        "byte size for tensor 'A' exceeds maximum size of 9223372036854775807");
  }

  @Test
  void aSampleThatExceedsTheMemoryOfThePoolIsRejected() {
    try (var small = new SlabPool(new ArenaAllocator(), 1 << 20)) {
      assertThatThrownBy(() ->
              prepare(
                  small,
                  input("A", "FP32", "dims: 1 zero_data: true"),
                  input("A", "FP32", "dims: 1000000000000 zero_data: true")))
          .isInstanceOfSatisfying(
              InferenceException.class,
              failure -> assertThat(failure.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED))
          .hasMessageStartingWith(
              "warmup sample 's': input 'A' of model 'm': tensor memory is exhausted:"
                  + " 4000000000000 bytes wanted");
      assertThat(small.outstanding()).isZero();
    }
  }

  @Test
  void anInputThatTheModelDoesNotHaveIsNamedRatherThanTheOneThatIsMissing() {
    assertInvalid(
        input("a", "FP32", "dims: 3 zero_data: true"),
        "warmup sample 's' names input 'a', which model 'm' does not have");
  }

  @Test
  void inputsOfTheModelAreValidatedLikeThoseOfAClient() {
    assertInvalid(
        input("B", "STRING", "dims: 1 zero_data: true"),
        PREFIX
            + "expected all required inputs but got 1 inputs for model 'm'. Got input(s) ['B'], but"
            + " missing required input(s) ['A']. Please provide all required input(s).");
    assertInvalid(
        input("A", "INT32", "dims: 1 zero_data: true"),
        PREFIX + "inference input 'A' data-type is 'INT32', but model 'm' expects 'FP32'");
    assertInvalid(
        input("A", "INVALID", "dims: 1 zero_data: true"),
        "model warmup input 'A' must specify 'data_type' for m");
    assertInvalid(
        input("A", "FP32", "dims: 1 zero_data: true") + "batch_size: 5",
        PREFIX + "inference request batch-size must be <= 4 for 'm', got 5");
  }

  @Test
  void theStringsOfAFileAreValidated() {
    model.withFile("warmup/cut", new byte[] {9, 0, 0, 0, 'a'});
    String zeros = input("A", "FP32", "dims: 1 zero_data: true");
    String strings = "dims: 1 input_data_file: 'cut'";

    assertInvalid(
        zeros + input("B", "STRING", strings),
        PREFIX
            + "incomplete string data for inference input 'B' for model 'm', expecting string of"
            + " length 9 but only 1 bytes available");
    assertInvalid(
        zeros + input("OTHER", "STRING", strings),
        PREFIX
            + "incomplete string data for inference input 'OTHER' for model 'm', expecting string"
            + " of length 9 but only 1 bytes available");
  }

  @Test
  void anInputThatTheModelDoesNotDeclareIsPassedOn() {
    String zeros = input("A", "FP32", "dims: 1 zero_data: true");
    try (var samples = prepare(zeros + input("X", "INT64", "dims: 2 zero_data: true"))) {
      Tensor other = samples.samples().getFirst().request().input("X").orElseThrow();
      assertThat(other.dataType()).isEqualTo(DataType.INT64);
      assertThat(other.shape()).isEqualTo(Shape.of(1, 2));
    }
  }

  private void sequences() {
    var ready = new Control("GO", Control.Kind.CONTROL_SEQUENCE_READY, DataType.INT32, 0, 1);
    var start = new Control("START", Control.Kind.CONTROL_SEQUENCE_START, DataType.INT32, 0, 1);
    var state = new State("IN", "OUT", DataType.INT32, Shape.of(1), Optional.empty(), false, false);
    config =
        config.withScheduling(
            new SequenceSettings(
                1, List.of(ready, start), new Strategy.Direct(0, 0), List.of(state), false));
  }

  @Test
  void controlsAndStatesOfASampleReplaceThoseOfTheServer() {
    sequences();
    String zeros = input("A", "FP32", "dims: 1 zero_data: true");
    String go = input("GO", "INT32", "dims: 1 zero_data: true");
    String state = input("IN", "INT32", "dims: 1 zero_data: true");
    try (var samples = prepare(zeros + go + state)) {
      WarmupSample sample = samples.samples().getFirst();
      assertThat(sample.config().sequence().orElseThrow().controls())
          .extracting(Control::inputName)
          .containsExactly("START");
      assertThat(sample.states()).containsOnlyKeys("IN");
      assertThat(sample.request().options().sequenceStart()).isTrue();
      assertThat(sample.request().options().sequenceEnd()).isTrue();
    }
  }

  @Test
  void aControlHasTheDeclaredType() {
    sequences();
    String zeros = input("A", "FP32", "dims: 1 zero_data: true");

    assertInvalid(
        zeros + input("GO", "FP32", "dims: 1 zero_data: true"),
        PREFIX + "inference input 'GO' data-type is 'FP32', but model 'm' expects 'INT32'");
    assertInvalid(
        zeros + input("IN", "INT64", "dims: 1 zero_data: true"),
        PREFIX + "inference input 'IN' data-type is 'INT64', but model 'm' expects 'INT32'");
  }
}
