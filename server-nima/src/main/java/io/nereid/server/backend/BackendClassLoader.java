package io.nereid.server.backend;

import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A loader of one backend's jars. Of the server's classes it sees the contract only, so that
 * backend and server can use different versions of a library.
 */
final class BackendClassLoader extends URLClassLoader {
  static {
    registerAsParallelCapable();
  }

  /**
   * @param jars the class path
   */
  BackendClassLoader(String name, List<Path> jars) {
    super(
        "backend-" + name,
        jars.stream().map(BackendClassLoader::url).toArray(URL[]::new),
        new Contract());
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

    private final ClassLoader server = BackendClassLoader.class.getClassLoader();

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
      return null; // services on the server's class path are not the backend's
    }

    @Override
    protected Enumeration<URL> findResources(String name) {
      return Collections.emptyEnumeration();
    }
  }
}
