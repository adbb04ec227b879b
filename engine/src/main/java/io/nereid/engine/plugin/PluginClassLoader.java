package io.nereid.engine.plugin;

import java.io.IOException;
import java.io.InputStream;
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
 * plug-in and server can use different versions of a library. If the jars have the API of SLF4J 2
 * and no provider, it logs by {@link System.Logger}.
 */
final class PluginClassLoader extends URLClassLoader {
  static {
    registerAsParallelCapable();
  }

  /** The classes that are defined anew for each plug-in that has the API of SLF4J. */
  private static final String SLF4J_CLASSES = PluginClassLoader.class.getPackageName() + ".slf4j.";

  private static final String SLF4J_PROVIDERS =
      "META-INF/services/org.slf4j.spi.SLF4JServiceProvider";

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

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    if (!name.startsWith(SLF4J_CLASSES)) {
      return super.findClass(name);
    }
    String file = name.substring(PluginClassLoader.class.getPackageName().length() + 1);
    try (InputStream in =
        PluginClassLoader.class.getResourceAsStream(file.replace('.', '/') + ".class")) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      byte[] bytes = in.readAllBytes();
      return defineClass(name, bytes, 0, bytes.length);
    } catch (IOException unreadable) {
      throw new ClassNotFoundException(name, unreadable);
    }
  }

  /** Those in the jars; for SLF4J, if they have no provider, the one for the server's log. */
  @Override
  public Enumeration<URL> findResources(String name) throws IOException {
    Enumeration<URL> found = super.findResources(name);
    URL provider = PluginClassLoader.class.getResource("slf4j-provider");
    return name.equals(SLF4J_PROVIDERS) && !found.hasMoreElements() && provider != null
        ? Collections.enumeration(List.of(provider))
        : found;
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
