package io.nereid.tensorrt.signature;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;

/**
 * The optimisation profiles of an instance, and the choice of one for each batch.
 *
 * <p>A batch runs with the profile that admits all its shapes and is optimised for shapes closest
 * to them; of equally close ones with that of the lowest number. Not thread-safe: it has the shapes
 * of the current batch.
 */
public final class Profiles {
  private static final System.Logger LOG = System.getLogger(Profiles.class.getName());

  private final String model;
  private final List<PlanTensor> inputs;
  private final int[] numbers;

  /** The dimensions, or the values of a shape tensor, of each input in the current batch. */
  private final long[][] given;

  private final int[] ranks;

  private Profiles(String model, List<PlanTensor> inputs, int[] numbers) {
    this.model = model;
    this.inputs = inputs;
    this.numbers = numbers;
    this.given = new long[inputs.size()][];
    this.ranks = new int[inputs.size()];
  }

  /**
   * The profiles that an instance group names; profile 0 if it names none.
   *
   * @param names {@code profile} of the instance group
   * @throws InferenceException INVALID_ARGUMENT if a name is no number, or the engine has no such
   *     profile
   */
  public static Profiles of(PlanSignature plan, ModelConfig config, List<String> names) {
    var numbers = new TreeSet<Integer>();
    for (String name : names) {
      int number = number(config, name);
      if (number < 0 || number >= plan.profiles()) {
        throw InferenceException.invalid(
            ("model '%s': can not set the specified optimization profile %s. Expected optimization"
                    + " profile index range 0-%d")
                .formatted(config.name(), name, plan.profiles() - 1));
      }
      if (!numbers.add(number)) {
        LOG.log(
            System.Logger.Level.WARNING,
            "model {0}: {1} maps to profile index {2}, which is mapped already",
            config.name(),
            name,
            number);
      }
    }
    if (numbers.isEmpty()) {
      numbers.add(0);
    }
    return new Profiles(
        config.name(), plan.inputs(), numbers.stream().mapToInt(Integer::intValue).toArray());
  }

  private static int number(ModelConfig config, String name) {
    try {
      return Integer.parseInt(name.strip());
    } catch (NumberFormatException noNumber) {
      throw InferenceException.invalid(
          "model '%s': unable to parse profile '%s': expected the number of a profile"
              .formatted(config.name(), name));
    }
  }

  /** The numbers of the profiles, ascending; at least one. */
  public List<Integer> numbers() {
    List<Integer> boxed = new ArrayList<>();
    for (int number : numbers) {
      boxed.add(number);
    }
    return boxed;
  }

  /**
   * States an input of the current batch.
   *
   * @param input its position among the inputs
   * @param dims its dimensions, or its values if it is a shape tensor; read by {@link #choose}
   * @param rank how many of {@code dims} count
   */
  public void give(int input, long[] dims, int rank) {
    given[input] = dims;
    ranks[input] = rank;
  }

  /**
   * The profile for the shapes of the current batch: its position in {@link #numbers}.
   *
   * @throws InferenceException if no profile admits them; the message is about the first profile
   */
  public int choose() {
    int closest = -1;
    long shortest = Long.MAX_VALUE;
    for (int i = 0; i < numbers.length; i++) {
      long distance = distance(numbers[i]);
      if (distance < shortest) {
        shortest = distance;
        closest = i;
      }
    }
    if (closest < 0) {
      throw rejected();
    }
    return closest;
  }

  /** Whether a profile, by its position in {@link #numbers}, admits the current batch. */
  public boolean admits(int position) {
    return distance(numbers[position]) < Long.MAX_VALUE;
  }

  /** How far the batch is from what a profile is optimised for; the maximum if it is outside. */
  private long distance(int profile) {
    long distance = 0;
    for (int i = 0; i < inputs.size(); i++) {
      InputRange range = inputs.get(i).ranges().get(profile);
      if (!Ranges.admits(given[i], ranks[i], range)) {
        return Long.MAX_VALUE;
      }
      distance += Ranges.distance(given[i], ranks[i], range);
    }
    return distance;
  }

  private InferenceException rejected() {
    for (int i = 0; i < inputs.size(); i++) {
      PlanTensor input = inputs.get(i);
      long[] dims = Arrays.copyOf(given[i], ranks[i]);
      InputRange range = input.ranges().get(numbers[0]);
      if (!Ranges.admits(dims, dims.length, range)) {
        return InferenceException.internal(
            input.shapeTensor()
                ? "request specifies invalid shape values for input '%s' for %s. Error details: %s"
                    .formatted(input.name(), model, Ranges.outsideValues(dims, range))
                : "request specifies invalid shape for input '%s' for %s. Error details: %s"
                    .formatted(input.name(), model, Ranges.outside(dims, range)));
      }
    }
    // The first profile admits each of them, but no profile all: there is none to report.
    throw new IllegalStateException("a profile admits the batch");
  }
}
