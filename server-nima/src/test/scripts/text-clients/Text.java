import io.nereid.java.Calls;
import io.nereid.java.JavaModel;
import io.nereid.java.ModelContext;
import io.nereid.java.Request;
import io.nereid.java.Response;
import io.nereid.java.TensorArrays;
import io.nereid.request.Parameter;
import io.nereid.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * A text model of any task whose outputs are counts of characters, so that clients can check them.
 */
public final class Text implements JavaModel {
  private static final int DIMENSION = 8;

  private String task = "";

  @Override
  public void open(ModelContext context) {
    task = context.config().parameters().get("task");
  }

  @Override
  public Response infer(Request request, Calls calls) {
    List<String> texts = TensorArrays.strings(request.input("TEXT"));
    int rows = texts.size();
    int[] tokens = texts.stream().mapToInt(text -> text.split(" ").length + 2).toArray();
    List<Tensor> outputs = new ArrayList<>();
    outputs.add(TensorArrays.of("TOKENS", tokens, rows, 1));
    switch (task) {
      case "embedding" -> {
        int dimension =
            request.parameters().get("dimensions") instanceof Parameter.OfLong(long given)
                ? (int) given
                : DIMENSION;
        float[] vectors = new float[rows * dimension];
        for (int i = 0; i < rows; i++) {
          vectors[i * dimension] = texts.get(i).length();
        }
        outputs.add(TensorArrays.of("EMBEDDING", vectors, rows, dimension));
      }
      case "rerank" -> {
        List<String> queries = TensorArrays.strings(request.input("QUERY"));
        float[] scores = new float[rows];
        for (int i = 0; i < rows; i++) {
          scores[i] = texts.get(i).contains(queries.get(i)) ? 0.875f : 0.125f;
        }
        outputs.add(TensorArrays.of("SCORE", scores, rows, 1));
      }
      default -> throw new IllegalStateException(task);
    }
    return Response.of(
        outputs.stream().filter(each -> request.wants(each.name())).toArray(Tensor[]::new));
  }
}
