package io.nereid.engine.execution.warmup;

import io.nereid.config.ModelConfig;
import io.nereid.engine.memory.BufferPool;
import io.nereid.protocol.config.ModelWarmup;
import io.nereid.request.ModelKey;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The warm-up of a model version as its configuration declares it, without the data of its samples.
 * So a model that serves holds no memory for its warm-up.
 *
 * @param declared the samples, in the order in which instances execute them
 * @param files finds the data that samples name
 */
public record Warmup(ModelKey model, ModelConfig config, List<ModelWarmup> declared, Files files) {
  public Warmup {
    declared = List.copyOf(declared);
  }

  /** The files of the model. */
  @FunctionalInterface
  public interface Files {
    /**
     * Finds a file in the model's directory.
     *
     * @param relative a path relative to that directory
     * @return empty if the path leads out of the directory
     * @throws IOException if the file does not exist
     */
    Optional<Path> inside(String relative) throws IOException;
  }

  /** No warm-up. */
  public static Warmup none(ModelConfig config) {
    return new Warmup(new ModelKey(config.name(), 1), config, List.of(), _ -> Optional.empty());
  }

  /**
   * Reads or generates the data of all samples but those of batch size 0. The caller closes the
   * samples once no instance executes them any more.
   *
   * @param pool the memory of the data
   * @throws io.nereid.error.InferenceException if a sample is invalid or its data cannot be read
   */
  public WarmupSamples prepare(BufferPool pool) {
    var data = new SampleData(pool);
    try {
      var reader = new SampleReader(this, data);
      List<WarmupSample> samples = new ArrayList<>();
      for (ModelWarmup sample : declared) {
        if (sample.getBatchSize() != 0) {
          samples.add(reader.read(sample));
        }
      }
      return new WarmupSamples(samples, data);
    } catch (RuntimeException | Error invalid) {
      data.close();
      throw invalid;
    }
  }
}
