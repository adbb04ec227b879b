import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.embedding.onnx.OnnxEmbeddingModel;
import dev.langchain4j.model.embedding.onnx.PoolingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executors;

/** Texts per second of LangChain4j in process: the folder of a model, a file of texts, seconds. */
public final class Speed {
  public static void main(String[] arguments) throws Exception {
    Path model = Path.of(arguments[0]);
    List<TextSegment> texts =
        Files.readAllLines(Path.of(arguments[1])).stream().map(TextSegment::from).toList();
    long nanos = (long) (Double.parseDouble(arguments[2]) * 1e9);
    var embeddings =
        new OnnxEmbeddingModel(
            model.resolve("model.onnx"),
            model.resolve("tokenizer.json"),
            PoolingMode.MEAN,
            Executors.newFixedThreadPool(Integer.parseInt(arguments[3])));
    measure(embeddings, texts, nanos / 2); // warms up
    long cpu = cpu();
    long start = System.nanoTime();
    int count = measure(embeddings, texts, nanos);
    System.out.println(count + " " + (System.nanoTime() - start) / 1e9 + " " + (cpu() - cpu) / 1e9);
    System.exit(0);
  }

  private static long cpu() {
    return ((com.sun.management.OperatingSystemMXBean)
            java.lang.management.ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  private static int measure(OnnxEmbeddingModel model, List<TextSegment> texts, long nanos) {
    int count = 0;
    for (long start = System.nanoTime(); System.nanoTime() - start < nanos; ) {
      int at = count % texts.size();
      count += model.embedAll(texts.subList(at, Math.min(texts.size(), at + 100))).content().size();
    }
    return count;
  }
}
