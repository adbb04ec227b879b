package io.nereid.java.code;

import io.nereid.java.ModelExit;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The loader of one version's classes, from memory. Of the classes around it, it sees those of the
 * platform, the contract and the model's libraries, whose loader is another of this class.
 * Thread-safe. It holds no file, so that it needs no close: it goes with the last reference to it
 * or to one of its classes.
 */
final class VersionClassLoader extends ClassLoader {
  static {
    registerAsParallelCapable();
  }

  private final Path folder;
  private final Map<String, List<byte[]>> entries;
  private final ProtectionDomain domain;

  /**
   * @param name for stack traces
   * @param folder where the classes come from
   * @param entries classes and resources by name; not changed any more
   * @param libraries of the model
   */
  static VersionClassLoader ofVersion(
      String name, Path folder, Map<String, List<byte[]>> entries, ModelLibraries libraries) {
    return new VersionClassLoader(
        name, folder, entries, new Contract(libraries.loader(), Contract::isOfModels));
  }

  /**
   * A loader of libraries, which know nothing of models. {@link System#loadLibrary} finds native
   * ones in their folder.
   */
  static VersionClassLoader ofLibraries(Path folder, Map<String, List<byte[]>> entries) {
    var platform =
        new Contract(ClassLoader.getPlatformClassLoader(), ModelExit.class.getName()::equals);
    return new VersionClassLoader("lib", folder, entries, platform);
  }

  private VersionClassLoader(
      String name, Path folder, Map<String, List<byte[]>> entries, Contract parent) {
    super(name, parent);
    this.folder = folder;
    this.entries = entries;
    this.domain =
        new ProtectionDomain(new CodeSource(url(folder), (Certificate[]) null), null, this, null);
  }

  private static URL url(Path folder) {
    try {
      return folder.toUri().toURL();
    } catch (MalformedURLException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    List<byte[]> found = entries.get(name.replace('.', '/') + ".class");
    if (found == null) {
      throw new ClassNotFoundException(name);
    }
    byte[] bytes = ExitCalls.redirected(found.getFirst(), this);
    return defineClass(name, bytes, 0, bytes.length, domain);
  }

  /** The JVM calls it for classes of this loader only. */
  @Override
  protected @Nullable String findLibrary(String name) {
    Path library = folder.resolve(System.mapLibraryName(name));
    return Files.isRegularFile(library) ? library.toString() : null;
  }

  @Override
  protected @Nullable URL findResource(String name) {
    List<byte[]> found = entries.get(name);
    return found == null ? null : url(name, 0, found.getFirst());
  }

  @Override
  protected Enumeration<URL> findResources(String name) {
    List<URL> urls = new ArrayList<>();
    for (byte[] bytes : entries.getOrDefault(name, List.of())) {
      urls.add(url(name, urls.size(), bytes));
    }
    return Collections.enumeration(urls);
  }

  private static URL url(String name, int index, byte[] bytes) {
    try {
      return URL.of(new URI("memory", null, "/" + name, "" + index), new InMemory(bytes));
    } catch (URISyntaxException | MalformedURLException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** Opens a resource that is in memory. */
  private static final class InMemory extends URLStreamHandler {
    private final byte[] bytes;

    InMemory(byte[] bytes) {
      this.bytes = bytes;
    }

    @Override
    protected URLConnection openConnection(URL url) {
      return new URLConnection(url) {
        @Override
        public void connect() {
          connected = true;
        }

        @Override
        public long getContentLengthLong() {
          return bytes.length;
        }

        @Override
        public InputStream getInputStream() throws IOException {
          return new ByteArrayInputStream(bytes);
        }
      };
    }
  }

  /** A loader of the classes that models are written against, and of those of its parent. */
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

    private static final String OURS = "io.nereid.java.";

    private final ClassLoader backend = VersionClassLoader.class.getClassLoader();

    private final Predicate<String> seen;

    /**
     * @param seen the names of the backend's classes that are seen, before those of the parent
     */
    Contract(ClassLoader parent, Predicate<String> seen) {
      super("contract", parent);
      this.seen = seen;
    }

    static boolean isOfModels(String name) {
      boolean isOurs = name.startsWith(OURS) && name.indexOf('.', OURS.length()) < 0;
      return isOurs || PACKAGES.stream().anyMatch(name::startsWith);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      return seen.test(name) ? backend.loadClass(name) : super.loadClass(name, resolve);
    }

    @Override
    protected @Nullable URL findResource(String name) {
      return null; // services on the server's class path are not the model's
    }

    @Override
    protected Enumeration<URL> findResources(String name) {
      return Collections.emptyEnumeration();
    }
  }
}
