package io.nereid.tck.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.TckModels;
import io.nereid.tck.command.defect.SwappingBackend;
import io.nereid.tck.echo.PipelinedEchoBackend;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command {@code tck} on backends in folders of jars. */
class BackendCommandTest {
  private static final String OTHER =
      """
      backend: "onnxruntime"
      input { name: "INPUT0" data_type: TYPE_INT32 dims: [ -1 ] }
      output { name: "OUTPUT0" data_type: TYPE_INT32 dims: [ -1 ] }
      """;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir private Path folder = Path.of("");
  private Path models = Path.of("");

  @BeforeEach
  void createFolders() throws IOException {
    models = Files.createDirectory(folder.resolve("models"));
    BackendJar.write(Files.createDirectory(folder.resolve("kit")).resolve("kit.jar"));
  }

  private int run(String backend, String... options) {
    List<String> arguments =
        Stream.concat(
                Stream.of(
                    "--backend=" + folder.resolve(backend),
                    "--models=" + models,
                    "--output=" + folder.resolve("report")),
                Stream.of(options))
            .toList();
    return TckCommand.run(
        new PrintWriter(out, true), new PrintWriter(err, true), arguments.toArray(String[]::new));
  }

  private void add(String model, String config) throws IOException {
    Files.createDirectories(models.resolve(model).resolve("1"));
    Files.writeString(models.resolve(model).resolve("config.pbtxt"), config);
  }

  private void addOfKit(String... names) throws IOException {
    for (String name : names) {
      add(name, TckModels.config(name));
    }
  }

  /** Adds a jar of the backend in a folder of its name, and a model of it, {@code echo}. */
  private void addEchoOf(Class<?> provider, String backend) throws IOException {
    BackendJar.write(
        Files.createDirectory(folder.resolve(backend)).resolve("backend.jar"), List.of(provider));
    add(
        "echo",
        TckModels.config("batched_fp32")
            .replace("tck_echo", backend)
            .replace("batched_fp32", "echo"));
  }

  private String results() throws IOException {
    return Files.readString(folder.resolve("report/results.json"));
  }

  @Test
  void aGoodBackendConforms() throws IOException {
    addOfKit("batched_fp32", "optional_inputs");
    add("other", OTHER);

    int status = run("kit", "--area=BACKEND-LIFE,BACKEND-EXEC,BACKEND-MEMORY,BACKEND-DEC");

    assertThat(status).as(out.toString()).isZero();
    assertThat(out.toString()).contains("backend tck_echo conforms");
    assertThat(results())
        .contains("batched_fp32: ", "optional_inputs: ", "the model is not decoupled")
        .doesNotContain("\"failed\"");
    assertThat(folder.resolve("report/report.html")).isNotEmptyFile();
    assertThat(folder.resolve("report/junit.xml")).isNotEmptyFile();
  }

  @Test
  void aGoodPipelinedBackendConforms() throws IOException {
    addEchoOf(PipelinedEchoBackend.class, "tck_pipelined_echo");

    int status = run("tck_pipelined_echo", "--area=BACKEND-PIPE");

    assertThat(status).as(out.toString()).isZero();
    assertThat(out.toString()).contains("conforms: 8 required rules passed, 0 failed");
  }

  @Test
  void aDefectFailsItsRuleWithWhatToLookAt() throws IOException {
    addEchoOf(SwappingBackend.class, "swapping");

    int status = run("swapping", "--area=BACKEND-EXEC");

    assertThat(status).isEqualTo(1);
    assertThat(out.toString())
        .contains("FAILED BACKEND-EXEC-11: model 'echo': ")
        .contains("See io.nereid.spi.Batch#request.")
        .contains("backend swapping does not conform");
    assertThat(results()).contains("ExecutionVerification.");
  }

  /** With inputs at random the model fails, as negative numbers are among them. */
  @Test
  void asksAModelWhatItsFileHas() throws IOException {
    addOfKit("repeat");
    Files.writeString(
        models.resolve("repeat.json"),
        """
        [{"inputs": [{"name": "IN", "datatype": "INT32", "shape": [3], "data": [1, 2, 3]}]},
         {"inputs": [{"name": "IN", "datatype": "INT32", "shape": [4], "data": [[4, 5], [6, 7]]}]}]
        """);

    int status = run("kit", "--area=BACKEND-DEC");

    assertThat(status).as(out.toString()).isZero();
    assertThat(out.toString()).contains("backend tck_repeat conforms: 3 required rules passed");
  }

  @Test
  void saysWhyAModelIsNotVerified() throws IOException {
    assertRefused(
        run("kit"),
        "--models: '%s' has no model of the backends [tck_add_sub, tck_echo, tck_repeat]");
    add("other", OTHER);
    assertRefused(run("kit"), "its models are of [onnxruntime]");
    add("broken", OTHER.replace("onnxruntime", "tck_echo").replace("OUTPUT0", "OTHER"));
    assertRefused(
        run("kit"), "/broken' does not load: model 'broken': output 'OTHER' has no input to echo");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "INT32 | [3] | [1, 2, 3] | has input 'INPUT0' of INT32 [3], model 'identity_fp32' expects FP32 [-1]",
        "FP32  | [3] | [1, 2]    | is no request of the v2 protocol: input 'INPUT0' of shape [3] has 2 elements"
      })
  void saysWhyARequestIsNone(String type, String shape, String data, String sentence)
      throws IOException {
    addOfKit("identity_fp32");
    Files.writeString(
        models.resolve("identity_fp32.json"),
        "{\"inputs\": [{\"name\": \"INPUT0\", \"datatype\": \"%s\", \"shape\": %s, \"data\": %s}]}"
            .formatted(type, shape, data));

    assertRefused(run("kit"), sentence);
  }

  @Test
  void saysWhyAFolderHasNoBackend() throws IOException {
    Path empty = Files.createDirectory(folder.resolve("empty"));
    assertRefused(
        run("empty"),
        "--backend: '%s' has no jar, expected the folder that the jars of a backend lie in"
            .formatted(empty));
    try (var jar = new ZipOutputStream(Files.newOutputStream(empty.resolve("empty.jar")))) {
      jar.putNextEntry(new ZipEntry("nothing"));
    }
    assertRefused(
        run("empty"),
        "--backend: no jar in %s declares a io.nereid.spi.BackendProvider".formatted(empty));
  }

  private void assertRefused(int status, String sentence) {
    assertThat(status).isEqualTo(2);
    assertThat(err.toString()).contains(sentence.formatted(models)).doesNotContain("\tat ");
  }

  @Test
  void listsTheRulesOfBackends() {
    assertThat(run("kit", "--list", "--level=required", "--except=BACKEND-LEAK")).isZero();

    assertThat(out.toString())
        .contains("BACKEND-EXEC-11 ")
        .doesNotContain("HTTP-", "BACKEND-EXEC-12 ", "BACKEND-LEAK-01 ");
  }
}
