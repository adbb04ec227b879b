package io.nereid.tck.repository;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Loads and unloads models as the rules of model control say, but for one defect. */
final class PlainManager {
  /** The status and the text of an error. */
  static final class Rejection extends RuntimeException {
    private static final long serialVersionUID = 1L;

    final int status;

    Rejection(int status, String message) {
      super(message);
      this.status = status;
    }
  }

  private final List<Path> repositories;
  private final Defect defect;
  private final Map<String, PlainModel> models = new TreeMap<>();

  /** The models that have failed before their versions were known, which no row shows. */
  private final Set<String> versionless = new HashSet<>();

  PlainManager(List<Path> repositories, Defect defect) {
    this.repositories = repositories;
    this.defect = defect;
  }

  @Nullable PlainModel model(String name) {
    return models.get(name);
  }

  boolean isReady() {
    return defect != Defect.IS_NOT_READY_AFTER_UNLOAD
        || models.values().stream().allMatch(PlainModel::isReady);
  }

  /** The rows of all models, as JSON. */
  String index(boolean readyOnly) {
    Set<String> names = new TreeSet<>();
    repositories.forEach(repository -> names.addAll(names(repository)));
    if (defect == Defect.LISTS_MODELS_WITHOUT_A_FOLDER) {
      names.addAll(models.keySet());
    }
    List<String> rows = new ArrayList<>();
    for (String name : names) {
      PlainModel model = models.get(name);
      if (folders(name).size() > 1) {
        rows.add(
            "{\"name\":\"%s\",\"state\":\"UNAVAILABLE\",\"reason\":\"model appears in two or more repositories\"}"
                .formatted(name));
      } else if (model != null) {
        rows.add(model.rows(name, readyOnly, defect));
      } else if (!readyOnly
          && !versionless.contains(name)
          && defect != Defect.HIDES_MODELS_THAT_ARE_NOT_LOADED) {
        rows.add("{\"name\":\"%s\"}".formatted(name));
      }
    }
    rows.removeIf(String::isEmpty);
    return "[" + String.join(",", rows) + "]";
  }

  void load(String name, Map<String, String> parameters) {
    checkName(name);
    PlainModel model = models.getOrDefault(name, new PlainModel());
    Optional<String> sent = Optional.ofNullable(parameters.get("config"));
    if (defect == Defect.IGNORES_CONFIG) {
      sent = Optional.empty();
    }
    List<String> paths =
        parameters.keySet().stream()
            .filter(parameter -> parameter.startsWith("file:"))
            .map(parameter -> parameter.substring(5))
            .toList();
    if (!paths.isEmpty()) {
      loadFiles(name, model, sent, paths);
      return;
    }
    List<Path> folders = folders(name);
    boolean unique = folders.size() == 1 || defect == Defect.LOADS_ONE_OF_TWO_MODELS_OF_A_NAME;
    if (folders.isEmpty() || !unique) {
      throw pollFailed(name);
    }
    loadFolder(name, model, sent, folders.getFirst());
  }

  private void checkName(String name) {
    if (defect == Defect.ACCEPTS_ANY_NAME) {
      return;
    }
    if (name.isBlank()) {
      throw new Rejection(400, "Model name cannot be empty. Please enter a valid name to deploy.");
    }
    if (name.equals("..") || name.contains("/")) {
      throw new Rejection(
          400,
          "invalid model name '%s', model name must not contain path traversal characters"
              .formatted(name));
    }
  }

  private void loadFiles(
      String name, PlainModel model, Optional<String> config, List<String> paths) {
    boolean configured = config.isPresent() || defect == Defect.LOADS_FILES_WITHOUT_CONFIG;
    boolean legal =
        defect == Defect.LOADS_FILES_OF_ANY_PATH
            || paths.stream()
                .allMatch(path -> path.matches("\\d+/\\w+(\\.\\w+)?") && path.length() < 256);
    if (!configured || !legal) {
      throw pollFailed(name);
    }
    List<Long> versions =
        paths.stream()
            .filter(path -> path.matches("\\d+/.*"))
            .map(path -> Long.parseLong(path.substring(0, path.indexOf('/'))))
            .toList();
    load(name, model, new PlainConfig(config.orElse("")), versions, Map.of());
    model.overridden = true;
  }

