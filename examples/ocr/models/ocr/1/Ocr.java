import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Reads text with the models of PaddleOCR: finds lines, turns those that are upside down, and
 * recognises them all in one batch. Lines are horizontal. Knows nothing of who runs the models.
 * Thread-safe.
 */
final class Ocr {
  /** What runs the models. */
  interface Models {
    /** Runs a model on its input {@code x}; returns its first output. */
    Answer infer(String model, float[] values, long... shape);
  }

  record Answer(float[] values, long[] shape) {}

  record Box(int x, int y, int width, int height) {}

  record Line(Box box, String text, float confidence) {}

  private static final int HEIGHT = 48;
  private static final int DIRECTION_WIDTH = 192;
  private static final int MIN_WIDTH = 320;

  /** Sides of the page are a multiple of it. */
  private static final int MULTIPLE = 32;

  private static final float MIN_INK = 0.3f;
  private static final float MIN_BOX = 0.5f;
  private static final float MIN_UPSIDE_DOWN = 0.9f;

  /** By how much a found box is enlarged, as a part of its area by its circumference. */
  private static final float ENLARGED = 1.6f;

  private static final int MIN_SIDE = 3;

  private final List<String> characters;

  /**
   * @param characters those that the model reads, in its order
   */
  Ocr(List<String> characters) {
    this.characters = characters;
  }

  /**
   * Reads a page.
   *
   * @param rgb rows of pixels of three bytes
   * @return from the top to the bottom
   */
  List<Line> read(byte[] rgb, int height, int width, Models models) {
    Page page = new Page(rgb, height, width);
    int paddedHeight = Math.ceilDiv(height, MULTIPLE) * MULTIPLE;
    int paddedWidth = Math.ceilDiv(width, MULTIPLE) * MULTIPLE;
    float[] whole = new float[3 * paddedHeight * paddedWidth];
    page.scale(
        new Box(0, 0, width, height), false, whole, 0, height, width, paddedHeight, paddedWidth);
    Answer ink = models.infer("text_finder", whole, 1, 3, paddedHeight, paddedWidth);
    List<Box> boxes = boxes(ink.values(), paddedHeight, paddedWidth, height, width);
    if (boxes.isEmpty()) {
      return List.of();
    }
    boolean[] upsideDown = upsideDown(page, boxes, models);

    int most = MIN_WIDTH;
    for (Box box : boxes) {
      most = Math.max(most, Math.ceilDiv(scaledWidth(box), 8) * 8);
    }
    float[] crops = new float[boxes.size() * 3 * HEIGHT * most];
    for (int i = 0; i < boxes.size(); i++) {
      Box box = boxes.get(i);
      page.scale(
          box, upsideDown[i], crops, i * 3 * HEIGHT * most, HEIGHT, scaledWidth(box), HEIGHT, most);
    }
    Answer read = models.infer("text_reader", crops, boxes.size(), 3, HEIGHT, most);
    List<Line> lines = new ArrayList<>();
    for (int i = 0; i < boxes.size(); i++) {
      lines.add(line(boxes.get(i), read, i));
    }
    return lines;
  }

  private static int scaledWidth(Box box) {
    return Math.max(1, Math.round((float) HEIGHT * box.width() / box.height()));
  }

  private static boolean[] upsideDown(Page page, List<Box> boxes, Models models) {
    int size = 3 * HEIGHT * DIRECTION_WIDTH;
    float[] crops = new float[boxes.size() * size];
    for (int i = 0; i < boxes.size(); i++) {
      int used = Math.min(DIRECTION_WIDTH, scaledWidth(boxes.get(i)));
      page.scale(boxes.get(i), false, crops, i * size, HEIGHT, used, HEIGHT, DIRECTION_WIDTH);
    }
    Answer directions =
        models.infer("text_direction", crops, boxes.size(), 3, HEIGHT, DIRECTION_WIDTH);
    boolean[] upsideDown = new boolean[boxes.size()];
    for (int i = 0; i < upsideDown.length; i++) {
      upsideDown[i] = directions.values()[2 * i + 1] > MIN_UPSIDE_DOWN;
    }
    return upsideDown;
  }

