package io.nereid.server.options;

import io.nereid.engine.request.Ticket;
import io.nereid.server.codec.ClientHeader;
import picocli.CommandLine.Option;

/** The options of admission under overload. */
public final class OverloadOptions {
  private static final long NANOS_PER_MILLI = 1_000_000;

  @Option(
      names = "--max-queue-wait",
      paramLabel = "<milliseconds>",
      converter = OptionConverters.Count.class,
      description =
          "How long a request may wait for an instance of its model. A request that would wait for"
              + " longer is refused at once; so is, always, one that would not be answered before its"
              + " own deadline or timeout. 0 for no limit. Default: ${DEFAULT-VALUE}.")
  private int maxQueueWaitMillis = 0;

  @Option(
      names = "--max-client-requests",
      paramLabel = "<count>",
      converter = OptionConverters.Count.class,
      description =
          "Most requests of a client that may wait for a model. 0 for its share: as many as it"
              + " leaves places free for others, and always 256. Default: ${DEFAULT-VALUE}.")
  private int maxClientRequests = 0;

  @Option(
      names = "--max-client-sequences",
      paramLabel = "<count>",
      converter = OptionConverters.Count.class,
      description =
          "Most sequences of a model that a client may have open. 0 for its share: as many as"
              + " it leaves free for others, and always 256. Default: ${DEFAULT-VALUE}.")
  private int maxClientSequences = 0;

  @Option(
      names = "--client-header",
      paramLabel = "<name>",
      converter = OptionConverters.HeaderName.class,
      description =
          "Header, or metadata of gRPC, that says whose an inference request is: queues are fair by"
              + " client, and clients have limits there. For servers behind a proxy that sets it, or"
              + " for keys of clients. Without it a client is an address. Default: none.")
  private ClientHeader clientHeader = ClientHeader.NONE;

  /** The most requests of a client that may wait for a model; 0 for its share. */
  public int maxClientRequests() {
    return maxClientRequests;
  }

  /** What says whose a request is, besides its address. */
  public ClientHeader clientHeader() {
    return clientHeader;
  }

  /** The most open sequences of a model that a client may have; 0 for its share. */
  public int maxClientSequences() {
    return maxClientSequences;
  }

  /** The longest wait in nanoseconds; {@link Ticket#NEVER} for no limit. */
  public long maxQueueWaitNanos() {
    return maxQueueWaitMillis == 0 ? Ticket.NEVER : maxQueueWaitMillis * NANOS_PER_MILLI;
  }
}
