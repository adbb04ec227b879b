package io.nereid.server.codec.protobuf;

import io.nereid.engine.utilization.ServerLoad;
import io.nereid.server.protobuf.orca.OrcaLoadReport;

/** Reports of the load as ORCA's messages. */
public final class LoadReportMessage {
  private LoadReportMessage() {}

  /** The message of a load. */
  public static OrcaLoadReport of(ServerLoad load) {
    return OrcaLoadReport.newBuilder()
        .setApplicationUtilization(load.utilization())
        .setCpuUtilization(load.cpuUtilization())
        .setRpsFractional(load.requestsPerSecond())
        .setEps(load.errorsPerSecond())
        .build();
  }
}
