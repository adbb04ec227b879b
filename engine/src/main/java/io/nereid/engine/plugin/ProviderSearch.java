package io.nereid.engine.plugin;

import io.nereid.error.InferenceException;
import io.nereid.error.IoReason;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * A search for the providers of a service: in each folder of jars under a directory, then on the
 * class path. A folder whose jars cannot be loaded affects no other.
 *
 * @param kind of the service's providers, such as {@code backend}
 * @param found adds a provider, which is in a folder or in {@code the class path}
 * @param failed reports why a folder's jars, by its name, cannot be loaded, or have no provider
 * @param <P> the service
 */
public record ProviderSearch<P>(
    Class<P> service,
    String kind,
    BiConsumer<P, String> found,
    BiConsumer<String, Throwable> failed) {
  private static final System.Logger LOG = System.getLogger(ProviderSearch.class.getName());

  /**
   * Searches once, and creates every provider that it finds.
   *
   * @param directory need not exist
   */
  public void run(Path directory) {
    for (Path jar : jarsBeside(directory)) {
      LOG.log(Level.WARNING, "{0} {1}", jar, beside(kind, directory));
    }
    for (Path folder : list(directory, "")) {
      if (Files.isDirectory(folder)) {
        scan(folder);
      }
    }
    collect(ProviderSearch.class.getClassLoader(), List.of(), "the class path");
  }

  /** The jars that lie in a directory of plug-ins itself, where none is read. */
  public static List<Path> jarsBeside(Path directory) {
    return list(directory, ".jar").stream().filter(Files::isRegularFile).toList();
  }

  /** What is said of a jar that lies in a directory of plug-ins itself. */
  public static String beside(String kind, Path directory) {
    return "is not read: each %s has a folder of its own in %s".formatted(kind, directory);
  }

  /**
   * The absolute path of the folder whose jars the class of {@code provider} is from; empty if it
   * is from the class path.
   */
  public static Optional<Path> folder(Object provider) {
    return provider.getClass().getClassLoader() instanceof PluginClassLoader loader
        ? Optional.of(loader.folder())
        : Optional.empty();
  }

  /** The name of the folder whose jars a class is from; empty if it is from none. */
  public static Optional<String> folderName(Class<?> type) {
    return type.getClassLoader() instanceof PluginClassLoader loader
        ? Optional.of(String.valueOf(loader.folder().getFileName()))
        : Optional.empty();
  }

  public void scan(Path folder) {
    String name = folder.getFileName().toString();
    List<Path> jars = list(folder, ".jar");
    if (jars.isEmpty()) {
      LOG.log(Level.WARNING, "no jar in {0} folder {1}", kind, folder);
      return;
    }
    // The loader lives as long as the server: native libraries are unloaded with their loader.
    if (!collect(new PluginClassLoader(kind, folder, jars), jars, folder.toString())) {
      failed.accept(
          name,
          InferenceException.unavailable(
              "no jar in %s declares a %s".formatted(folder, service.getName())));
    }
  }

  /**
   * Adds the providers of a loader; false if there is none, and no failure was reported.
   *
   * @param jars whose module descriptors count: they are no modules here, so that {@link
   *     ServiceLoader} reads their service files only
   */
  private boolean collect(ClassLoader loader, List<Path> jars, String where) {
    Set<Class<?>> types = new HashSet<>();
    try (var _ = new PluginContext(loader)) {
      for (P provider : ServiceLoader.load(service, loader)) {
        types.add(provider.getClass());
        found.accept(provider, where);
      }
      for (Path jar : jars) {
        for (Class<? extends P> type : ModuleProviders.of(service, jar, loader)) {
          if (types.add(type)) {
            found.accept(ModuleProviders.open(service, type), where);
          }
        }
      }
    } catch (ReflectiveOperationException | RuntimeException | Error broken) {
      failed.accept(Path.of(where).getFileName().toString(), broken);
      return true;
    }
    return !types.isEmpty();
  }

  private static List<Path> list(Path directory, String suffix) {
    List<Path> found = new ArrayList<>();
    if (!Files.isDirectory(directory)) {
      return found;
    }
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, "*" + suffix)) {
      entries.forEach(found::add);
    } catch (IOException unreadable) {
      LOG.log(Level.WARNING, "cannot list {0}: {1}", directory, IoReason.of(unreadable));
    }
    found.sort(null);
    return found;
  }
}
