package io.nereid.text.tokenizer;

import io.nereid.error.InferenceException;
import io.nereid.error.IoReason;
import io.nereid.spi.LastingLoaders;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The native methods of {@code ai.djl.huggingface.tokenizers.jni.TokenizersLibrary}, a typed method
 * for each that is used. Its class, and with it the library, has one loader for the process. It
 * never reads a network. A handle is freed by its owner; any thread may use it meanwhile.
 *
 * <p>A panic of the library ends the process, so what makes it panic is refused before: see {@link
 * TokenizerCheck}.
 */
public final class TokenizerLibrary {
  private static final String PACKAGE = "ai/djl/huggingface/tokenizers/jni/";
  private static final String NATIVE = PACKAGE + "TokenizersLibrary";
  private static final MethodType OBJECTS = MethodType.methodType(Object[].class, long.class);
  private static final MethodType NUMBER = MethodType.methodType(int.class, Object.class);

  private final MethodHandle create;
  private final MethodHandle delete;
  private final MethodHandle disablePadding;
  private final MethodHandle setTruncation;
  private final MethodHandle encode;
  private final MethodHandle encodePair;
  private final MethodHandle deleteEncoding;
  private final MethodHandle ids;
  private final MethodHandle typeIds;
  private final MethodHandle tokens;
  private final MethodHandle specialMask;
  private final MethodHandle spans;
  private final MethodHandle spanStart;
  private final MethodHandle spanEnd;
  private final MethodHandle overflowCount;
  private final MethodHandle overflowing;

  private TokenizerLibrary(Class<?> type) throws ReflectiveOperationException {
    Object library = type.getField("LIB").get(null);
    create = method(library, "createTokenizerFromString", String.class);
    delete = method(library, "deleteTokenizer", long.class);
    disablePadding = method(library, "disablePadding", long.class);
    setTruncation =
        method(library, "setTruncation", long.class, int.class, String.class, int.class);
    encode = method(library, "encode", long.class, String.class, boolean.class);
    encodePair =
        method(library, "encodeDual", long.class, String.class, String.class, boolean.class);
    deleteEncoding = method(library, "deleteEncoding", long.class);
    ids = method(library, "getTokenIds", long.class);
    typeIds = method(library, "getTypeIds", long.class);
    tokens = method(library, "getTokens", long.class);
    specialMask = method(library, "getSpecialTokenMask", long.class);
    Method getSpans = type.getMethod("getTokenCharSpans", long.class);
    spans = method(library, getSpans.getName(), long.class).asType(OBJECTS);
    Class<?> span = getSpans.getReturnType().componentType();
    spanStart = MethodHandles.publicLookup().unreflect(span.getMethod("getStart")).asType(NUMBER);
    spanEnd = MethodHandles.publicLookup().unreflect(span.getMethod("getEnd")).asType(NUMBER);
    overflowCount = method(library, "getOverflowCount", long.class);
    overflowing = method(library, "getOverflowing", long.class);
  }

  private static MethodHandle method(Object library, String name, Class<?>... parameters)
      throws ReflectiveOperationException {
    return MethodHandles.publicLookup()
        .unreflect(library.getClass().getMethod(name, parameters))
        .bindTo(library);
  }

  /**
   * Loads the library, unless another engine of the process has.
   *
   * @param folder where DJL's jar is unpacked; empty if it is on the class path
   * @param cache where a copy of the library may be; empty for the user's cache
   * @throws InferenceException UNAVAILABLE if it cannot be loaded
   */
  public static TokenizerLibrary open(Optional<Path> folder, Optional<Path> cache) {
    var files = new TokenizerFiles(folder, cache);
    try {
      Map<String, byte[]> classes = new LinkedHashMap<>();
      for (String name : new String[] {NATIVE, PACKAGE + "CharSpan"}) {
        classes.put(name.replace('/', '.'), files.read(name + ".class"));
      }
      classes.put(LibraryOpener.class.getName(), opener());
      byte[] version = files.read("native/lib/tokenizers.properties");
      ClassLoader loader =
          LastingLoaders.of(digest(classes, version), () -> loader(classes, files));
      return new TokenizerLibrary(loader.loadClass(NATIVE.replace('/', '.')));
    } catch (IOException failed) {
      throw unavailable(IoReason.withPath(failed));
    } catch (UncheckedIOException failed) {
      throw unavailable(IoReason.withPath(Objects.requireNonNull(failed.getCause())));
    } catch (ReflectiveOperationException changed) {
      throw unavailable("ai.djl.huggingface:tokenizers has another version: " + changed);
    }
  }

  private static byte[] opener() throws IOException {
    try (InputStream in = LibraryOpener.class.getResourceAsStream("LibraryOpener.class")) {
      if (in == null) {
        throw new IOException("the class LibraryOpener is not on the class path");
      }
      return in.readAllBytes();
    }
  }

