package io.nereid.tck.echo;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Batch;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import io.nereid.tensor.Elements;

/** Returns each request's own parameters and inputs: {@code OUTPUT0} is {@code INPUT0}. */
public final class EchoBackend implements BackendProvider {
  @Override
  public String name() {
    return "tck_echo";
  }

  @Override
  public Backend open(BackendContext context) {
    return new Opened();
  }

  private record Opened() implements Backend {
    @Override
    public Model load(ModelFiles files, ModelConfig config) {
      for (TensorConfig output : config.outputs()) {
        if (config.input(inputOf(output)).isEmpty()) {
          throw InferenceException.invalid(
              "model '%s': output '%s' has no input to echo"
                  .formatted(config.name(), output.name()));
        }
      }
      return new Loaded(config);
    }

    @Override
    public void close() {}
  }

  private record Loaded(ModelConfig config) implements Model {
    @Override
    public ModelInstance open(InstanceSettings settings) {
      return new Instance(config);
    }

    @Override
    public void close() {}
  }

  private record Instance(ModelConfig config) implements ModelInstance {
    @Override
    public void execute(Batch batch, Results results) {
      for (int i = 0; i < batch.size(); i++) {
        try {
          echo(batch, i, results);
        } catch (InferenceException rejected) {
          results.fail(i, rejected); // the other requests of the batch are not affected
        }
      }
    }

    private void echo(Batch batch, int i, Results results) {
      batch.request(i).options().parameters().forEach((k, v) -> results.parameter(i, k, v));
      for (TensorConfig output : config.outputs()) {
        if (results.wants(i, output.name())) {
          var input = batch.input(i, inputOf(output)).orElseThrow(() -> missing(output));
          var target =
              results.allocate(i, output.name(), input.dataType(), input.shape(), input.byteSize());
          Elements.copy(input.data(), target);
        }
      }
    }

    private InferenceException missing(TensorConfig output) {
      return InferenceException.invalid(
          "model '%s' got no '%s'".formatted(config.name(), inputOf(output)));
    }

    @Override
    public void close() {}
  }

  private static String inputOf(TensorConfig output) {
    return output.name().replace("OUTPUT", "INPUT");
  }
}
