package io.nereid.server;

import io.nereid.engine.model.config.text.Names;
import io.nereid.error.InferenceException;
import io.nereid.error.IoReason;
import io.nereid.server.options.declaration.OptionHelp;
import io.nereid.server.options.declaration.OptionNames;
import io.nereid.server.options.triton.TritonOptions;
import io.nereid.server.telemetry.logging.Logging;
import io.nereid.tools.BenchCommand;
import io.nereid.tools.InferCommand;
import io.nereid.tools.VerifyCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * The entry point: runs one of the {@link Commands}. Options without a command are those of {@code
 * serve}.
 */
public final class Main {
  /** The commands with the options of a server. */
  private static final List<String> SERVER_COMMANDS = List.of("serve", "demo", "doctor", "train");

  /** The commands that ask models, of any server. */
  private static final List<String> TOOLS = List.of("infer", "verify", "bench");

  private static final String UNEXPECTED = "unexpected failure: ";

  private Main() {}

  /** Runs a command and exits with its status. */
  public static void main(String[] arguments) {
    // Texts have the digits of ASCII in every locale, as scripts and Triton's clients expect. Only
    // here, where the process is ours: a program that embeds the server has a locale of its own.
    Locale.setDefault(Locale.ROOT);
    System.setProperty("java.util.logging.manager", Logging.Manager.class.getName());
    System.exit(run(arguments));
  }

  private static int run(String... arguments) {
    String[] words = withCommand(arguments);
    String command = words.length == 0 ? "" : words[0];
    if (SERVER_COMMANDS.contains(command)) {
      EarlyInitialization.begin();
    }
    try {
      return command.equals("serve")
          ? serve(serveLine(), Arrays.copyOfRange(words, 1, words.length))
          : execute(commandLine(command), words);
    } catch (RuntimeException | Error failed) { // outside of a command, as in its options
      System.err.println(line("nereid " + command, failed));
      return 1;
    }
  }

  static int serve(CommandLine line, String... options) {
    return line.execute(OptionNames.complete(line, options));
  }

  static int execute(CommandLine line, String... arguments) {
    String[] words = withCommand(arguments);
    CommandLine command = words.length == 0 ? null : line.getSubcommands().get(words[0]);
    if (words.length > 0 && TOOLS.contains(words[0])) {
      Logging.disable(); // a failure is the command's only line
    }
    return line.execute(command == null ? words : OptionNames.complete(command, words));
  }

  private static String[] withCommand(String... arguments) {
    return arguments.length > 0 && arguments[0].startsWith("-")
        ? Stream.concat(Stream.of("serve"), Stream.of(arguments)).toArray(String[]::new)
        : arguments;
  }

  static CommandLine commandLine() {
    return commandLine("");
  }

  /**
   * Returns the command line with one command, or with all if none has this name: each has up to
   * 150 options, and takes milliseconds of a start.
   */
  static CommandLine commandLine(String command) {
    var line = new CommandLine(new Commands());
    List<Method> methods = CommandLine.getCommandMethods(Commands.class, command);
    boolean isKnown = !methods.isEmpty() || TOOLS.contains(command);
    for (Method method : isKnown ? methods : CommandLine.getCommandMethods(Commands.class, null)) {
      add(new CommandLine(method), line);
    }
    for (String tool : TOOLS) {
      if (!isKnown || tool.equals(command)) {
        add(new CommandLine(tool(tool)), line);
      }
    }
    return configured(line);
  }

  /** Loaded only if it is asked for. */
  private static Callable<Integer> tool(String name) {
    return switch (name) {
      case "infer" -> new InferCommand();
      case "verify" -> new VerifyCommand();
      default -> new BenchCommand();
    };
  }

  private static void add(CommandLine command, CommandLine line) {
    line.addSubcommand(command);
    complete(command);
  }

  /** The command {@code serve} by itself: what is around it takes a tenth of a start. */
  static CommandLine serveLine() {
    var line = new CommandLine(CommandLine.getCommandMethods(Commands.class, "serve").getFirst());
    complete(line);
    return configured(line.setCommandName("nereid serve"));
  }

