package io.nereid.java.code;

import io.nereid.error.InferenceException;
import io.nereid.error.IoReason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import org.jspecify.annotations.Nullable;

/**
 * The class of a model: found in the code of a version, and loaded by a loader for that version.
 *
 * @param model the model's name, for messages
 * @param types what the class may implement
 */
public record ModelClass(String model, Set<Class<?>> types) {
  /** The parameter of a configuration that names the class. */
  public static final String PARAMETER = "class";

  public ModelClass {
    types = Set.copyOf(types);
  }

  /**
   * Compiles the sources of a version if there are any, chooses the class and loads it, without
   * running any of its code.
   *
   * @param modelDirectory which may have a folder {@code lib}
   * @param place the version's folder, or a jar or source in it
   * @param loaderName for stack traces
   * @param name of the class; null for the only one that implements one of the types
   * @param compiler null where there is none
   * @throws InferenceException UNAVAILABLE if files cannot be read or there is no compiler,
   *     INVALID_ARGUMENT for code that does not compile or has no such class
   */
  public Class<?> load(
      Path modelDirectory,
      Path place,
      String loaderName,
      @Nullable String name,
      @Nullable JavaCompiler compiler) {
    Map<String, List<byte[]>> entries;
    VersionCode code;
    ModelLibraries libraries;
    try {
      libraries = ModelLibraries.of(modelDirectory);
      code = VersionCode.of(place);
      entries = new LinkedHashMap<>(code.read());
      if (!code.sources().isEmpty()) {
        new SourceCompiler(model, libraries.jars(), compiler)
            .compile(code)
            .forEach((file, bytes) -> entries.put(file, List.of(bytes)));
      }
    } catch (IOException unreadable) {
      throw InferenceException.unavailable(
          "the code of model '%s' cannot be read: %s".formatted(model, IoReason.of(unreadable)));
    }
    String chosen = name == null ? onlyOne(entries, place) : name;
    var loader = VersionClassLoader.ofVersion(loaderName, code.folder(), entries, libraries);
    return load(chosen, loader, place);
  }

  /** Whether a class is of a version's code, and has a loader of its own. */
  public static boolean isLoaded(Class<?> type) {
    return type.getClassLoader() instanceof VersionClassLoader;
  }

  private String onlyOne(Map<String, List<byte[]>> entries, Path place) {
    ClassSearch search;
    try {
      Set<String> names = types.stream().map(Class::getName).collect(Collectors.toSet());
      search = new ClassSearch(entries, names);
    } catch (IllegalArgumentException noClass) {
      throw InferenceException.invalid("model '%s': %s".formatted(model, noClass.getMessage()));
    }
    Set<String> candidates = search.candidates();
    if (candidates.size() == 1) {
      return candidates.iterator().next();
    }
    if (candidates.isEmpty() && !search.hidden().isEmpty()) {
      throw InferenceException.invalid(
          "model '%s': class %s in '%s' is not public"
              .formatted(model, listed(search.hidden().stream()), place));
    }
    if (candidates.isEmpty()) {
      throw InferenceException.invalid(
          "model '%s': no public class in '%s' implements %s".formatted(model, place, typeNames()));
    }
    throw InferenceException.invalid(
        "model '%s': parameter '%s' must name one of the classes %s"
            .formatted(model, PARAMETER, listed(candidates.stream())));
  }

  private Class<?> load(String name, ClassLoader loader, Path place) {
    Class<?> found;
    try {
      found = Class.forName(name, false, loader);
    } catch (ClassNotFoundException missing) {
      throw InferenceException.invalid(
          "model '%s': there is no class '%s' in '%s'".formatted(model, name, place));
    } catch (LinkageError broken) {
      throw InferenceException.invalid(
          "model '%s': class '%s' cannot be loaded: %s".formatted(model, name, broken));
    }
    return check(found);
  }

  /**
   * Checks that a class implements one of the types, and returns it.
   *
   * @throws InferenceException INVALID_ARGUMENT if not
   */
  public Class<?> check(Class<?> found) {
    if (types.stream().noneMatch(type -> type.isAssignableFrom(found))) {
      throw InferenceException.invalid(
          "model '%s': class '%s' implements none of %s"
              .formatted(model, found.getName(), typeNames()));
    }
    return found;
  }

  private String typeNames() {
    return listed(types.stream().map(Class::getName).sorted());
  }

  private static String listed(Stream<String> names) {
    return names.limit(20).collect(Collectors.joining(", "));
  }
}
