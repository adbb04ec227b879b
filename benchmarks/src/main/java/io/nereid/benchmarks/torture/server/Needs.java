package io.nereid.benchmarks.torture.server;

import java.util.List;

/**
 * What an attack needs of a server that is started for it.
 *
 * @param maxFiles the number of files that the process may open; 0 for that of all servers of the
 *     campaign
 * @param options further options of the server
 */
public record Needs(int maxFiles, List<String> options) {
  public static final Needs NOTHING = new Needs(0, List.of());

  public Needs {
    options = List.copyOf(options);
  }

  public static Needs options(String... options) {
    return new Needs(0, List.of(options));
  }

  public static Needs maxFiles(int files) {
    return new Needs(files, List.of());
  }
}
