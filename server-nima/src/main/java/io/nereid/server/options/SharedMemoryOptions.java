package io.nereid.server.options;

import picocli.CommandLine.Option;

/** The option of shared memory. */
public final class SharedMemoryOptions {
  @Option(
      names = "--allow-client-shm",
      paramLabel = "<boolean>",
      arity = "1",
      converter = OptionConverters.Switch.class,
      preprocessor = OptionConverters.Switch.class,
      description =
          "Whether clients may register shared memory regions, for inputs and outputs. Default:"
              + " ${DEFAULT-VALUE}.")
  private boolean allowed = false;

  public boolean isAllowed() {
    return allowed;
  }
}
