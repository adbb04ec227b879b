package io.nereid.java.backend;

import io.nereid.error.InferenceException;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelFiles.Trust;
import io.nereid.spi.TypedOptions;

/**
 * Whether the server runs the code of models. A Java model may do whatever the server may, so its
 * author is trusted as the operator is: only models of a repository, and only if the operator says
 * so by the option {@code allow}.
 *
 * @param allowed by the operator
 */
record CodePermission(boolean allowed) {
  private static final String OPTION = "--backend-config=java,allow=true";

  /** What the log says where it is so. */
  static final String WARNING =
      OPTION
          + ": every user who can write to a model repository can run code in the server, as its user";

  /**
   * Reads the option.
   *
   * @throws InferenceException INVALID_ARGUMENT if it is neither true nor false
   */
  static CodePermission of(TypedOptions options) {
    return new CodePermission(options.flag("allow", false));
  }

  /**
   * Checks that the code of a model may run.
   *
   * @throws InferenceException INVALID_ARGUMENT; the message names the model and the option
   */
  void check(ModelFiles files, String model) {
    if (files.trust() == Trust.CLIENT) {
      throw InferenceException.invalid(
          ("model '%s' of backend 'java' is refused in a load request that brings the configuration"
                  + " or files: its code would run in the server; %s can allow it for models of a"
                  + " repository")
              .formatted(model, OPTION));
    }
    if (!allowed) {
      throw InferenceException.invalid(
          ("model '%s' of backend 'java' is refused: its code would run in the server, and the"
                  + " operator has not set %s")
              .formatted(model, OPTION));
    }
  }
}
