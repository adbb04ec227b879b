package io.nereid.server.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.nereid.engine.testing.FuzzedMemory;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * A method with {@link FuzzTest}.
 *
 * @param type its class
 */
record FuzzTarget(Class<?> type, String method) {
  private static final String CLASS_NAME_END = "FuzzTest.class";

  /** An input that takes longer is a finding; the first one loads classes on a busy machine. */
  private static final int MAX_SECONDS_PER_INPUT = 60;

  /** All targets of the engine and of the server, by name. */
  static List<FuzzTarget> all() throws IOException {
    List<FuzzTarget> targets = new ArrayList<>(in(FuzzedMemory.class));
    targets.addAll(in(FuzzTarget.class));
    return targets;
  }

  /** The targets in the folder of classes that has this one. */
  private static List<FuzzTarget> in(Class<?> one) throws IOException {
    Path classes = Path.of(one.getProtectionDomain().getCodeSource().getLocation().getPath());
    try (Stream<Path> files = Files.walk(classes)) {
      return files
          .map(file -> classes.relativize(file).toString())
          .filter(file -> file.endsWith(CLASS_NAME_END))
          .sorted()
          .map(file -> file.substring(0, file.length() - ".class".length()))
          .map(file -> load(file.replace(File.separatorChar, '.')))
          .flatMap(FuzzTarget::of)
          .toList();
    }
  }

  private static Class<?> load(String name) {
    try {
      return Class.forName(name, false, FuzzTarget.class.getClassLoader());
    } catch (ClassNotFoundException impossible) {
      throw new IllegalStateException("a class of this module", impossible);
    }
  }

  private static Stream<FuzzTarget> of(Class<?> type) {
    return Arrays.stream(type.getDeclaredMethods())
        .filter(method -> method.isAnnotationPresent(FuzzTest.class))
        .map(Method::getName)
        .sorted()
        .map(method -> new FuzzTarget(type, method));
  }

  /** {@code RouteFuzzTest.isParsed}. */
  String name() {
    return type.getSimpleName() + '.' + method;
  }

  /**
   * Runs Jazzer in a process of its own. Inputs that reach new code are kept in {@code
   * <folder>/<name>/corpus} for the next run; those that fail are in {@code <folder>/<name>}.
   */
  FuzzReport fuzz(Path folder, long seconds) throws IOException, InterruptedException {
    Path own = folder.resolve(name()).toAbsolutePath();
    Path corpus = Files.createDirectories(own.resolve("corpus"));
    for (Path failed : FuzzReport.failedInputs(own)) { // of an earlier run: they go first
      Files.move(failed, corpus.resolve(failed.getFileName()), StandardCopyOption.REPLACE_EXISTING);
    }
    Path arguments = own.resolve("arguments");
    Files.write(arguments, arguments(seconds, corpus));
    Path log = own.resolve("log");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "@" + arguments)
            .directory(own.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      int status = process.waitFor();
      return FuzzReport.of(name(), status, log, own);
    } finally {
      process.destroyForcibly(); // if this thread was interrupted
    }
  }

  private List<String> arguments(long seconds, Path corpus) {
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    return List.of(
        "-Xmx1g",
        "-Xss1m", // as a server's threads have, so that deep recursion is found
        "-XX:+UseSerialGC",
        "-XX:+EnableDynamicAgentLoading",
        "--enable-native-access=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow",
        "-cp",
        '"' + classPath + '"',
        "com.code_intelligence.jazzer.Jazzer",
        "--target_class=" + type.getName(),
        "--target_method=" + method,
        "--hooks=true",
        "--instrumentation_includes=io.nereid.**",
        "--instrumentation_excludes=io.nereid.protocol.**:io.nereid.*.protobuf.**", // generated
        "--custom_hook_includes=io.nereid.**",
        // Allocates megabytes for the regular expressions of a target.
        "--disabled_hooks=com.code_intelligence.jazzer.sanitizers.RegexRoadblocks",
        "--reproducer_path=.",
        "-max_total_time=" + seconds,
        "-timeout=" + MAX_SECONDS_PER_INPUT,
        "-rss_limit_mb=0", // the heap is limited instead
        "-print_final_stats=1",
        corpus.toString());
  }
}
