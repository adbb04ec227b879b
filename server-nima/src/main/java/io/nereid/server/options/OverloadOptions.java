package io.nereid.server.options;

import io.nereid.engine.EngineSettings;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.server.codec.ClientHeader;
import io.nereid.server.options.declaration.OptionConverters;
import io.nereid.server.options.declaration.OptionGroup;
import io.nereid.server.options.declaration.OptionValue;
import java.time.Duration;

/** The options of admission under overload. */
public final class OverloadOptions extends OptionGroup {
  private final OptionValue<Duration> maxQueueWait =
      timeOrZero("--max-queue-wait=<milliseconds>", Duration.ZERO)
          .help(
              "How long a request may wait for an instance of its model. A request that would wait"
                  + " for longer is refused at once; so is, always, one that would not be answered"
                  + " before its own deadline or timeout. 0 for no limit.");

  private final OptionValue<Integer> maxClientRequests =
      count("--max-client-requests=<count>", 0)
          .help(
              "Most requests of a client that may wait for a model. 0 for its share: as many as it"
                  + " leaves places free for others, and always 256.");

  private final OptionValue<Integer> maxClientSequences =
      count("--max-client-sequences=<count>", 0)
          .help(
              "Most sequences of a model that a client may have open. 0 for its share: as many as"
                  + " it leaves free for others, and always 256.");

  private final OptionValue<ClientHeader> clientHeader =
      option("--client-header=<name>", OptionConverters::headerName, ClientHeader.NONE)
          .help(
              "Header, or metadata of gRPC, that says whose an inference request is: queues are fair"
                  + " by client, and clients have limits there. For servers behind a proxy that sets"
                  + " it, or for keys of clients. Without it a client is an address. Default: none.");

  /** What says whose a request is, besides its address. */
  public ClientHeader clientHeader() {
    return clientHeader.get();
  }

  /** The limits of the queue of a model. */
  public QueueLimits limits() {
    long maxWait = maxQueueWait.get().toNanos();
    return new QueueLimits(
        EngineSettings.QUEUE_CAPACITY,
        maxWait == 0 ? Ticket.NEVER : maxWait,
        maxClientRequests.get(),
        maxClientSequences.get());
  }
}
