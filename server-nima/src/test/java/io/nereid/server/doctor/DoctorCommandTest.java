package io.nereid.server.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.backend.BackendFolder;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.server.NereidCommand;
import java.io.IOException;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The command {@code doctor}. */
class DoctorCommandTest {
  private static final Path EXAMPLES = Path.of("..", "examples", "models");

  @TempDir private Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private Path cudart = Path.of("");

  /** A library that does not exist, so that no machine has what plans need. */
  @BeforeEach
  void nameAMissingLibrary() {
    cudart = directory.toAbsolutePath().resolve("libcudart.so");
  }

  private int run(String... arguments) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "doctor",
                "--http-port=0",
                "--grpc-port=0",
                "--metrics-port=0",
                "--backend-directory=" + directory.resolve("backends"),
                "--backend-config=tensorrt,cudart=" + cudart));
    all.addAll(List.of(arguments));
    return NereidCommand.run(out, err, all.toArray(String[]::new));
  }

  private List<String> lines() {
    return out.toString().lines().toList();
  }

  @Test
  void exitsWithZeroIfNothingKeepsTheServerFromItsWork() {
    assertThat(run("--model-repository=" + EXAMPLES)).as(out.toString()).isZero();
    assertThat(lines())
        .anyMatch(line -> line.startsWith("ok       JDK: "))
        .anyMatch(line -> line.matches("ok       ONNX Runtime: version 1\\.\\d+\\.\\d+, .*"))
        .contains("ok       http port: any free one at 0.0.0.0")
        .contains("ok       backend 'tck_echo': found")
        .anyMatch(line ->
            line.matches(
                "ok       model repository: .*" + EXAMPLES.getFileName() + ": \\d models"));
    assertThat(lines().getLast()).startsWith("0 problems, ");
  }

  @Test
  void triesTheFilesThatAServerWrites() throws IOException {
    Path log = directory.resolve("server.log");
    assertThat(
            run(
                "--model-repository=" + EXAMPLES,
                "--log-file=" + log,
                "--access-log=-",
                "--scheduler-journal=" + directory.resolve("journal"),
                "--trace-config=triton,file=" + directory.resolve("trace.json")))
        .as(out.toString())
        .isZero();
    assertThat(lines())
        .contains("ok       log: " + log + " can be written")
        .anyMatch(line -> line.startsWith("ok       journal: "))
        .anyMatch(line -> line.startsWith("ok       traces: "));
    assertThat(directory).as("nothing is left behind").isEmptyDirectory();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--log-file=",
        "--access-log=",
        "--scheduler-journal=",
        "--trace-config=triton,file="
      })
  void findsAFileThatCannotBeWritten(String option) {
    Path missing = directory.resolve("missing").resolve("file");

    assertThat(run("--model-repository=" + EXAMPLES, option + missing)).isEqualTo(1);
    assertThat(lines())
        .anyMatch(line -> line.startsWith("problem ") && line.contains(missing.getParent() + ""));
  }

  @Test
  void findsCertificatesThatCannotBeRead() {
    assertThat(
            run(
                "--model-repository=" + EXAMPLES,
                "--http-use-ssl=1",
                "--http-server-cert=" + directory.resolve("cert.pem"),
                "--http-server-key=" + directory.resolve("key.pem")))
        .isEqualTo(1);
    assertThat(lines()).anyMatch(line -> line.startsWith("problem  http certificates: "));
  }

  @Test
  void findsOptionalPartsThatAreMissing() {
    assertThat(
            run(
                "--model-repository=" + EXAMPLES,
                "--cache-config=redis,host=127.0.0.1",
                "--trace-config=mode=opentelemetry",
                "--front-end-config=console,port=0"))
        .isEqualTo(1);
    assertThat(lines())
        .anyMatch(line -> line.startsWith("problem  response cache: "))
        .anyMatch(line -> line.startsWith("problem  trace exporter: "))
        .anyMatch(line -> line.startsWith("problem  front ends: "));
  }

  @Test
  void examinesAModelFileWithoutALayout() throws IOException {
    Path models = Files.createDirectories(directory.resolve("bare"));
    Files.copy(EXAMPLES.resolve("identity_fp32/1/model.onnx"), models.resolve("model.onnx"));

    assertThat(run("--model-repository=" + models, "--model-name=m")).as(out.toString()).isZero();
    assertThat(lines()).contains("ok       model repository: " + models + ": 1 model");
    assertThat(run("--model-repository=" + models)).as(out.toString()).isZero();
    assertThat(lines()).anyMatch(line -> line.startsWith("warning  model repository: " + models));
  }

  @Test
  void namesAJarThatLiesBesideTheFoldersOfBackends() throws IOException {
    Path backends = Files.createDirectories(directory.resolve("backends"));
    Path jar = Files.writeString(backends.resolve("mine.jar"), "");
    assertThat(run()).as(out.toString()).isZero();
    assertThat(out.toString()).contains("warning  %s: is not read".formatted(jar));
  }

  @Test
  void aModelsOwnFolderIsNoRepository() throws IOException {
    Path model = Files.createDirectories(directory.resolve("credit"));
    Files.createDirectories(model.resolve("1"));

    assertThat(run("--model-repository=" + model)).isOne();
    assertThat(lines())
        .contains(
            "problem  model repository: '%s' is a model's folder; the repository is '%s'"
                .formatted(model, directory));
  }

  @Test
  void needsNoRepository() {
    assertThat(run()).as(out.toString()).isZero();
    assertThat(out.toString()).doesNotContain("model repository");
  }

  @Test
  void warnsThatThereIsNoGpuAndSaysWhatWouldHelp() {
    assertThat(run()).isZero();
    assertThat(lines())
        .containsSequence(
            "warning  GPU: TensorRT backend unavailable: CUDA runtime library not found (tried %s)"
                .formatted(cudart),
            "         cure: correct --backend-config=tensorrt,cudart");
  }

  @Test
  void aMissingGpuIsAProblemIfAModelIsAPlan() {
    ModelOnDisk.of(directory.resolve("models"), "engine", "platform: \"tensorrt_plan\"")
        .withFile("1/model.plan", "not opened");

    assertThat(run("--model-repository=" + directory.resolve("models"))).isOne();
    assertThat(lines())
        .contains(
            ("problem  GPU: TensorRT backend unavailable: CUDA runtime library not found (tried %s)"
                    + " (model 'engine' needs it)")
                .formatted(cudart));
    assertThat(lines().getLast()).startsWith("1 problem, ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc", "metrics"})
  void aPortThatIsTakenIsAProblem(String listener) throws IOException {
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(taken.getLocalPort());

      assertThat(
              run(
                  "--%s-port=%s".formatted(listener, port),
                  "--%s-address=127.0.0.1".formatted(listener)))
          .isOne();
      assertThat(lines())
          .containsSequence(
              "problem  %s port: cannot listen at 127.0.0.1:%s: Address already in use"
                  .formatted(listener, port),
              "         cure: end the process that listens there, or change --%1$s-address or --%1$s-port"
                  .formatted(listener));
    }
  }

  @Test
  void aPortThatIsNotServedMayBeTaken() throws IOException {
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThat(run("--allow-http=false", "--http-port=" + taken.getLocalPort())).isZero();
    }
  }

  @Test
  void twoFrontEndsWithOnePortAreAProblem() throws IOException {
    int port;
    try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }

    assertThat(run("--http-port=" + port, "--metrics-port=" + port)).isOne();
    assertThat(out.toString()).contains("problem  metrics port: the port is that of http too");
  }

  @Test
  void aBackendThatCannotBeLoadedIsAProblem() throws IOException {
    BackendFolder.of(directory.resolve("backends"), "broken");
    Files.writeString(directory.resolve("backends/broken/backend.jar"), "no jar");

    assertThat(run()).isOne();
    assertThat(lines())
        .anyMatch(line -> line.startsWith("problem  backend 'broken': no jar in "))
        .contains("         cure: repair its jars, or remove them from its folder");
  }

  @Test
  void aBackendWhoseLibraryCannotBeOpenedIsAProblem() throws IOException {
    Path library = Files.writeString(directory.resolve("libonnxruntime.so"), "no library");

    assertThat(run("--backend-config=onnxruntime,library=" + library)).isOne();
    assertThat(lines())
        .anyMatch(line ->
            line.startsWith("problem  ONNX Runtime: ") && line.contains(library.toString()));
  }

  @Test
  void aModelWhoseBackendIsMissingIsAProblem() {
    ModelOnDisk.of(directory.resolve("models"), "m", "backend: \"mine\"");

    assertThat(run("--model-repository=" + directory.resolve("models"))).isOne();
    assertThat(lines()).contains("problem  backend 'mine': not found, and model 'm' needs it");
  }

  @Test
  void aConfigurationThatWouldNotLoadIsAProblem() {
    Path models = directory.resolve("models");
    ModelOnDisk.of(models, "m", "backend: \"tck_echo\" max_batchsize: 1");

    assertThat(run("--model-repository=" + models)).isOne();
    assertThat(lines())
        .containsSequence(
            "problem  model repository: %s: 1 model, 1 error in configurations".formatted(models),
            "         cure: 'nereid lint %s' says where".formatted(models));
  }

  @Test
  void aRepositoryThatDoesNotExistIsAProblem() {
    assertThat(run("--model-repository=" + directory.resolve("none"))).isOne();
    assertThat(out.toString())
        .contains("model repository: '%s' is no directory".formatted(directory.resolve("none")));
  }

  @Test
  void exitsWithTwoIfAnOptionIsWrong() {
    assertThat(run("--http-port=many")).isEqualTo(2);
    assertThat(err.toString()).contains("got 'many'", "'nereid doctor --help' lists the options.");
  }
}
