package io.nereid.tensorrt.machine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A main class of the tests in a process of its own, with this process's class path. */
final class JavaProcess implements AutoCloseable {
  private final Process process;

  private JavaProcess(Process process) {
    this.process = process;
  }

  static JavaProcess start(Class<?> main, String... arguments) throws IOException {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            main.getName());
    return new JavaProcess(
        new ProcessBuilder(Stream.concat(command.stream(), Stream.of(arguments)).toList())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start());
  }

  /** The next line that the process prints; empty at the end. */
  String readLine() throws IOException {
    String line = process.inputReader(UTF_8).readLine();
    return line == null ? "" : line;
  }

  void writeLine(String line) throws IOException {
    OutputStream input = process.getOutputStream();
    input.write((line + "\n").getBytes(UTF_8));
    input.flush();
  }

  /** What the process prints until it ends, by lines. Fails if it does not end with status 0. */
  List<String> readAll() throws IOException, InterruptedException {
    List<String> lines = process.inputReader(UTF_8).lines().toList();
    assertThat(process.waitFor()).as("exit status after %s", lines).isZero();
    return lines;
  }

  /** Ends the process if it still runs. */
  @Override
  public void close() {
    process.destroyForcibly();
  }
}