  private void loadFolder(String name, PlainModel model, Optional<String> sent, Path folder) {
    Map<String, Long> files = files(folder);
    boolean changed = !files.equals(model.files);
    boolean keepsOverride =
        model.overridden
            && defect != Defect.FORGETS_CONFIG
            && (!changed || defect == Defect.KEEPS_CONFIG_FOR_EVER);
    PlainConfig config =
        sent.map(PlainConfig::new).orElse(keepsOverride ? model.config : configOf(folder));
    if (sent.isPresent() ? !config.isReadableJson(name) : !config.isReadable()) {
      throw pollFailed(name);
    }
    boolean serves = model.isReady() && !model.failed;
    boolean same = sent.isEmpty() && config.equals(model.config) && !changed;
    if (serves && same && defect != Defect.RELOADS_WHAT_HAS_NOT_CHANGED) {
      return;
    }
    if ((serves && defect == Defect.RELOADS_NOTHING)
        || (model.failed && defect == Defect.REPEATS_NO_FAILED_LOAD)) {
      return;
    }
    boolean instancesOnly =
        serves
            && sent.isEmpty()
            && config.differsInInstancesOnly(model.config)
            && withoutConfig(files).equals(withoutConfig(model.files))
            && defect != Defect.RELOADS_FOR_INSTANCES
            && !same;
    long inferences = model.inferences;
    load(name, model, config, versions(folder), files);
    model.overridden = sent.isPresent() || (keepsOverride && !model.failed);
    if (instancesOnly) {
      model.inferences = inferences;
    }
  }

  private void load(
      String name,
      PlainModel model,
      PlainConfig config,
      List<Long> available,
      Map<String, Long> files) {
    List<Long> versions = config.select(available);
    String end = defect == Defect.RESPONDS_WITHOUT_END_OF_LINE ? "" : "\n";
    if (versions.isEmpty()) {
      versionless.add(name);
      throw new Rejection(
          400,
          ("load failed for model '%s': at least one version must be available under the version"
                  + " policy of model '%s'%s")
              .formatted(name, name, end));
    }
    if (defect == Defect.UNLOADS_BEFORE_A_RELOAD) {
      model.unload();
    }
    models.put(name, model);
    Optional<String> failure = config.failure(name);
    model.failed = failure.isPresent();
    if (failure.isPresent()) {
      String reason = failure.get();
      if (!model.isReady()) {
        model.fail(versions, reason);
      }
      throw new Rejection(
          400,
          "load failed for model '%s': %s%s"
              .formatted(
                  name,
                  versions.stream()
                      .map(version ->
                          "version %d is at UNAVAILABLE state: %s;".formatted(version, reason))
                      .collect(Collectors.joining()),
                  end));
    }
    model.config = config;
    model.files = files;
    model.inferences = 0;
    model.serve(versions, defect == Defect.KEEPS_OLD_VERSIONS);
  }

  void unload(String name) {
    PlainModel model = models.get(name);
    if (model != null) {
      model.unload();
    } else if (defect == Defect.REJECTS_AN_UNKNOWN_UNLOAD) {
      throw new Rejection(404, "model '%s' is not loaded".formatted(name));
    }
  }

  private static Rejection pollFailed(String name) {
    return new Rejection(
        500, "failed to load '%s', failed to poll from model repository".formatted(name));
  }

  private List<Path> folders(String name) {
    return repositories.stream()
        .filter(repository -> names(repository).contains(name))
        .map(repository -> repository.resolve(name))
        .toList();
  }

  private static List<String> names(Path folder) {
    try (Stream<Path> found = Files.list(folder)) {
      return found.map(path -> path.getFileName().toString()).toList();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static List<Long> versions(Path folder) {
    return names(folder).stream()
        .filter(name -> name.matches("\\d+"))
        .map(Long::valueOf)
        .sorted()
        .toList();
  }

  private static PlainConfig configOf(Path folder) {
    try {
      return new PlainConfig(Files.readString(folder.resolve("config.pbtxt")));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static Map<String, Long> files(Path folder) {
    Map<String, Long> files = new TreeMap<>();
    try (Stream<Path> found = Files.walk(folder)) {
      for (Path file : found.filter(Files::isRegularFile).toList()) {
        files.put(folder.relativize(file).toString(), Files.getLastModifiedTime(file).toMillis());
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    return files;
  }

  private static Map<String, Long> withoutConfig(Map<String, Long> files) {
    Map<String, Long> others = new TreeMap<>(files);
    others.remove("config.pbtxt");
    return others;
  }
}
