package io.nereid.text.tokenizer;

import java.util.Map;

/**
 * The class loader of the classes that the native library is tied to. It sees the platform only,
 * and lasts as long as the process: see {@link io.nereid.spi.LastingLoaders}.
 */
final class TokenizerClasses extends ClassLoader {
  private final Map<String, byte[]> classes;

  /**
   * @param classes the class files by the names of the classes
   */
  TokenizerClasses(Map<String, byte[]> classes) {
    super("tokenizers", ClassLoader.getPlatformClassLoader());
    this.classes = Map.copyOf(classes);
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    byte[] bytes = classes.get(name);
    if (bytes == null) {
      throw new ClassNotFoundException(name);
    }
    return defineClass(name, bytes, 0, bytes.length);
  }
}
