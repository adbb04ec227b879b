package io.nereid.engine.plugin;

import java.nio.file.Path;
import java.util.Map;

/**
 * Where plug-ins of a kind are, and how they are set.
 *
 * @param directory with a folder of jars for each; need not exist. Those on the class path are
 *     found, too
 * @param settings by the name of a plug-in and by key
 */
public record PluginSettings(Path directory, Map<String, Map<String, String>> settings) {
  /** Where there is no folder: only what is on the class path is found. */
  public static final Path NO_FOLDERS = Path.of(System.getProperty("java.home"), "no-plug-ins");

  public PluginSettings {
    settings = Map.copyOf(settings);
  }
}
