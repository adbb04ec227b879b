package io.nereid.benchmarks.stream;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.request.Parameter;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Batch;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The backend of a model that generates text as language models do: each execution takes the same
 * time and gives each request of its batch one token, until it has as many as its parameter {@code
 * tokens} says.
 */
public final class TokenBackend implements BackendProvider {
  static final String MODEL = "tokens";

  private static final String NAME = "benchmark_tokens";
  private static final String STEP = "step_micros";
  private static final byte[] TOKEN = " token".getBytes(UTF_8);

  /** Writes the model to {@code repository}, which need not exist. */
  static Path write(Path repository, int maxSequences, long stepMicros) throws IOException {
    Path model = repository.resolve(MODEL);
    Files.createDirectories(model.resolve("1"));
    Files.writeString(
        model.resolve("config.pbtxt"),
        """
        backend: "%s"
        max_batch_size: %d
        model_transaction_policy { decoupled: true }
        input { name: "TEXT" data_type: TYPE_STRING dims: [ 1 ] }
        output { name: "TOKEN" data_type: TYPE_STRING dims: [ 1 ] }
        instance_group { count: 1 kind: KIND_CPU }
        sequence_batching {
          iterative_sequence: true
          oldest { max_candidate_sequences: %d }
          state { input_name: "SENT" output_name: "SENT_NOW" data_type: TYPE_INT64 dims: [ 1 ] }
        }
        parameters { key: "%s" value { string_value: "%d" } }
        """
            .formatted(NAME, maxSequences, maxSequences, STEP, stepMicros));
    return repository;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Backend open(BackendContext context) {
    return new Opened();
  }

  private record Opened() implements Backend {
    @Override
    public Model load(ModelFiles files, ModelConfig config) {
      long stepMicros = Long.parseLong(config.parameters().getOrDefault(STEP, "0"));
      return new Loaded(TimeUnit.MICROSECONDS.toNanos(stepMicros));
    }

    @Override
    public void close() {}
  }

  /** A model and its instances, which have no state. */
  private record Loaded(long stepNanos) implements Model, ModelInstance {
    @Override
    public ModelInstance open(InstanceSettings settings) {
      return this;
    }

    @Override
    public void execute(Batch batch, Results results) {
      long end = System.nanoTime() + stepNanos;
      for (long left = stepNanos; left > 0; left = end - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      for (int i = 0; i < batch.size(); i++) {
        if (!batch.isPadding(i)) {
          generate(batch, i, results);
        }
      }
    }

    private static void generate(Batch batch, int i, Results results) {
      long sent = batch.state(i, "SENT").data().get(Elements.LONG, 0) + 1;
      Shape shape = Shape.of(1, 1);
      results.allocateState(i, "SENT_NOW", DataType.INT64, shape).set(Elements.LONG, 0, sent);
      long byteSize = BytesElements.byteSize(List.of(TOKEN));
      var target = results.allocate(i, "TOKEN", DataType.BYTES, shape, byteSize);
      BytesElements.put(target, 0, TOKEN);
      results.send(i);
      if (sent < wanted(batch.request(i).options().parameters().get("tokens"))) {
        results.reschedule(i);
      } else {
        results.finish(i);
      }
    }

    private static long wanted(@Nullable Parameter tokens) {
      return tokens instanceof Parameter.OfLong(long count) ? count : 1;
    }

    @Override
    public void close() {}
  }
}
