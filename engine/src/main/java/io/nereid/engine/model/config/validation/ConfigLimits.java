package io.nereid.engine.model.config.validation;

import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import io.nereid.engine.model.config.text.FieldPath;
import io.nereid.protocol.config.ModelConfig;
import io.nereid.protocol.config.ModelInstanceGroup;
import io.nereid.protocol.config.ModelSequenceBatching;
import io.nereid.protocol.config.ModelWarmup;
import java.util.Map;
import java.util.TreeMap;

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

  /** Values of a list or a map. Some rules compare each with each. */
  private static final int MAX_VALUES = 4096;

  /**
   * Requests in a batch of a warm-up sample, which exist at the same time; and executions of it,
   * during which a thread that loads models waits.
   */
  private static final long MAX_WARMUP = 1 << 16;

  /**
   * Checks the lengths of all lists and maps, before other rules look at their values.
   *
   * @return whether none is too long
   */
  public static boolean checkLists(ModelConfig config, ConfigProblems problems) {
    // A value takes a byte or more. The walk reads by reflection, which costs a start 15 ms.
    return config.getSerializedSize() <= MAX_VALUES
        || checkLists(config, FieldPath.ROOT, config.getName(), problems);
  }

  private static boolean checkLists(
      Message message, FieldPath path, String model, ConfigProblems problems) {
    boolean good = true;
    for (var field : message.getAllFields().keySet()) {
      String name = field.getName();
      FieldPath fieldPath = path.field(name);
      boolean isMessage = field.getJavaType() == JavaType.MESSAGE && !field.isMapField();
      if (!field.isRepeated()) {
        good &=
            !isMessage || checkLists((Message) message.getField(field), fieldPath, model, problems);
        continue;
      }
      int count = message.getRepeatedFieldCount(field);
      good &=
          problems.require(
              count <= MAX_VALUES,
              field.isMapField() ? fieldPath : path.element(name, MAX_VALUES),
              "model %s has %d values in '%s', but at most %d are allowed"
                  .formatted(model, count, fieldPath, MAX_VALUES));
      for (int i = 0; isMessage && good && i < count; i++) {
        good =
            checkLists(
                (Message) message.getRepeatedField(field, i),
                path.element(name, i),
                model,
                problems);
      }
    }
    return good;
  }

  public void check(ModelConfig config, ConfigProblems problems) {
    long instances = 0;
    for (int i = 0; i < config.getInstanceGroupCount(); i++) {
      instances += instances(config.getInstanceGroup(i));
      boolean within =
          problems.require(
              instances <= maxInstances,
              FieldPath.of("instance_group", i).field("count"),
              ("model %s has %d instances in its groups up to %s, but at most %d are allowed"
                      + " (--max-instances)")
                  .formatted(
                      config.getName(),
                      instances,
                      config.getInstanceGroup(i).getName(),
                      maxInstances));
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
        "model %s has %d sequence slots on each of %d instances, but at most %d in sum are allowed"
            .formatted(config.getName(), slots, instances, MAX_SLOTS));
  }

  private static void checkWarmup(ModelConfig config, ConfigProblems problems) {
    for (int i = 0; i < config.getModelWarmupCount(); i++) {
      ModelWarmup sample = config.getModelWarmup(i);
      Map<String, Integer> numbers =
          new TreeMap<>(Map.of("batch_size", sample.getBatchSize(), "count", sample.getCount()));
      FieldPath path = FieldPath.of("model_warmup", i);
      numbers.forEach((field, number) ->
          problems.require(
              Integer.toUnsignedLong(number) <= MAX_WARMUP,
              path.field(field),
              "warmup sample '%s' of model %s has a %s of %d, but at most %d are allowed"
                  .formatted(
                      sample.getName(),
                      config.getName(),
                      field.replace('_', ' '),
                      Integer.toUnsignedLong(number),
                      MAX_WARMUP)));
    }
  }
}