  private static String digest(Map<String, byte[]> classes, byte[] version) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      classes.values().forEach(digest::update);
      return "tokenizers-" + HexFormat.of().formatHex(digest.digest(version));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** Makes the loader, and has a class of it load the library. */
  private static ClassLoader loader(Map<String, byte[]> classes, TokenizerFiles files) {
    var loader = new TokenizerClasses(classes);
    try {
      Path library = files.library();
      try {
        @SuppressWarnings("unchecked")
        var opener =
            (Consumer<String>)
                loader.loadClass(LibraryOpener.class.getName()).getConstructor().newInstance();
        opener.accept(library.toAbsolutePath().toString());
      } catch (UnsatisfiedLinkError unusable) {
        throw new IOException(
            "'%s' cannot be loaded: %s; on Linux it needs glibc 2.34 or later, and libstdc++"
                .formatted(library, unusable.getMessage()),
            unusable);
      } catch (ReflectiveOperationException impossible) {
        throw new IllegalStateException(impossible);
      }
      return loader;
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private static InferenceException unavailable(String reason) {
    return InferenceException.unavailable("tokenizers are not available: " + reason);
  }

  /**
   * Makes a tokenizer.
   *
   * @param json which {@link TokenizerCheck} has passed
   * @throws InferenceException INVALID_ARGUMENT if the library refuses it
   */
  long create(String json) {
    try {
      return (long) create.invokeExact(json);
    } catch (Throwable failed) {
      throw refused(failed);
    }
  }

  void delete(long tokenizer) {
    try {
      delete.invokeExact(tokenizer);
    } catch (Throwable failed) {
      throw refused(failed);
    }
  }

  void disablePadding(long tokenizer) {
    try {
      disablePadding.invokeExact(tokenizer);
    } catch (Throwable failed) {
      throw refused(failed);
    }
  }

  /**
   * Has encodings cut at their right end, the longer text of a pair first.
   *
   * @param maxTokens more than the special tokens of an encoding, else the library panics
   */
  void truncate(long tokenizer, int maxTokens) {
    try {
      setTruncation.invokeExact(tokenizer, maxTokens, "LONGEST_FIRST", 0);
    } catch (Throwable failed) {
      throw refused(failed);
    }
  }

  /** Encodes a text; to be freed. */
  long encode(long tokenizer, String text, boolean withSpecialTokens) {
    try {
      return (long) encode.invokeExact(tokenizer, text, withSpecialTokens);
    } catch (Throwable failed) {
      throw refused(failed);
    }
  }

  /** Encodes a pair; to be freed. */
  long encode(long tokenizer, String text, String pair, boolean withSpecialTokens) {
    try {
      return (long) encodePair.invokeExact(tokenizer, text, pair, withSpecialTokens);
    } catch (Throwable failed) {
      throw refused(failed);
    }
  }

  void deleteEncoding(long encoding) {
    try {
      deleteEncoding.invokeExact(encoding);
    } catch (Throwable failed) {
      throw refused(failed);
    }
  }

  long[] ids(long encoding) {
    return longs(ids, encoding);
  }

  long[] typeIds(long encoding) {
    return longs(typeIds, encoding);
  }

  /** The tokens as the vocabulary has them. */
  String[] tokens(long encoding) {
    try {
      return (String[]) tokens.invokeExact(encoding);
    } catch (Throwable failed) {
      throw refused(failed);
    }
  }

  /** 1 for each special token, else 0. */
  long[] specialMask(long encoding) {
    return longs(specialMask, encoding);
  }

  /** Where tokens are in their text, in code points: start and end of each; -1 if it is nowhere. */
  int[] spans(long encoding) {
    try {
      Object[] all = (Object[]) spans.invokeExact(encoding);
      int[] places = new int[all.length * 2];
      for (int i = 0; i < all.length; i++) {
        Object span = all[i];
        places[2 * i] = span == null ? -1 : (int) spanStart.invokeExact(span);
        places[2 * i + 1] = span == null ? -1 : (int) spanEnd.invokeExact(span);
      }
      return places;
    } catch (Throwable failed) {
      throw refused(failed);
    }
  }

  /** How many encodings hold what was cut. */
  int overflowCount(long encoding) {
    try {
      return (int) overflowCount.invokeExact(encoding);
    } catch (Throwable failed) {
      throw refused(failed);
    }
  }

  /** The encodings of what was cut; each to be freed. */
  long[] overflowing(long encoding) {
    return longs(overflowing, encoding);
  }

  private static long[] longs(MethodHandle method, long encoding) {
    try {
      return (long[]) method.invokeExact(encoding);
    } catch (Throwable failed) {
      throw refused(failed);
    }
  }

  private static InferenceException refused(Throwable failed) {
    if (failed instanceof Error error) {
      throw error;
    }
    return InferenceException.invalid("the tokenizer says: " + failed.getMessage());
  }
}
