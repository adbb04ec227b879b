package io.nereid.trees.format;

import io.nereid.tensor.DataType;
import io.nereid.trees.forest.Ensemble;
import io.nereid.trees.forest.MalformedModelException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The formats of model files, told apart by their first bytes. */
public enum TreeFileFormat {
  XGBOOST_JSON,
  XGBOOST_UBJ,
  LIGHTGBM_TEXT,
  TREELITE;

  /** Why a model of CatBoost is not read, and what to do. */
  static final String CATBOOST =
      "it is a model of CatBoost; save it by save_model(\"model.onnx\", format=\"onnx\") and serve it"
          + " with the backend onnxruntime";

  /** How many bytes tell the format. */
  private static final int HEAD = 16;

  /**
   * Reads a model.
   *
   * @param rowType the type of the rows that it is to predict, FP32 or FP64
   * @throws MalformedModelException if the file is no model that can be served
   * @throws IOException if it cannot be read
   */
  public static Ensemble read(Path file, DataType rowType) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return read(in, Files.size(file), of(file), rowType);
    }
  }

  private static TreeFileFormat of(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return of(in.readNBytes(HEAD));
    }
  }

  /** Reads a model from bytes, of which there are {@code size}. */
  static Ensemble read(InputStream in, long size, TreeFileFormat format, DataType rowType)
      throws IOException {
    var order = format == TREELITE ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
    var source = new ByteSource(in, size, order);
    return switch (format) {
      case XGBOOST_JSON -> XgboostFormat.read(new JsonTreeReader(source), rowType);
      case XGBOOST_UBJ -> XgboostFormat.read(new UbjTreeReader(source), rowType);
      case LIGHTGBM_TEXT -> LightGbmFormat.read(source, rowType);
      case TREELITE -> TreeliteFormat.read(source, rowType);
    };
  }

  /** The format of a file that begins with these bytes. */
  static TreeFileFormat of(byte[] head) throws MalformedModelException {
    String text = new String(head, StandardCharsets.ISO_8859_1);
    String visible = text.stripLeading();
    if (text.isEmpty()) {
      throw new MalformedModelException("the file is empty");
    }
    if (visible.startsWith("{")) {
      String member = visible.substring(1).stripLeading();
      return member.isEmpty() || member.startsWith("\"") || member.startsWith("}")
          ? XGBOOST_JSON
          : XGBOOST_UBJ;
    }
    if (text.startsWith("tree\n") || text.startsWith("tree\r\n")) {
      return LIGHTGBM_TEXT;
    }
    if (head.length > 12 && head[0] == 4 && head[1] == 0 && head[2] == 0 && head[3] == 0) {
      return TREELITE;
    }
    if (visible.startsWith("[") || visible.startsWith("booster[")) {
      throw new MalformedModelException(
          "it is a dump of XGBoost; save the model by Booster.save_model");
    }
    if (text.startsWith("CBM1")) {
      throw new MalformedModelException(CATBOOST);
    }
    if (text.startsWith("binf") || text.startsWith("bs64")) {
      throw new MalformedModelException(
          "it is in XGBoost's old binary format; save it again as .json or .ubj");
    }
    if (head.length > 1 && (head[0] & 0xff) == 0x80 && head[1] >= 2 && head[1] <= 5) {
      throw new MalformedModelException(
          "it is a pickle of Python; save a model of XGBoost or LightGBM by save_model, and one of"
              + " scikit-learn by treelite: treelite.sklearn.import_model(model).serialize(file)");
    }
    throw new MalformedModelException(
        "it is no model of XGBoost (JSON or UBJSON), LightGBM (text) or treelite (version 4)");
  }
}
