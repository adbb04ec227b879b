package io.nereid.server;

import java.io.PrintWriter;
import java.io.StringWriter;

/** Commands of {@code nereid}, run in the process of the test. */
public final class NereidCommand {
  private NereidCommand() {}

  /** Runs a command, which prints to {@code out} and {@code err}, and returns its exit status. */
  public static int run(StringWriter out, StringWriter err, String... arguments) {
    return Main.execute(
        Main.commandLine().setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true)),
        arguments);
  }
}
