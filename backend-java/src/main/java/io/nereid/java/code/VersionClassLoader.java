package io.nereid.java.code;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The loader of one version's classes, from memory. Of the classes around it, it sees those of the
 * platform and the contract. Thread-safe. It holds no file, so that it needs no close: it goes with
 * the last reference to it or to one of its classes.
 */
final class VersionClassLoader extends ClassLoader {
  static {
    registerAsParallelCapable();
  }

  private final Map<String, List<byte[]>> entries;
  private final ProtectionDomain domain;

  /**
   * @param name for stack traces
   * @param folder where the classes come from
   * @param entries classes and resources by name; not changed any more
   */
  VersionClassLoader(String name, Path folder, Map<String, List<byte[]>> entries) {
    super(name, new Contract());
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

  /** A loader of the platform's classes and the packages that models are written against. */
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

    Contract() {
      super("contract", ClassLoader.getPlatformClassLoader());
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      boolean isOurs = name.startsWith(OURS) && name.indexOf('.', OURS.length()) < 0;
      if (isOurs || PACKAGES.stream().anyMatch(name::startsWith)) {
        return backend.loadClass(name);
      }
      throw new ClassNotFoundException(name);
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
