package io.nereid.server.model.config;

import io.nereid.server.model.config.text.FieldPath;
import io.nereid.server.protobuf.ModelConfig;
import io.nereid.server.protobuf.ModelInstanceGroup;
import io.nereid.server.protobuf.ModelSequenceBatching;

/**
 * Bounds of what a configuration makes the server allocate before it has a request. They concern
 * configurations whose instance groups are resolved.
 *
 * @param maxInstances of a model, on all of its devices; each has a thread and memory of the
 *     backend
 */
public record ConfigLimits(int maxInstances) {
  /** The default of {@code --max-instances}. */
  public static final ConfigLimits DEFAULT = new ConfigLimits(1024);

  /** Slots of sequences on all instances of a model; each takes some hundred bytes of the heap. */
  private static final long MAX_SLOTS = 1 << 20;

  /** Requests in a batch of a warm-up sample, which exist at the same time. */
  private static final long MAX_WARMUP_ROWS = 1 << 16;

  void check(ModelConfig config, ConfigProblems problems) {
    long instances = 0;
    for (int i = 0; i < config.getInstanceGroupCount(); i++) {
      instances += instances(config.getInstanceGroup(i));
      boolean within =
          problems.require(
              instances <= maxInstances,
              FieldPath.of("instance_group", i).field("count"),
              "model %s has %d instances in its groups up to %s, but at most %d are allowed"
                  + " (--max-instances)",
              config.getName(),
              instances,
              config.getInstanceGroup(i).getName(),
              maxInstances);
      if (!within) {
        return; // the slots would be too many as well
      }
    }
    checkSlots(config, instances, problems);
    checkWarmup(config, problems);
  }

  private static long instances(ModelInstanceGroup group) {
    long devices = group.getKind() == ModelInstanceGroup.Kind.KIND_GPU ? group.getGpusCount() : 1;
    return devices * group.getCount();
  }

  private static void checkSlots(ModelConfig config, long instances, ConfigProblems problems) {
    if (!config.hasSequenceBatching()) {
      return;
    }
    ModelSequenceBatching sequences = config.getSequenceBatching();
    int candidates = sequences.getOldest().getMaxCandidateSequences();
    boolean stated = sequences.hasOldest() && candidates > 0;
    long slots = stated ? candidates : Math.max(1, config.getMaxBatchSize());
    problems.require(
        slots <= MAX_SLOTS / Math.max(1, instances),
        stated
            ? FieldPath.of("sequence_batching").field("oldest").field("max_candidate_sequences")
            : FieldPath.of("max_batch_size"),
        "model %s has %d sequence slots on each of %d instances, but at most %d in sum are allowed",
        config.getName(),
        slots,
        instances,
        MAX_SLOTS);
  }

  private static void checkWarmup(ModelConfig config, ConfigProblems problems) {
    for (int i = 0; i < config.getModelWarmupCount(); i++) {
      long rows = Integer.toUnsignedLong(config.getModelWarmup(i).getBatchSize());
      problems.require(
          rows <= MAX_WARMUP_ROWS,
          FieldPath.of("model_warmup", i).field("batch_size"),
          "warmup sample '%s' of model %s has a batch size of %d, but at most %d are allowed",
          config.getModelWarmup(i).getName(),
          config.getName(),
          rows,
          MAX_WARMUP_ROWS);
    }
  }
}
