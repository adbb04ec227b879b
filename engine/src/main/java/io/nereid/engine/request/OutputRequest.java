package io.nereid.engine.request;

import io.nereid.engine.memory.region.RegionSlice;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A requested output.
 *
 * @param binary whether its bytes follow the JSON, instead of text in it
 * @param classCount the number of top classes to send in place of the output; 0 for the output
 * @param target where its bytes go, instead of the response; null for the response
 */
public record OutputRequest(
    String name, boolean binary, long classCount, @Nullable RegionSlice target) {
  /** An output that is sent in the response. */
  public OutputRequest(String name, boolean binary, long classCount) {
    this(name, binary, classCount, null);
  }

  /** Closes the targets of outputs that have one; has no effect if that was done before. */
  public static void closeTargets(List<OutputRequest> outputs) {
    for (OutputRequest output : outputs) {
      if (output.target != null) {
        output.target.close();
      }
    }
  }
}