  private static CommandLine configured(CommandLine line) {
    line.setOverwrittenOptionsAllowed(true); // the last value takes precedence, as in Triton
    line.registerConverter(Path.class, Main::path);
    line.setParameterExceptionHandler(Main::invalid);
    return line.setExecutionExceptionHandler((thrown, failed, _) -> {
      failed.getErr().println(line(failed.getCommandSpec().qualifiedName(), thrown));
      return 1;
    });
  }

  /** Prints what is wrong with the arguments, and in a second line where to look. */
  private static int invalid(CommandLine.ParameterException invalid, String... arguments) {
    CommandLine line = invalid.getCommandLine();
    // A misspelt option that is required is missing too: its name says more.
    Optional<String> unknown = line.getUnmatchedArguments().stream().findFirst();
    Optional<String> nearest =
        unknown.flatMap(word -> Names.nearest(word.split("=", 2)[0], names(line)));
    line.getErr().println(unknown.map(Main::unknown).orElse(invalid.getMessage()));
    line.getErr()
        .printf(
            "%s'%s --help' lists the %s.%n",
            nearest.map("Did you mean %s? "::formatted).orElse(""),
            line.getCommandSpec().qualifiedName(),
            line.getSubcommands().isEmpty() ? "options" : "commands");
    return line.getCommandSpec().exitCodeOnInvalidInput();
  }

  /** Without the value of an option, which may be a secret. */
  private static String unknown(String word) {
    if (word.startsWith("@")) { // a file that can be read is no word
      String file = word.substring(1);
      try (var _ = Files.newInputStream(path(file))) {
        return "the file of options '%s' was not read".formatted(file);
      } catch (IOException unreadable) {
        return "cannot read the options in '%s': %s".formatted(file, IoReason.of(unreadable));
      }
    }
    return word.startsWith("-")
        ? "Unknown option: '%s'".formatted(word.split("=", 2)[0])
        : "Unknown word: '%s'".formatted(word);
  }

  private static Set<String> names(CommandLine line) {
    return line.getSubcommands().isEmpty()
        ? line.getCommandSpec().optionsMap().keySet()
        : line.getSubcommands().keySet();
  }

  private static Path path(String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException invalid) {
      throw new CommandLine.TypeConversionException(text(invalid));
    }
  }

  private static String text(InvalidPathException invalid) {
    return "'%s' cannot be a path: %s".formatted(invalid.getInput(), IoReason.of(invalid));
  }

  /** A line about a failure of a command. */
  private static String line(String command, Throwable thrown) {
    String sentence = sentence(thrown);
    return (sentence.startsWith(UNEXPECTED) ? command : "nereid") + ": " + sentence;
  }

  /** A failure as a sentence. The stack trace of one that is unexpected is only logged. */
  static String sentence(Throwable thrown) {
    return switch (thrown) {
      case InferenceException failure -> String.valueOf(failure.getMessage());
      case IOException failure -> IoReason.withPath(failure);
      case UncheckedIOException failure -> sentence(Objects.requireNonNull(failure.getCause()));
      case InvalidPathException failure -> text(failure);
      case CommandLine.ExecutionException failure when failure.getCause() != null ->
          sentence(failure.getCause());
      default -> {
        String text = UNEXPECTED + thrown;
        System.getLogger(Main.class.getName()).log(System.Logger.Level.DEBUG, text, thrown);
        yield text.lines().collect(Collectors.joining(" "));
      }
    };
  }

  /** Sets what all commands have, and adds Triton's options to one that has the server's. */
  private static void complete(CommandLine command) {
    CommandSpec options = command.getCommandSpec().versionProvider(new ServerVersion());
    options.usageMessage().sortOptions(false);
    if (SERVER_COMMANDS.contains(command.getCommandName())) {
      TritonOptions.declare(options);
      command.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, new OptionHelp());
    }
  }
}
