package io.nereid.tck.command.report;

import java.util.List;

/**
 * What a server says of itself in its metadata.
 *
 * @param name empty if it has no metadata
 * @param address such as {@code http://localhost:8000}, or the command that started it
 */
public record ReportedServer(String name, String version, List<String> extensions, String address) {
  public ReportedServer {
    extensions = List.copyOf(extensions);
  }

  /** The name with the version, or the address of a server without a name. */
  public String title() {
    return name.isEmpty() ? address : (name + " " + version).strip();
  }
}
