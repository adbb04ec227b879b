package io.nereid.benchmarks.torture.attack;

import io.nereid.benchmarks.torture.server.Needs;
import java.util.OptionalLong;

/** What a server of 1 GiB of tensor memory may take besides its heap. */
public final class TensorMemory {
  /** Lets a server have 1 GiB. */
  public static final Needs NEEDS = Needs.options("--max-tensor-memory=1073741824");

  private static final long POOL_MEBIBYTES = 1_024;

  /** Sockets, code that is compiled, threads. */
  private static final long OTHER_MEBIBYTES = 256;

  /** What it may grow by. */
  public static final OptionalLong GROWTH_MEBIBYTES =
      OptionalLong.of(POOL_MEBIBYTES + OTHER_MEBIBYTES);

  private TensorMemory() {}
}
