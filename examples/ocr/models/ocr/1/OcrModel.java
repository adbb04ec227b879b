import io.nereid.java.Calls;
import io.nereid.java.JavaModel;
import io.nereid.java.ModelContext;
import io.nereid.java.Request;
import io.nereid.java.Response;
import io.nereid.java.TensorArrays;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;

/**
 * Reads the text of a page by three models: one finds lines, one says which of them are upside
 * down, and one reads them all in one batch.
 *
 * <p>Input {@code page}: height, width and three colours, red first. Outputs, with a row for each
 * line in the order of reading: {@code text}; {@code boxes}, x, y, width and height; {@code
 * confidences}.
 */
public final class OcrModel implements JavaModel {
  private Ocr ocr;

  @Override
  public void open(ModelContext context) {
    try {
      ocr =
          new Ocr(Files.readAllLines(context.files().versionDirectory().resolve("characters.txt")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Response infer(Request request, Calls calls) {
    Tensor page = request.input("page");
    Ocr.Models models =
        (model, values, shape) -> {
          try (var answer = calls.infer(model, TensorArrays.of("x", values, shape))) {
            Tensor output = answer.outputs().getFirst();
            return new Ocr.Answer(TensorArrays.floats(output), output.shape().dims());
          }
        };
    List<Ocr.Line> lines =
        ocr.read(
            TensorArrays.bytes(page), (int) page.shape().dim(0), (int) page.shape().dim(1), models);

    int[] boxes = new int[4 * lines.size()];
    float[] confidences = new float[lines.size()];
    for (int i = 0; i < lines.size(); i++) {
      Ocr.Box box = lines.get(i).box();
      System.arraycopy(new int[] {box.x(), box.y(), box.width(), box.height()}, 0, boxes, 4 * i, 4);
      confidences[i] = lines.get(i).confidence();
    }
    return Response.of(
        TensorArrays.of("text", lines.stream().map(Ocr.Line::text).toList(), lines.size()),
        TensorArrays.of("boxes", boxes, lines.size(), 4),
        TensorArrays.of("confidences", confidences, lines.size()));
  }
}
