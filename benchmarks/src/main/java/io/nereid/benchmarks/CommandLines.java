package io.nereid.benchmarks;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** The command lines of the benchmarks. */
public final class CommandLines {
  private CommandLines() {}

  /**
   * The command line of a benchmark, with the option {@code --help}. It reports a missing server or
   * process in one line.
   */
  public static CommandLine of(Callable<Integer> benchmark) {
    var line = new CommandLine(benchmark);
    line.getCommandSpec()
        .addOption(
            OptionSpec.builder("-h", "--help")
                .type(boolean.class)
                .usageHelp(true)
                .description("Print this help.")
                .build());
    return line.setExecutionExceptionHandler((failure, _, _) -> {
      if (failure instanceof IOException || failure instanceof IllegalStateException) {
        line.getErr().println(line.getCommandName() + ": " + failure.getMessage());
        return CommandLine.ExitCode.SOFTWARE;
      }
      throw failure;
    });
  }
}
