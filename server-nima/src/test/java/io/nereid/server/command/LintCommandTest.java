package io.nereid.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.TextFormat;
import io.nereid.engine.backend.BackendFolder;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.protocol.config.ModelConfig;
import io.nereid.protocol.config.ModelInstanceGroup.Kind;
import io.nereid.server.NereidCommand;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands {@code lint} and {@code config}. */
class LintCommandTest {
  private static final String GOOD =
      """
      backend: "tck_echo"
      max_batch_size: 4
      input { name: "INPUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
      output { name: "OUTPUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
      dynamic_batching { }
      """;

  private static final Path EXAMPLES = Path.of("..", "examples", "models");

  @TempDir private Path repository;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return NereidCommand.run(out, err, arguments);
  }

  @Test
  void lintExitsWithZeroIfNothingWouldFail() {
    ModelOnDisk.of(repository, "m", GOOD).withDirectory("latest");

    assertThat(run("lint", repository.toString())).isZero();
    assertThat(out.toString())
        .contains("m/latest: warning: ignored: ", "0 errors and 1 warning in 1 model");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "m"})
  void lintChecksARepositoryOrAModel(String path) {
    ModelOnDisk.of(repository, "m", GOOD.replace("max_batch_size: 4", "max_batch_size: -4"));

    assertThat(run("lint", repository.resolve(path).toString())).isOne();
    assertThat(out.toString())
        .startsWith(
            repository.resolve("m/config.pbtxt")
                + ":2:1: error: max_batch_size: 'max_batch_size' must be non-negative value for m\n"
                + "  max_batch_size: -4\n"
                + "  ^\n")
        .endsWith("1 error in 1 model\n");
  }

  @Test
  void lintChecksAModelFileWithoutALayout() throws IOException {
    Path file = EXAMPLES.resolve("identity_fp32/1/model.onnx");
    Files.copy(file, repository.resolve("any.onnx"));

    assertThat(run("lint", "--model-name=m", repository.toString())).as(out.toString()).isZero();
    assertThat(out.toString()).isEqualTo("0 errors in 1 model\n");

    Files.copy(file, repository.resolve("other.onnx"));
    assertThat(run("lint", "--model-name=m", repository.toString())).isOne();
    assertThat(out.toString())
        .contains("'%s' has any.onnx and other.onnx: default_model".formatted(repository));
    assertThat(run("lint", "--model-name=m", repository.toString(), "elsewhere")).isEqualTo(2);
  }

  @Test
  void configPrintsTheConfigurationOfAModelFileWithoutALayout() throws IOException {
    Files.copy(EXAMPLES.resolve("identity_fp32/1/model.onnx"), repository.resolve("any.onnx"));

    assertThat(run("config", "--model-name=m", repository.toString())).as(err.toString()).isZero();
    assertThat(out.toString())
        .contains("name: \"m\"", "default_model_filename: \"any.onnx\"", "name: \"INPUT0\"");
  }

  @Test
  void lintSaysWhatIsGivenInPlaceOfAModel() throws IOException {
    Path model = ModelOnDisk.of(repository, "m", GOOD).path();
    Path version = model.resolve("1");

    assertThat(run("lint", version.toString())).isOne();
    assertThat(out.toString())
        .startsWith("%s: error: this is a version of model 'm': lint %s".formatted(version, model));

    Path file = model.resolve("config.pbtxt");
    assertThat(run("lint", file.toString())).isEqualTo(2);
    assertThat(err.toString())
        .contains("'%s' is a file: give its directory '%s'".formatted(file, model));
  }

  @Test
  void lintWarnsOfLinksToNothingAndOfModelFilesInTheRepository() throws IOException {
    Path model = ModelOnDisk.of(repository, "m", GOOD).path();
    Path file = Files.writeString(repository.resolve("model.json"), "{}");
    Files.writeString(repository.resolve("labels.txt"), "a");
    Files.createSymbolicLink(repository.resolve(".#lock"), Path.of("nowhere"));
    List<Path> links =
        List.of(repository.resolve("n"), model.resolve("2"), model.resolve("1/data.bin"));
    for (Path link : links) {
      Files.createSymbolicLink(link, Path.of("nowhere"));
    }

    assertThat(run("lint", repository.toString())).isZero();
    for (Path link : links) {
      assertThat(out.toString())
          .contains(
              link
                  + ": warning: ignored: it is a link to 'nowhere', which does not exist: correct or"
                  + " remove it");
    }
    assertThat(out.toString())
        .contains(
            "%s: warning: ignored: move it to '<name>/1/model.json', or serve '%s' with --model-name=<name>"
                .formatted(file, repository))
        .endsWith("0 errors and 4 warnings in 1 model\n");
  }

  @Test
  void lintSaysThatARepositoryHasNoModel() {
    assertThat(run("lint", repository.toString())).isZero();
    assertThat(out.toString())
        .startsWith(
            "%s: warning: the repository has no directory of a model, such as <name>/1/model.onnx"
                .formatted(repository));
  }

  @Test
  void lintSaysWhereAModelFileBelongs() throws IOException {
    Files.createDirectories(repository.resolve("m/1"));
    Files.writeString(repository.resolve("m/model.json"), "{}");

    assertThat(run("lint", repository.toString())).isOne();
    assertThat(out.toString())
        .contains("no file in a directory of a version: move 'model.json' into '1/'.");
  }

  @Test
  void lintGoesOnAfterAModelThatCannotBeRead() throws IOException {
    ModelOnDisk.of(repository, "z", GOOD.replace("max_batch_size: 4", "max_batch_size: -4"));
    Path loop = repository.resolve("loop");
    Files.createSymbolicLink(loop, loop);

    assertThat(run("lint", repository.toString())).isOne();
    assertThat(err.toString()).isEmpty();
    assertThat(out.toString())
        .contains(
            loop + ": error: cannot be listed: too many levels of symbolic links",
            "z/config.pbtxt:2:1: error: max_batch_size")
        .endsWith("2 errors in 2 models\n");
  }

  @Test
  void lintFindsABackendThatIsMissing() {
    ModelOnDisk.of(repository, "m", "backend: 'none' max_batch_size: 1");

    assertThat(run("lint", repository.toString())).isOne();
    assertThat(out.toString())
        .contains("m/config.pbtxt:1:1: error: backend: unable to find backend library for backend");
    assertThat(run("lint", "--no-backends", repository.toString())).isZero();
  }

  @Test
  void lintLoadsAModelOnlyIfThatRunsNoCodeOfIt(@TempDir Path backends) {
    String source =
        """
        package made;
        import io.nereid.config.ModelConfig;
        import io.nereid.spi.*;
        public final class Failing implements BackendProvider, Backend {
          @Override public String name() { return "failing"; }
          @Override public Backend open(BackendContext context) { return this; }
          @Override public ModelConfig complete(ModelFiles files, ModelConfig config) {
            if (config.name().equals("bad")) {
              throw io.nereid.error.InferenceException.invalid("'bad' has no file");
            }
            return config;
          }
          @Override public boolean runsCodeOf(ModelConfig config) {
            return !config.name().equals("data");
          }
          @Override public Model load(ModelFiles files, ModelConfig config) {
            throw new IllegalStateException("lint loads " + config.name());
          }
          @Override public void close() {}
        }
        """;
    BackendFolder.of(backends, "failing").withProviderClass("Failing", source);
    String config = GOOD.replace("tck_echo", "failing");
    ModelOnDisk.of(repository, "m", config);

    String option = "--backend-directory=" + backends;
    assertThat(run("lint", repository.toString(), option)).as(out.toString()).isZero();
    ModelOnDisk.of(repository, "bad", config);
    assertThat(run("lint", repository.toString(), option)).isOne();
    assertThat(out.toString()).contains("'bad' has no file").doesNotContain("lint loads");

    ModelOnDisk.of(repository, "data", config);
    assertThat(run("lint", repository.toString(), option)).isOne();
    assertThat(out.toString()).contains("lint loads data").doesNotContain("lint loads m");
  }

  @Test
  void lintLoadsEachVersionThatTheServerWouldLoad() throws IOException {
    ModelOnDisk model =
        onnx(
            """
            max_batch_size: 4
            version_policy { all {} }
            input { name: 'image' data_type: TYPE_FP32 dims: [ 1, 8, 8 ] }
            output { name: 'probabilities' data_type: TYPE_FP32 dims: [ 10 ] }
            """);
    Path newer = model.withDirectory("2").path().resolve("2/model.onnx");
    Files.copy(model.path().resolve("1/model.onnx"), newer);
    assertThat(run("lint", model.path().toString())).as(out.toString()).isZero();

    Files.writeString(model.path().resolve("1/model.onnx"), "no model");

    assertThat(run("lint", model.path().toString())).isOne();
    assertThat(out.toString())
        .contains("failed to load model 'm' from '" + model.path() + "/1/model.onnx'")
        .contains("1 error in 1 model");
  }

  @Test
  void lintComparesStatedInputsAndOutputsWithTheFile() {
    ModelOnDisk model =
        onnx(
            """
            max_batch_size: 4
            input { name: 'nope' data_type: TYPE_FP32 dims: [ 17 ] }
            output { name: 'probabilities' data_type: TYPE_FP32 dims: [ 10 ] }
            """);

    assertThat(run("lint", model.path().toString())).isOne();
    assertThat(out.toString())
        .contains("config.pbtxt:2:1: error: input[0]: ", "unexpected inference input 'nope'");
    assertThat(run("lint", "--no-backends", model.path().toString())).isZero();
  }

  @Test
  void lintReportsAMissingModelFileOnce() {
    ModelOnDisk.of(repository, "m", "backend: 'onnxruntime'");

    assertThat(run("lint", repository.toString())).isOne();
    assertThat(out.toString())
        .contains("m/config.pbtxt:1:1: error: backend: unable to find ")
        .endsWith("1 error in 1 model\n");
  }

  private static final String ONNX =
      """
      backend: "onnxruntime"
      max_batch_size: 4
      input { name: "image" data_type: TYPE_FP32 dims: [ 1, 8, 8 ] }
      output { name: "probabilities" data_type: TYPE_FP32 dims: [ 10 ] }
      instance_group { kind: KIND_CPU }
      """;

  @ParameterizedTest
  @ValueSource(strings = {"--max-instances=8", "--disable-auto-complete-config"})
  void lintRefusesAParameterThatMayLeadToAFile(String option) {
    var parameter =
        "parameters {\n  key: \"session.enable_profiling\" value { string_value: \"%s\" } }\n"
            .formatted(repository.resolve("profile"));
    onnx(ONNX + parameter);

    assertThat(run("lint", option, repository.toString())).isOne();
    assertThat(out.toString())
        .contains(
            "error: parameters[\"session.enable_profiling\"]: model 'm': parameter"
                + " 'session.enable_profiling' is refused: ",
            "--backend-config=onnxruntime,allowed-parameters=session.enable_profiling");
    assertThat(
            run(
                "lint",
                option,
                "--backend-config=onnxruntime,allowed-parameters=session.enable_profiling",
                repository.toString()))
        .isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"lint", "config"})
  void noCommandThatChecksOpensALibraryOfAConfiguration(String command) throws IOException {
    var library = "model_operations { op_library_filename: \"ops.so\" }\n";
    ModelOnDisk.of(repository, "m", "backend: \"onnxruntime\"\n" + library)
        .withFile("1/model.onnx", "")
        .withFile("ops.so", "not a library");
    String model = repository.resolve("m").toString();

    int refused = run(command, model);
    int allowed = run(command, "--backend-config=onnxruntime,custom-operators=true", model);

    assertThat(refused).isOne();
    assertThat(allowed).isEqualTo(command.equals("lint") ? 0 : 1);
    assertThat(out + err.toString())
        .contains("'model_operations', which only a server opens")
        .doesNotContain("file too short", "invalid ELF");
    if (command.equals("lint")) {
      assertThat(out.toString()).contains("--backend-config=onnxruntime,custom-operators=true");
    }
  }

  @Test
  void lintFindsInstancesForWhichTheBackendHasNoGpu() {
    ModelOnDisk.of(repository, "m", GOOD + "instance_group [\n  { kind: KIND_GPU }\n]\n");

    assertThat(run("lint", repository.toString())).isOne();
    assertThat(out.toString())
        .contains(
            "m/config.pbtxt:7:5: error: instance_group[0].kind: instance group m_0 of model m has"
                + " kind KIND_GPU but server does not support GPUs");
    assertThat(run("lint", "--no-backends", repository.toString())).isZero();
  }

  @Test
  void lintChecksTheModelsThatAnEnsembleNeedsToo() {
    ModelOnDisk.of(repository, "part", GOOD.replace("tck_echo", "none"));
    ModelOnDisk.of(
        repository,
        "whole",
        """
        platform: "ensemble"
        input { name: "x" data_type: TYPE_UINT8 dims: 4 }
        output { name: "y" data_type: TYPE_UINT8 dims: 4 }
        ensemble_scheduling {
          step {
            model_name: "part"
            input_map { key: "INPUT0" value: "x" }
            output_map { key: "OUTPUT0" value: "y" }
          }
        }
        """);

    assertThat(run("lint", repository.resolve("whole").toString())).isOne();
    assertThat(out.toString())
        .contains("depends on 'part' which has errors")
        .contains("1 error in");
  }

  @Test
  void lintRequiresACompleteConfigurationIfBackendsCompleteNone() {
    ModelOnDisk.named(repository, "m.tck_echo").withDirectory("1");

    assertThat(run("lint", "--disable-auto-complete-config", repository.toString())).isOne();
    assertThat(out.toString()).contains("error: model 'm.tck_echo' has no config.pbtxt");
  }

  @ParameterizedTest
  @ValueSource(strings = {"lint", "config"})
  void exitsWithTwoIfThePathDoesNotExist(String command) {
    assertThat(run(command, repository.resolve("none").toString())).isEqualTo(2);
    assertThat(run(command)).isEqualTo(2);
    assertThat(err.toString()).contains("no directory '" + repository.resolve("none") + "'");
  }

  @Test
  void lintReportsAModelThatTwoRepositoriesContain() {
    ModelOnDisk.of(repository.resolve("a"), "m", GOOD);
    ModelOnDisk.of(repository.resolve("b"), "m", GOOD);

    assertThat(run("lint", repository.resolve("a").toString(), repository.resolve("b").toString()))
        .isOne();
    assertThat(out.toString()).contains("error: model appears in two or more repositories");
  }

  @Test
  void configPrintsWhatTheServerAdds() throws IOException {
    ModelOnDisk model = ModelOnDisk.of(repository, "m", GOOD);

    assertThat(run("config", model.path().toString())).isZero();

    ModelConfig printed = TextFormat.parse(out.toString(), ModelConfig.class);
    assertThat(printed.getName()).isEqualTo("m");
    assertThat(printed.getDynamicBatching().getPreferredBatchSizeList()).containsExactly(4);
    assertThat(printed.getInstanceGroup(0).getKind()).isEqualTo(Kind.KIND_CPU);
    assertThat(out.toString()).contains("data_type: TYPE_UINT8\n");
    Files.writeString(model.path().resolve("config.pbtxt"), out.toString());
    assertThat(run("lint", model.path().toString())).isZero();
  }

  @Test
  void configUsesTheNamedConfiguration() {
    ModelOnDisk model =
        ModelOnDisk.of(repository, "m", GOOD)
            .withFile("configs/small.pbtxt", GOOD.replace("size: 4", "size: 2"));

    assertThat(run("config", "--model-config-name=small", model.path().toString())).isZero();
    assertThat(out.toString()).contains("max_batch_size: 2\n");
  }

  @Test
  void lintFindsNothingWrongWithTheExamples() {
    assertThat(run("lint", EXAMPLES.toString())).as(out.toString()).isZero();
  }

  @Test
  void configPrintsWhatAnOnnxFileCompletes() {
    ModelOnDisk model = onnx("");

    assertThat(run("config", model.path().toString())).as(err.toString()).isZero();
    assertThat(out.toString())
        .contains(
            "platform: \"onnxruntime_onnx\"\n", "  name: \"image\"\n", "dynamic_batching {\n");
  }

  @ParameterizedTest
  @CsvSource({
    "cpu, openvino, library has no OpenVINOExecutionProvider",
    "gpu, tensorrt, its instances run on the CPU"
  })
  void lintWarnsOfAnAcceleratorThatIsLeftOut(String device, String name, String why) {
    ModelOnDisk model =
        onnx(
            "optimization { execution_accelerators { %s_execution_accelerator { name: '%s' } } }"
                .formatted(device, name));

    assertThat(run("lint", model.path().toString())).as(out.toString()).isZero();
    assertThat(out.toString())
        .contains("warning: ", "without the execution accelerator '%s': ".formatted(name), why);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "optimization { execution_accelerators { cpu_execution_accelerator { name: 'abacus' } } }",
        "parameters { key: 'intra_op_thread_count' value { string_value: 'many' } }"
      })
  void lintFindsAnAcceleratorOrAParameterThatDoesNotLoad(String config) {
    assertThat(run("lint", onnx(config).path().toString())).isOne();
    assertThat(out.toString()).containsAnyOf("'abacus'", "'many'");
  }

  @Test
  void lintFindsAnInputThatTheOnnxFileLacks() {
    ModelOnDisk model =
        onnx(
            """
            max_batch_size: 4
            input { name: 'picture' data_type: TYPE_FP32 dims: [ 1, 8, 8 ] }
            """);

    assertThat(run("lint", model.path().toString())).isOne();
    assertThat(out.toString())
        .contains("config.pbtxt:2:1: error: input[0]: ", "unexpected inference input 'picture'");
  }

  /** A model of the examples' ONNX file with another configuration. */
  private ModelOnDisk onnx(String config) {
    ModelOnDisk model = ModelOnDisk.of(repository, "m", config);
    try {
      Files.copy(EXAMPLES.resolve("digits/1/model.onnx"), model.path().resolve("1/model.onnx"));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    return model;
  }

  @Test
  void lintRejectsANativeBatchingLibrary() {
    ModelOnDisk.of(
        repository,
        "m",
        GOOD
            + "parameters {\n"
            + "  key: 'TRITON_BATCH_STRATEGY_PATH'\n"
            + "  value { string_value: 'x.so' }\n"
            + "}");

    assertThat(run("lint", repository.toString())).isOne();
    assertThat(out.toString())
        .contains("config.pbtxt:6:1: error: parameters[\"TRITON_BATCH_STRATEGY_PATH\"]: ");
  }

  @Test
  void configFailsAsLoadingWould() {
    ModelOnDisk model =
        ModelOnDisk.of(repository, "m", GOOD.replace("TYPE_UINT8 dims", "TYPE_UNIT8 dims"));

    assertThat(run("config", model.path().toString())).isOne();
    assertThat(err.toString())
        .contains(
            "config.pbtxt:3:35: unknown value 'TYPE_UNIT8'; did you mean TYPE_UINT8?",
            "(and 1 more)");
  }
}
