package io.nereid.tensorrt.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** {@code src/test/native/conformance.cc}, compiled for one version of NVIDIA's headers and run. */
final class ConformanceProgram {
  /**
   * One compared fact.
   *
   * @param name such as {@code trt10_IBuilder.createNetworkV2}
   * @param ours our value, such as slot and signature
   * @param theirs NVIDIA's; {@code absent} if its headers lack what is compared
   */
  record Fact(String name, String ours, String theirs) {
    boolean isAbsent() {
      return theirs.equals("absent");
    }

    boolean agrees() {
      return ours.equals(theirs);
    }
  }

  private static final Path SOURCES = Path.of("src/test/native");

  private ConformanceProgram() {}

  /**
   * Compares one major version of our headers with NVIDIA's.
   *
   * @param include the folder of NvInfer.h; where it lacks NvOnnxParser.h, the parser is left out
   * @param headers the folder of our headers
   * @param major whose tables of ours to compare
   * @param folder for the program, which is written there
   */
  static List<Fact> run(Path include, Path headers, int major, Path folder) throws IOException {
    Files.createDirectories(folder);
    Files.write(folder.resolve("conformance.inc"), HeaderFacts.of(headers, major));
    Path program = folder.resolve("conformance");
    execute(
        folder,
        List.of(
            "c++",
            "-std=c++17",
            "-O0",
            "-rdynamic",
            "-Wno-deprecated-declarations",
            "-Wno-invalid-offsetof",
            "-isystem",
            include.toString(),
            "-I" + SOURCES.resolve("headers"),
            "-I" + headers,
            "-I" + folder,
            SOURCES.resolve("conformance.cc").toString(),
            "-o",
            program.toString(),
            "-ldl"));
    List<Fact> facts = new ArrayList<>();
    for (String line : execute(folder, List.of(program.toString()))) {
      String[] parts = line.split("\t", -1);
      facts.add(new Fact(parts[0], parts[1], parts[2]));
    }
    return facts;
  }

  /** Runs a command and returns what it printed, by lines. */
  private static List<String> execute(Path folder, List<String> command) throws IOException {
    Path output = folder.resolve("output.txt");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    int status;
    try {
      status = process.waitFor();
    } catch (InterruptedException interrupt) {
      process.destroy();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted: " + command.getFirst(), interrupt);
    }
    List<String> lines = Files.readAllLines(output, UTF_8);
    if (status != 0) {
      throw new IOException(
          "%s: status %d%n%s"
              .formatted(String.join(" ", command), status, String.join("\n", lines)));
    }
    return lines;
  }
}
