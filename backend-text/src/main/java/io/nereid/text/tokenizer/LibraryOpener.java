package io.nereid.text.tokenizer;

import java.util.function.Consumer;

/**
 * Loads the native library whose path it is given. The JVM ties a library to the loader of the
 * class that loads it, so this class is defined a second time by {@link TokenizerClasses}.
 */
public final class LibraryOpener implements Consumer<String> {
  @Override
  public void accept(String path) {
    System.load(path);
  }
}