  /** The enlarged boxes around connected ink, from the top to the bottom. */
  private static List<Box> boxes(float[] ink, int inkHeight, int inkWidth, int height, int width) {
    List<Box> boxes = new ArrayList<>();
    boolean[] seen = new boolean[inkHeight * inkWidth];
    var next = new ArrayDeque<Integer>();
    for (int start = 0; start < seen.length; start++) {
      if (seen[start] || ink[start] < MIN_INK) {
        continue;
      }
      int left = inkWidth;
      int right = 0;
      int top = inkHeight;
      int bottom = 0;
      int count = 0;
      float sum = 0;
      seen[start] = true;
      next.add(start);
      while (!next.isEmpty()) {
        int at = next.remove();
        int x = at % inkWidth;
        int y = at / inkWidth;
        left = Math.min(left, x);
        right = Math.max(right, x);
        top = Math.min(top, y);
        bottom = Math.max(bottom, y);
        count++;
        sum += ink[at];
        for (int way = 0; way < 4; way++) {
          int u = x + (way == 0 ? 1 : way == 1 ? -1 : 0);
          int v = y + (way == 2 ? 1 : way == 3 ? -1 : 0);
          if (u >= 0 && u < inkWidth && v >= 0 && v < inkHeight) {
            int neighbour = v * inkWidth + u;
            if (!seen[neighbour] && ink[neighbour] >= MIN_INK) {
              seen[neighbour] = true;
              next.add(neighbour);
            }
          }
        }
      }
      int w = right - left + 1;
      int h = bottom - top + 1;
      if (sum / count >= MIN_BOX && Math.min(w, h) >= MIN_SIDE) {
        int more = Math.round(ENLARGED * w * h / (2 * (w + h)));
        int x = Math.max(0, left - more);
        int y = Math.max(0, top - more);
        boxes.add(
            new Box(
                x,
                y,
                Math.min(width, right + 1 + more) - x,
                Math.min(height, bottom + 1 + more) - y));
      }
    }
    boxes.sort(Comparator.comparingInt(Box::y).thenComparingInt(Box::x));
    return boxes;
  }

  /** The most probable characters, without repetitions; class 0 is a gap. */
  private Line line(Box box, Answer read, int row) {
    int steps = (int) read.shape()[1];
    int classes = (int) read.shape()[2];
    var text = new StringBuilder();
    float sum = 0;
    int count = 0;
    int last = 0;
    for (int step = 0; step < steps; step++) {
      int at = (row * steps + step) * classes;
      int best = 0;
      for (int k = 1; k < classes; k++) {
        if (read.values()[at + k] > read.values()[at + best]) {
          best = k;
        }
      }
      if (best != 0 && best != last) {
        text.append(best <= characters.size() ? characters.get(best - 1) : " ");
        sum += read.values()[at + best];
        count++;
      }
      last = best;
    }
    return new Line(box, text.toString(), count == 0 ? 0 : sum / count);
  }

  /** A page of pixels. */
  private record Page(byte[] rgb, int height, int width) {
    /**
     * Copies a part, scaled, as three planes of numbers from -1 to 1, blue first; the rest of the
     * target is 0.
     *
     * @param scaledHeight and {@code scaledWidth}: the size of the copy
     * @param targetHeight and {@code targetWidth}: the size of a plane
     */
    void scale(
        Box part,
        boolean turned,
        float[] target,
        int offset,
        int scaledHeight,
        int scaledWidth,
        int targetHeight,
        int targetWidth) {
      for (int v = 0; v < scaledHeight; v++) {
        float y = clamp((v + 0.5f) * part.height() / scaledHeight - 0.5f, part.height());
        for (int u = 0; u < scaledWidth; u++) {
          float x = clamp((u + 0.5f) * part.width() / scaledWidth - 0.5f, part.width());
          int row = turned ? scaledHeight - 1 - v : v;
          int column = turned ? scaledWidth - 1 - u : u;
          for (int colour = 0; colour < 3; colour++) {
            target[offset + ((2 - colour) * targetHeight + row) * targetWidth + column] =
                at(part, x, y, colour) / 127.5f - 1;
          }
        }
      }
    }

    private static float clamp(float value, int size) {
      return Math.clamp(value, 0, size - 1);
    }

    /** Between the four pixels around a point. */
    private float at(Box part, float x, float y, int colour) {
      int left = (int) x;
      int top = (int) y;
      int right = Math.min(left + 1, part.width() - 1);
      int bottom = Math.min(top + 1, part.height() - 1);
      float dx = x - left;
      float dy = y - top;
      return (1 - dy)
              * ((1 - dx) * pixel(part, left, top, colour) + dx * pixel(part, right, top, colour))
          + dy
              * ((1 - dx) * pixel(part, left, bottom, colour)
                  + dx * pixel(part, right, bottom, colour));
    }

    private int pixel(Box part, int x, int y, int colour) {
      return rgb[((part.y() + y) * width + part.x() + x) * 3 + colour] & 0xff;
    }
  }
}
