import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.java.TensorArrays;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Batch;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Tensor;
import java.text.BreakIterator;
import java.util.List;
import java.util.Locale;

/**
 * Splits a text into sentences, with a response for each as soon as it is found: a decoupled model,
 * which a {@link io.nereid.java.JavaModel} cannot be, since that returns one response.
 *
 * <p>Input {@code text}. Outputs of each response: {@code sentence}, and {@code index}, from 0.
 */
public final class Sentences implements BackendProvider {
  @Override
  public String name() {
    return "sentences";
  }

  @Override
  public Backend open(BackendContext context) {
    return new Splitter();
  }

  /** Backend, model and instance in one, since there is nothing to share and nothing to free. */
  private record Splitter() implements Backend, Model, ModelInstance {
    @Override
    public Model load(ModelFiles files, ModelConfig config) {
      return this;
    }

    @Override
    public ModelInstance open(InstanceSettings settings) {
      return this;
    }

    @Override
    public void execute(Batch batch, Results results) {
      for (int i = 0; i < batch.size(); i++) {
        String text = TensorArrays.strings(batch.input(i, "text").orElseThrow()).getFirst();
        var sentences = BreakIterator.getSentenceInstance(Locale.ROOT);
        sentences.setText(text);
        int start = sentences.first();
        int end = sentences.next();
        for (int index = 0; end != BreakIterator.DONE && !batch.isCancelled(i); index++) {
          String sentence = text.substring(start, end).strip();
          put(results, i, TensorArrays.of("sentence", List.of(sentence), 1));
          put(results, i, TensorArrays.of("index", new int[] {index}, 1));
          results.send(i);
          start = end;
          end = sentences.next();
        }
        results.finish(i);
      }
    }

    private static void put(Results results, int i, Tensor output) {
      if (results.wants(i, output.name())) {
        Elements.copy(
            output.data(),
            results.allocate(
                i, output.name(), output.dataType(), output.shape(), output.byteSize()));
      }
    }

    @Override
    public void close() {}
  }
}
