package io.nereid.server.options;

import io.nereid.engine.memory.MemorySettings;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of the memory for tensors. */
public final class MemoryOptions {
  @Option(
      names = "--max-tensor-memory",
      paramLabel = "<bytes>",
      converter = OptionConverters.ByteSize.class,
      description =
          "Most memory for tensors: of requests, batches and responses. Default: half of the"
              + " machine's memory.")
  private @Nullable Long maxTensorMemory;

  @Option(
      names = "--max-request-memory",
      paramLabel = "<bytes>",
      converter = OptionConverters.ByteSize.class,
      description =
          "Most of it for requests, from the first byte of a body until the model has read its"
              + " inputs. Default: three quarters of --max-tensor-memory.")
  private @Nullable Long maxRequestMemory;

  @Option(
      names = "--max-client-memory",
      paramLabel = "<bytes>",
      converter = OptionConverters.ByteSize.class,
      description =
          "Most of the latter for the requests of a client address. A client never gets more than"
              + " it leaves free for others, so alone half of it. Default: no other limit.")
  private @Nullable Long maxClientMemory;

  @Option(
      names = "--max-string-elements",
      paramLabel = "<count>",
      converter = OptionConverters.Positive.class,
      description =
          "Most elements of an input of strings. Libraries take 32 bytes for each, which are counted"
              + " for its client. Default: ${DEFAULT-VALUE}.")
  private int maxStringElements = MemorySettings.DEFAULT_MAX_STRINGS;

  /** The most elements of an input of strings. */
  public int maxStringElements() {
    return maxStringElements;
  }

  /** The limits, with the defaults for this machine. */
  public MemorySettings settings() {
    return settings(MemorySettings.machineBytes());
  }

  /** The limits, with the defaults for a machine with that memory. */
  MemorySettings settings(long machineBytes) {
    MemorySettings defaults =
        maxTensorMemory == null
            ? MemorySettings.of(machineBytes)
            : MemorySettings.ofTensors(maxTensorMemory);
    return new MemorySettings(
        defaults.maxTensorBytes(),
        maxRequestMemory == null ? defaults.maxRequestBytes() : maxRequestMemory,
        maxClientMemory == null ? defaults.maxClientBytes() : maxClientMemory);
  }
}
