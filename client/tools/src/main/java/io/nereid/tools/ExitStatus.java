package io.nereid.tools;

import io.nereid.client.ErrorCode;
import io.nereid.client.NereidException;
import io.nereid.error.InferenceException;
import io.nereid.error.IoReason;
import io.nereid.tools.data.DataException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.InvalidPathException;
import java.util.Objects;
import java.util.stream.Collectors;
import picocli.CommandLine;

/** What becomes of a command: its status, and for a failure one line that says why. */
final class ExitStatus {
  /** An option, or a file, is wrong. */
  private static final int WRONG = 2;

  private ExitStatus() {}

  /** What a command does. */
  interface Body {
    int run() throws IOException, InterruptedException;
  }

  /**
   * Runs a command.
   *
   * @param failed the status if the server or the model fails
   */
  static int of(CommandLine line, ModelLocation model, int failed, Body body) {
    try {
      return body.run();
    } catch (DataException wrong) {
      return print(line, wrong.sentence(), WRONG);
    } catch (IOException unreadable) {
      return print(line, IoReason.withPath(unreadable), WRONG);
    } catch (UncheckedIOException unreadable) {
      return print(line, IoReason.withPath(Objects.requireNonNull(unreadable.getCause())), WRONG);
    } catch (InvalidPathException wrong) {
      return print(
          line, "'%s' cannot be a path: %s".formatted(wrong.getInput(), IoReason.of(wrong)), WRONG);
    } catch (NereidException failure) {
      String hint = failure.code() == ErrorCode.UNAVAILABLE ? model.hint(failure.sentence()) : "";
      return print(line, failure.getMessage() + hint, failed);
    } catch (InferenceException failure) {
      return print(line, String.valueOf(failure.getMessage()), failed);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return print(line, "interrupted", failed);
    }
  }

  private static int print(CommandLine line, String sentence, int status) {
    line.getOut().flush();
    line.getErr().println("nereid: " + sentence.lines().collect(Collectors.joining(" ")));
    return status;
  }

  /** Prints a sentence, if there is one, besides what the command prints. */
  static void notice(CommandLine line, String sentence) {
    if (!sentence.isEmpty()) {
      line.getErr().println("nereid: " + sentence);
      line.getErr().flush();
    }
  }
}
