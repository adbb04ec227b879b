package io.nereid.server.options;

import io.nereid.server.options.declaration.OptionGroup;
import io.nereid.server.options.declaration.OptionValue;

/** The option of shared memory. */
public final class SharedMemoryOptions extends OptionGroup {
  private final OptionValue<Boolean> allowed =
      toggle("--allow-client-shm", false)
          .help("Whether clients may register shared memory regions, for inputs and outputs.");

  public boolean isAllowed() {
    return allowed.get();
  }
}
