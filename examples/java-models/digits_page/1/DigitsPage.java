import io.nereid.java.Calls;
import io.nereid.java.JavaModel;
import io.nereid.java.Request;
import io.nereid.java.Response;
import io.nereid.java.TensorArrays;
import io.nereid.tensor.Tensor;
import java.util.List;

/**
 * Reads the digits of a page: one model says where there is ink, this one makes boxes of it, and
 * another recognises what is in them, all in one batch. An ensemble cannot do that, since the
 * number of boxes depends on the page.
 *
 * <p>Input {@code page}: grey, 0 for paper and 255 for ink. Outputs: {@code text}, the names of the
 * digits, a line for each line of the page; {@code boxes}, a row of x, y, width and height for each
 * digit in the order of reading; {@code probabilities}, of each digit.
 */
public final class DigitsPage implements JavaModel {
  /** Of the digits that the called model reads. */
  private static final int SIZE = 8;

  /** The largest batch of the called model. */
  private static final int MAX_BATCH = 64;

  @Override
  public Response infer(Request request, Calls calls) {
    Tensor page = request.input("page");
    int height = (int) page.shape().dim(0);
    int width = (int) page.shape().dim(1);
    byte[] pixels = TensorArrays.bytes(page);

    byte[] ink;
    try (var found = calls.infer("digits_finder", page)) {
      ink = TensorArrays.bytes(found.output("ink"));
    }
    List<Box> boxes = Box.inOrderOfReading(Box.find(ink, width, height));

    var text = new StringBuilder();
    float[] probabilities = new float[boxes.size()];
    int[] places = new int[4 * boxes.size()];
    for (int first = 0; first < boxes.size(); first += MAX_BATCH) {
      List<Box> batch = boxes.subList(first, Math.min(boxes.size(), first + MAX_BATCH));
      byte[] crops = new byte[batch.size() * SIZE * SIZE];
      for (int i = 0; i < batch.size(); i++) {
        batch.get(i).crop(pixels, width, height, crops, i * SIZE * SIZE, SIZE);
      }
      var grey = TensorArrays.of("grey", crops, batch.size(), 1, SIZE, SIZE);
      try (var read = calls.infer("digits_ensemble", grey)) {
        List<String> labels = TensorArrays.strings(read.output("label"));
        float[] sure = TensorArrays.floats(read.output("probability"));
        for (int i = 0; i < batch.size(); i++) {
          Box box = batch.get(i);
          int at = first + i;
          if (at > 0) {
            text.append(box.line() > boxes.get(at - 1).line() ? '\n' : ' ');
          }
          text.append(labels.get(i));
          probabilities[at] = sure[i];
          box.put(places, 4 * at);
        }
      }
    }
    return Response.of(
        TensorArrays.of("text", List.of(text.toString()), 1),
        TensorArrays.of("boxes", places, boxes.size(), 4),
        TensorArrays.of("probabilities", probabilities, boxes.size()));
  }
}
