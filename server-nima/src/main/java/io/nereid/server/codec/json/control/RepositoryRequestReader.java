package io.nereid.server.codec.json.control;

import io.nereid.engine.model.control.LoadParameters;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.RequestLimits;
import io.nereid.server.codec.json.document.JsonDocument;
import io.nereid.server.codec.json.document.JsonValue;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A reader of the bodies of {@code POST /v2/repository/...}: JSON, or nothing. Texts and order of
 * checks are Triton's. Bodies are borrowed off-heap memory. Thread-safe.
 */
public final class RepositoryRequestReader {
  private static final String PARAMETERS = "parameters";
  private static final String CONFIG = "config";
  private static final String FILE = "file:";
  private static final String READY = "ready";
  private static final String UNLOAD_DEPENDENTS = "unload_dependents";

  /** Of a configuration in JSON. */
  private static final int MAX_CONFIG = 1 << 20;

  private static final int MAX_FILES = 1 << 14;

  /** The characters of base64 that are decoded at once: a multiple of four. */
  private static final int CHARACTERS = 16 << 10;

  private RepositoryRequestReader() {}

  /**
   * Whether an index request asks for ready models only.
   *
   * @throws InferenceException INTERNAL for malformed JSON, else INVALID_ARGUMENT
   */
  public static boolean readyOnly(MemorySegment body) {
    return isTrue(
        root(body).flatMap(request -> request.member(READY)),
        "Invalid value for 'ready': expected a boolean");
  }

  private static boolean isTrue(Optional<JsonValue> given, String otherwise) {
    if (given.isPresent() && !given.get().isBoolean()) {
      throw InferenceException.invalid(otherwise);
    }
    return given.isPresent() && given.get().asBoolean();
  }

  /**
   * The parameters of a load request, with files decoded.
   *
   * @throws InferenceException INTERNAL for malformed JSON, values of the wrong type and unknown
   *     parameters, else INVALID_ARGUMENT
   */
  public static LoadParameters loadParameters(MemorySegment body) {
    Optional<JsonValue> parameters = root(body).flatMap(request -> request.member(PARAMETERS));
    if (parameters.isEmpty()) {
      return LoadParameters.NONE;
    }
    Optional<String> config = Optional.empty();
    Map<String, ByteBuffer> files = new HashMap<>();
    Set<String> names = new HashSet<>();
    for (JsonValue.Member member :
        parameters.get().withoutLabel().members(MAX_FILES, "parameters", RequestLimits.MAX_NAME)) {
      String name = member.name();
      if (!names.add(name)) {
        continue; // the first of several members of one name is used
      }
      JsonValue value = member.value().withoutLabel().requireString();
      if (name.equals(CONFIG)) {
        config = Optional.of(value.asString("the configuration of a load", MAX_CONFIG));
      } else if (name.startsWith(FILE)) {
        files.put(name.substring(FILE.length()), decoded(name, value));
      } else {
        throw InferenceException.malformed(
            "unexpected error on creating Triton parameter: unrecognized load parameter '%s'."
                .formatted(name));
      }
    }
    return new LoadParameters(config, files);
  }

  /**
   * Whether an unload request asks to unload dependents as well.
   *
   * @throws InferenceException INTERNAL for malformed JSON, else INVALID_ARGUMENT
   */
  public static boolean unloadDependents(MemorySegment body) {
    return isTrue(
        root(body)
            .flatMap(request -> request.member(PARAMETERS))
            .flatMap(parameters -> parameters.member(UNLOAD_DEPENDENTS)),
        "Unable to parse 'unload_dependents': attempt to access JSON non-boolean as boolean");
  }

  private static Optional<JsonValue> root(MemorySegment body) {
    return body.byteSize() == 0 ? Optional.empty() : Optional.of(JsonDocument.parse(body).root());
  }

  /** The bytes of a file in base64, which may have line breaks. */
  private static ByteBuffer decoded(String name, JsonValue base64) {
    byte[] characters = new byte[CHARACTERS];
    try (InputStream text = base64.stringStream()) {
      byte[] file = new byte[(int) (base64.stringSize() / 4L * 3 + 3)];
      int size = 0;
      int count = CHARACTERS;
      while (count == CHARACTERS) {
        count = fill(text, characters);
        byte[] part = count == CHARACTERS ? characters : Arrays.copyOf(characters, count);
        byte[] bytes = Base64.getDecoder().decode(part);
        if (count == CHARACTERS
            && bytes.length < CHARACTERS / 4 * 3
            && fill(text, characters) > 0) {
          throw new IllegalArgumentException("characters behind the padding");
        }
        System.arraycopy(bytes, 0, file, size, bytes.length);
        size += bytes.length;
      }
      return ByteBuffer.wrap(size == file.length ? file : Arrays.copyOf(file, size));
    } catch (IllegalArgumentException invalid) {
      throw InferenceException.invalid(
          "load parameter '%s' is not valid base64: %s".formatted(name, invalid.getMessage()));
    } catch (IOException impossible) {
      throw new UncheckedIOException("reading from memory", impossible);
    }
  }

  /** Reads characters but line breaks; returns their number, less than asked for at the end. */
  private static int fill(InputStream text, byte[] characters) throws IOException {
    int count = 0;
    while (count < characters.length) {
      int next = text.read();
      if (next < 0) {
        break;
      }
      if (next != '\r' && next != '\n') {
        characters[count++] = (byte) next;
      }
    }
    return count;
  }
}
