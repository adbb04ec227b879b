package io.nereid.demo;

import com.google.gson.JsonArray;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A handwritten digit of the test set.
 *
 * @param file the name of the request's file
 * @param pixels 8 rows of 8, 0 to 16
 * @param truth the digit that it shows
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Sample(String file, float[] pixels, int truth) {
  /** Reads {@code truth.tsv} and the requests that it lists. */
  static List<Sample> readAll(Path directory) throws IOException {
    List<Sample> samples = new ArrayList<>();
    for (String line : Files.readAllLines(directory.resolve("truth.tsv"))) {
      String[] columns = line.split("\t", -1);
      String body = Files.readString(directory.resolve(columns[0]));
      samples.add(new Sample(columns[0], pixels(body), Integer.parseInt(columns[1])));
    }
    return samples;
  }

  private static float[] pixels(String body) {
    JsonArray inputs = JsonParser.parseString(body).getAsJsonObject().getAsJsonArray("inputs");
    JsonArray data = inputs.get(0).getAsJsonObject().getAsJsonArray("data");
    float[] pixels = new float[data.size()];
    for (int i = 0; i < pixels.length; i++) {
      pixels[i] = data.get(i).getAsFloat();
    }
    return pixels;
  }

  /** The digit as 8 lines of characters. */
  List<String> drawing() {
    String inks = " .:-=+*#%@";
    List<String> lines = new ArrayList<>();
    for (int row = 0; row < 8; row++) {
      var line = new StringBuilder();
      for (int column = 0; column < 8; column++) {
        int ink = Math.round(pixels[row * 8 + column] * (inks.length() - 1) / 16);
        line.append(inks.charAt(ink)).append(inks.charAt(ink));
      }
      lines.add(line.toString());
    }
    return lines;
  }
}
