package io.nereid.engine.plugin;

import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A loader of one folder of jars. Of the server's classes it sees the contract only, so that
 * plug-in and server can use different versions of a library.
 */
final class PluginClassLoader extends URLClassLoader {
  static {
    registerAsParallelCapable();
  }

  private final Path folder;

  /**
   * @param kind of the plug-in; with the folder's name the loader's name
   * @param folder of the jars, in which the plug-in's native libraries may lie, too
   * @param jars the class path
   */
  PluginClassLoader(String kind, Path folder, List<Path> jars) {
    super(
        kind + "-" + folder.getFileName(),
        jars.stream().map(PluginClassLoader::url).toArray(URL[]::new),
        new Contract());
    this.folder = folder.toAbsolutePath().normalize();
  }

  /** The absolute path of the folder of the jars. */
  Path folder() {
    return folder;
  }

  /** A library of {@link System#loadLibrary} in the folder, else where the JVM looks for it. */
  @Override
  protected @Nullable String findLibrary(String name) {
    Path file = folder.resolve(System.mapLibraryName(name));
    return Files.isRegularFile(file) ? file.toString() : null;
  }

  private static URL url(Path jar) {
    try {
      return jar.toUri().toURL();
    } catch (MalformedURLException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** A loader of the platform's classes and the packages of the contract. */
  private static final class Contract extends ClassLoader {
    static {
      registerAsParallelCapable();
    }

    private static final List<String> PACKAGES =
        List.of(
            "io.nereid.config.",
            "io.nereid.error.",
            "io.nereid.request.",
            "io.nereid.spi.",
            "io.nereid.tensor.");

    private final ClassLoader server = PluginClassLoader.class.getClassLoader();

    Contract() {
      super("contract", ClassLoader.getPlatformClassLoader());
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      for (String prefix : PACKAGES) {
        if (name.startsWith(prefix)) {
          return server.loadClass(name);
        }
      }
      throw new ClassNotFoundException(name);
    }

    @Override
    protected @Nullable URL findResource(String name) {
      return null; // services on the server's class path are not the plug-in's
    }

    @Override
    protected Enumeration<URL> findResources(String name) {
      return Collections.emptyEnumeration();
    }
  }
}
