package io.nereid.tck.command.tested;

import io.nereid.engine.plugin.ProviderSearch;
import io.nereid.error.InferenceException;
import io.nereid.spi.BackendProvider;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** A folder of jars, whose backends are found and loaded as the server does it. */
final class BackendFolder {
  private BackendFolder() {}

  /**
   * The providers by name and by alias.
   *
   * @throws WrongArgument if there is none, or the jars cannot be loaded
   */
  static Map<String, BackendProvider> providers(Path folder) {
    Map<String, BackendProvider> found = new TreeMap<>();
    new ProviderSearch<>(
            BackendProvider.class,
            "backend",
            (provider, _) -> {
              found.put(provider.name(), provider);
              provider.aliases().forEach(alias -> found.putIfAbsent(alias, provider));
            },
            BackendFolder::refuse)
        .scan(folder);
    if (found.isEmpty()) {
      throw new WrongArgument(
          "--backend: '%s' has no jar, expected the folder that the jars of a backend lie in"
              .formatted(folder));
    }
    return found;
  }

  private static void refuse(String folder, Throwable failure) {
    throw new WrongArgument(
        failure instanceof InferenceException none
            ? "--backend: " + none.getMessage()
            : "--backend: the jars of '%s' cannot be loaded: %s".formatted(folder, failure));
  }
}
