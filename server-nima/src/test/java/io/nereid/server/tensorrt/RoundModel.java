package io.nereid.server.tensorrt;

import io.nereid.tensor.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * A model that adds and subtracts two inputs, on four instances on two GPUs, with three profiles
 * between them. How it is configured is random: pinned memory, graphs, events, eager batching.
 */
final class RoundModel {
  static final String NAME = "add_sub";
  private static final int MAX_ROWS = 8;
  private static final int MAX_COLUMNS = 16;

  private final String config;

  /**
   * @param pinned whether inputs and outputs are always in page-locked memory, in which the doubles
   *     notice what a defect does, so that it cannot damage the process
   */
  RoundModel(SplittableRandom random, boolean pinned) {
    config =
        """
        backend: "tensorrt"
        max_batch_size: %d
        input { name: "INPUT0" data_type: TYPE_FP32 dims: [ -1 ] }
        input { name: "INPUT1" data_type: TYPE_FP32 dims: [ -1 ] }
        output { name: "OUTPUT0" data_type: TYPE_FP32 dims: [ -1 ] }
        output { name: "OUTPUT1" data_type: TYPE_FP32 dims: [ -1 ] }
        instance_group { count: 1 kind: KIND_GPU gpus: [ 0, 1 ] profile: [ "0", "1" ] }
        instance_group { count: 1 kind: KIND_GPU gpus: [ 0, 1 ] profile: [ "2" ] }
        dynamic_batching { max_queue_delay_microseconds: %d }
        optimization {
          eager_batching: %s
          input_pinned_memory { enable: %s }
          output_pinned_memory { enable: %s }
          cuda { graphs: %s busy_wait_events: %s output_copy_stream: %s }
        }
        """
            .formatted(
                MAX_ROWS,
                random.nextInt(200),
                random.nextBoolean(),
                random.nextBoolean() || pinned,
                random.nextBoolean() || pinned,
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean());
  }

  /**
   * Writes the model's directory.
   *
   * @param version the TensorRT that the plan is built with
   */
  void write(Path repository, int version) throws IOException {
    Path directory = Files.createDirectories(repository.resolve(NAME).resolve("1"));
    Files.writeString(repository.resolve(NAME).resolve("config.pbtxt"), config);
    Files.writeString(
        directory.resolve("model.plan"),
        """
        nereid-plan
        version %d
        gpu Double GPU
        name add_sub
        weights 4096
        memory 1024 2048 4096
        profiles 3
        input INPUT0 FP32 [-1,-1]
        input INPUT1 FP32 [-1,-1]
        output OUTPUT0 FP32 [-1,-1] add INPUT0 INPUT1
        output OUTPUT1 FP32 [-1,-1] sub INPUT0 INPUT1
        range INPUT0 0 [1,1] [4,4] [8,8]
        range INPUT1 0 [1,1] [4,4] [8,8]
        range INPUT0 1 [1,5] [4,8] [8,16]
        range INPUT1 1 [1,5] [4,8] [8,16]
        range INPUT0 2 [1,1] [8,16] [8,16]
        range INPUT1 2 [1,1] [8,16] [8,16]
        """
            .formatted(version));
  }

  /** A shape that some profile of each instance admits. */
  static Shape valid(SplittableRandom random) {
    // Few sizes, so that requests are batched and graphs are used again.
    long columns =
        random.nextInt(4) > 0 ? 4 * random.nextInt(1, 5) : random.nextInt(1, MAX_COLUMNS + 1);
    return Shape.of(random.nextInt(3) > 0 ? 1 : random.nextInt(1, MAX_ROWS + 1), columns);
  }

  /** A shape that no profile admits. */
  static Shape invalid(SplittableRandom random) {
    return Shape.of(
        random.nextInt(1, MAX_ROWS + 1), random.nextInt(MAX_COLUMNS + 1, 3 * MAX_COLUMNS));
  }

  @Override
  public String toString() {
    return config;
  }
}
