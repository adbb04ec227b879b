import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A rectangle around connected ink.
 *
 * @param line the number of the line of text that it is in, from the top
 */
record Box(int x, int y, int width, int height, int line) {
  /** The boxes around all ink that is connected, also by corners; all in line 0. */
  static List<Box> find(byte[] ink, int width, int height) {
    List<Box> boxes = new ArrayList<>();
    boolean[] seen = new boolean[ink.length];
    var next = new ArrayDeque<Integer>();
    for (int start = 0; start < ink.length; start++) {
      if (ink[start] == 0 || seen[start]) {
        continue;
      }
      int left = width;
      int right = 0;
      int top = height;
      int bottom = 0;
      seen[start] = true;
      next.add(start);
      while (!next.isEmpty()) {
        int at = next.remove();
        int x = at % width;
        int y = at / width;
        left = Math.min(left, x);
        right = Math.max(right, x);
        top = Math.min(top, y);
        bottom = Math.max(bottom, y);
        for (int v = Math.max(0, y - 1); v <= Math.min(height - 1, y + 1); v++) {
          for (int u = Math.max(0, x - 1); u <= Math.min(width - 1, x + 1); u++) {
            int neighbour = v * width + u;
            if (ink[neighbour] != 0 && !seen[neighbour]) {
              seen[neighbour] = true;
              next.add(neighbour);
            }
          }
        }
      }
      boxes.add(new Box(left, top, right - left + 1, bottom - top + 1, 0));
    }
    return boxes;
  }

  /** From the top to the bottom, and in a line from the left to the right. */
  static List<Box> inOrderOfReading(List<Box> boxes) {
    List<Box> ordered = new ArrayList<>();
    int line = 0;
    int end = Integer.MAX_VALUE;
    for (Box box : boxes.stream().sorted(Comparator.comparingInt(Box::y)).toList()) {
      int middle = box.y + box.height / 2;
      if (ordered.isEmpty()) {
        end = box.y + box.height;
      } else if (middle >= end) {
        line++;
        end = box.y + box.height;
      }
      ordered.add(new Box(box.x, box.y, box.width, box.height, line));
    }
    ordered.sort(Comparator.comparingInt(Box::line).thenComparingInt(Box::x));
    return ordered;
  }

  /** Copies the square of that size around the middle of this box; beyond the page is paper. */
  void crop(byte[] page, int pageWidth, int pageHeight, byte[] target, int offset, int size) {
    int left = x + (width - size) / 2;
    int top = y + (height - size) / 2;
    for (int v = 0; v < size; v++) {
      for (int u = 0; u < size; u++) {
        boolean inside =
            left + u >= 0 && left + u < pageWidth && top + v >= 0 && top + v < pageHeight;
        target[offset + v * size + u] = inside ? page[(top + v) * pageWidth + left + u] : 0;
      }
    }
  }

  /** Writes x, y, width and height. */
  void put(int[] target, int at) {
    target[at] = x;
    target[at + 1] = y;
    target[at + 2] = width;
    target[at + 3] = height;
  }
}
