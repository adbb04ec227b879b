package io.nereid.server.frontend;

import java.util.List;

/**
 * An option as the console shows it.
 *
 * @param topic its heading in the help; empty for general ones
 * @param values in text, without what may be a secret; empty if there is none, several of an option
 *     that may be repeated
 * @param isGiven whether the command line has it, or a file that the command line names; otherwise
 *     the value is the default
 */
public record ShownOption(
    String topic, String name, List<String> values, boolean isGiven, String help) {
  public ShownOption {
    values = List.copyOf(values);
  }
}
