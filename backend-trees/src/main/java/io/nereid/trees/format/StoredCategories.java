package io.nereid.trees.format;

import io.nereid.trees.forest.Categories;
import io.nereid.trees.forest.MalformedModelException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;

/**
 * The categories that the libraries store beside the trees: XGBoost since 3.1 as {@code cats},
 * LightGBM's Python package as the line {@code pandas_categorical}.
 */
final class StoredCategories {
  private static final int LAST_ASCII = 0x7F;

  /** What the JDK decodes bytes to that are not of UTF-8. */
  private static final int NOT_UTF_8 = 0xFFFD;

  private final Map<Integer, Categories> ofFeatures = new HashMap<>();
  private int feature;
  private int[] offsets = {};
  private double[] values = {};

  /** By feature. */
  Map<Integer, Categories> ofFeatures() {
    return ofFeatures;
  }

  /**
   * Those of XGBoost by feature. Before 3.4 it takes the offsets of texts from pandas in characters
   * where their bytes are of UTF-8, and cuts the end off.
   *
   * @param hasOffsetsOfCharacters whether the file is of such a version
   */
  Map<Integer, Categories> ofXgboost(boolean hasOffsetsOfCharacters) {
    IntPredicate isWrong =
        hasOffsetsOfCharacters ? letter -> letter > LAST_ASCII : letter -> letter == NOT_UTF_8;
    ofFeatures.replaceAll((_, each) ->
        new Categories(
            each.texts(),
            each.areNumbers(),
            each.texts().stream().flatMapToInt(String::codePoints).anyMatch(isWrong)));
    return ofFeatures;
  }

  /** Reads a member of XGBoost's {@code cats}. */
  void xgboost(DocumentReader document, String name) throws IOException {
    if (!name.equals("enc")) {
      document.skip();
      return;
    }
    document.array(() -> {
      offsets = new int[0];
      values = new double[0];
      document.object(member -> {
        switch (member) {
          case "offsets" -> offsets = document.ints();
          case "values" -> values = document.doubles();
          default -> document.skip();
        }
      });
      addXgboost();
    });
  }

  /** Texts are bytes one after the other, with the offset of each and of their end. */
  private void addXgboost() throws MalformedModelException {
    List<String> texts = new ArrayList<>();
    boolean areNumbers = offsets.length == 0;
    for (int i = 0; areNumbers && i < values.length; i++) {
      texts.add(text(values[i]));
    }
    byte[] bytes = new byte[values.length];
    for (int i = 0; !areNumbers && i < bytes.length; i++) {
      bytes[i] = (byte) values[i];
    }
    for (int i = 0; i + 1 < offsets.length; i++) {
      if (offsets[i] < 0 || offsets[i + 1] < offsets[i] || offsets[i + 1] > bytes.length) {
        throw new MalformedModelException(
            "the categories of feature %d do not ascend to their %d bytes"
                .formatted(feature, bytes.length));
      }
      texts.add(new String(bytes, offsets[i], offsets[i + 1] - offsets[i], StandardCharsets.UTF_8));
    }
    add(feature++, texts, areNumbers);
  }

  /**
   * Reads LightGBM's line, which has a list for each categorical feature.
   *
   * @param json behind {@code pandas_categorical:}
   * @param categorical the categorical features, ascending; the line is of no use if they are not
   *     as many
   */
  void lightGbm(String json, int[] categorical) throws IOException {
    byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
    var reader =
        new JsonTreeReader(
            new ByteSource(new ByteArrayInputStream(bytes), bytes.length, ByteOrder.BIG_ENDIAN));
    if (!reader.isArray()) {
      return; // null
    }
    List<Categories> lists = new ArrayList<>();
    reader.array(() -> {
      List<String> texts = new ArrayList<>();
      List<Boolean> kinds = new ArrayList<>();
      reader.array(() -> {
        kinds.add(reader.isText());
        texts.add(reader.isText() ? reader.text() : text(reader.number()));
      });
      lists.add(new Categories(texts, !kinds.contains(true), false));
    });
    if (lists.size() == categorical.length) {
      for (int i = 0; i < categorical.length; i++) {
        add(categorical[i], lists.get(i).texts(), lists.get(i).areNumbers());
      }
    }
  }

  private void add(int ofFeature, List<String> texts, boolean areNumbers) {
    if (!texts.isEmpty()) {
      ofFeatures.put(ofFeature, new Categories(texts, areNumbers, false));
    }
  }

  /** Integers without a fraction. */
  private static String text(double value) {
    return value == (long) value ? Long.toString((long) value) : Double.toString(value);
  }
}
