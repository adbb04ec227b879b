package io.nereid.benchmarks.micro;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.BenchmarkListEntry;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs every benchmark once in this JVM, to find exceptions; the scores mean nothing. */
final class EveryBenchmarkTest {
  @TestFactory
  Stream<DynamicTest> runs() {
    var names = new TreeSet<String>();
    for (BenchmarkListEntry entry :
        BenchmarkList.defaultList()
            .getAll(
                OutputFormatFactory.createFormatInstance(System.out, VerboseMode.SILENT),
                List.of())) {
      names.add(entry.getUsername());
    }
    assertThat(names).isNotEmpty();
    return names.stream()
        .map(name ->
            DynamicTest.dynamicTest(
                name.replaceAll(".*\\.(\\w+\\.\\w+)", "$1"),
                () -> {
                  assumeTrue(
                      !name.contains(".TensorRt") || haveCompiler(), "there is no C compiler 'cc'");
                  runOnce(name);
                }));
  }

  private static boolean haveCompiler() throws InterruptedException {
    try {
      var compiler = new ProcessBuilder("cc", "--version").redirectOutput(Redirect.DISCARD);
      return compiler.start().waitFor() == 0;
    } catch (IOException missing) {
      return false;
    }
  }

  private static void runOnce(String name) throws RunnerException {
    var options =
        new OptionsBuilder()
            .include("^" + name.replace(".", "\\.") + "$")
            .mode(Mode.SingleShotTime)
            .forks(0)
            .warmupIterations(0)
            .measurementIterations(1)
            .threads(1)
            .timeout(TimeValue.seconds(30))
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT)
            .build();

    assertThat(new Runner(options).run()).isNotEmpty();
  }
}
