package io.nereid.server.options;

import io.nereid.engine.memory.MemorySettings;
import io.nereid.server.options.declaration.OptionConverters;
import io.nereid.server.options.declaration.OptionGroup;
import io.nereid.server.options.declaration.OptionValue;

/** The options of the memory for tensors. */
public final class MemoryOptions extends OptionGroup {
  private final OptionValue<Long> maxTensorMemory =
      option("--max-tensor-memory=<bytes>", OptionConverters::byteSize)
          .help(
              "Most memory for tensors: of requests, batches and responses. Default: half of the"
                  + " machine's memory.");

  private final OptionValue<Long> maxRequestMemory =
      option("--max-request-memory=<bytes>", OptionConverters::byteSize)
          .help(
              "Most of --max-tensor-memory for requests, from the first byte of a body until the"
                  + " model has read its inputs. Default: three quarters of it.");

  private final OptionValue<Long> maxClientMemory =
      option("--max-client-memory=<bytes>", OptionConverters::byteSize)
          .help(
              "Most of --max-request-memory for the requests of a client address. A client never"
                  + " gets more than it leaves free for others, so alone half of it. Default: no other"
                  + " limit.");

  private final OptionValue<Integer> maxStringElements =
      positive("--max-string-elements=<count>", MemorySettings.DEFAULT_MAX_STRINGS)
          .help(
              "Most elements of an input of strings. Libraries take 32 bytes for each, which are"
                  + " counted for its client.");

  /** The most elements of an input of strings. */
  public int maxStringElements() {
    return maxStringElements.get();
  }

  /** The limits, with the defaults for this machine. */
  public MemorySettings settings() {
    return settings(MemorySettings.machineBytes());
  }

  /** The limits, with the defaults for a machine with that memory. */
  MemorySettings settings(long machineBytes) {
    MemorySettings defaults =
        maxTensorMemory
            .given()
            .map(MemorySettings::ofTensors)
            .orElseGet(() -> MemorySettings.of(machineBytes));
    return new MemorySettings(
        defaults.maxTensorBytes(),
        maxRequestMemory.given().orElse(defaults.maxRequestBytes()),
        maxClientMemory.given().orElse(defaults.maxClientBytes()));
  }
}
