package io.nereid.benchmarks.torture;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.ManyConnections;
import io.nereid.benchmarks.torture.attack.budget.Classifications;
import io.nereid.benchmarks.torture.attack.budget.ControlBodies;
import io.nereid.benchmarks.torture.attack.budget.EmptyMembers;
import io.nereid.benchmarks.torture.attack.budget.JsonBombs;
import io.nereid.benchmarks.torture.attack.budget.LargeAnswers;
import io.nereid.benchmarks.torture.attack.budget.StringTensors;
import io.nereid.benchmarks.torture.attack.budget.UnreadEvents;
import io.nereid.benchmarks.torture.attack.grpc.BadHeaders;
import io.nereid.benchmarks.torture.attack.grpc.ControlFlood;
import io.nereid.benchmarks.torture.attack.grpc.FrameFlood;
import io.nereid.benchmarks.torture.attack.grpc.GzipMessages;
import io.nereid.benchmarks.torture.attack.grpc.HostileMessages;
import io.nereid.benchmarks.torture.attack.grpc.LeavingClients;
import io.nereid.benchmarks.torture.attack.grpc.SlowGrpcClients;
import io.nereid.benchmarks.torture.attack.grpc.UnreadStreams;
import io.nereid.benchmarks.torture.attack.http.AmbiguousRequests;
import io.nereid.benchmarks.torture.attack.http.AnnouncedBodies;
import io.nereid.benchmarks.torture.attack.http.ClosingClients;
import io.nereid.benchmarks.torture.attack.http.EndlessRequests;
import io.nereid.benchmarks.torture.attack.http.GzipBodies;
import io.nereid.benchmarks.torture.attack.http.HalfHeads;
import io.nereid.benchmarks.torture.attack.http.LargeJson;
import io.nereid.benchmarks.torture.attack.http.PipelinedRequests;
import io.nereid.benchmarks.torture.attack.http.SlowHttpClients;
import io.nereid.benchmarks.torture.attack.http.UnreadResponses;
import io.nereid.benchmarks.torture.attack.process.ExhaustedFiles;
import io.nereid.benchmarks.torture.attack.process.HostileModels;
import io.nereid.benchmarks.torture.attack.process.ManyInstances;
import io.nereid.benchmarks.torture.attack.process.SessionKeys;
import io.nereid.benchmarks.torture.attack.process.SmallHeap;
import io.nereid.benchmarks.torture.attack.process.TakenPorts;
import io.nereid.benchmarks.torture.attack.process.UnreadStop;
import io.nereid.benchmarks.torture.attack.share.IdleStreams;
import io.nereid.benchmarks.torture.attack.share.MetricScrapes;
import io.nereid.benchmarks.torture.attack.share.NeverEndedSequences;
import io.nereid.benchmarks.torture.attack.share.RegionStatus;
import io.nereid.benchmarks.torture.attack.share.TraceFiles;
import io.nereid.benchmarks.torture.attack.share.WaitingConnections;
import io.nereid.benchmarks.torture.wire.Requests;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** All attacks, in the order of a campaign. */
final class Attacks {
  private static final String INFER =
      "POST /v2/models/identity_fp32/infer HTTP/1.1\r\nHost: localhost\r\n";
  private static final long MEGA = 1_000_000;
  private static final long GIGA = 1_000 * MEGA;

  private Attacks() {}

  static List<Attack> all() {
    List<Attack> attacks = new ArrayList<>();
    attacks.add(new AnnouncedBodies("http-announced-66-mb", 200, 66 * MEGA, Duration.ofSeconds(2)));
    attacks.add(new AnnouncedBodies("http-announced-2-gb", 6, 2 * GIGA, Duration.ofSeconds(10)));
    attacks.add(chunks());
    attacks.add(
        new EndlessRequests(
            "http-endless-line", "a request line of 64 MB", "GET /", "a", 64 * MEGA, 8 * MEGA));
    attacks.add(
        new EndlessRequests(
            "http-endless-headers", "headers of 64 MB", INFER, "X-A: b\r\n", 64 * MEGA, 8 * MEGA));
    attacks.add(new GzipBodies());
    attacks.add(new LargeJson());
    attacks.add(new ClosingClients());
    attacks.add(new AmbiguousRequests());
    attacks.add(new SlowHttpClients());
    attacks.add(new UnreadResponses());
    attacks.add(new PipelinedRequests());
    attacks.add(new ManyConnections("http-connections", true));
    attacks.add(new HalfHeads());
    attacks.addAll(JsonBombs.all());
    attacks.add(new LargeAnswers());
    attacks.add(new StringTensors());
    attacks.add(new Classifications());
    attacks.add(new ControlBodies());
    attacks.add(new UnreadEvents());
    attacks.add(new EmptyMembers());
    attacks.add(new GzipMessages("grpc-gzip-1-gb", 10, GIGA));
    attacks.add(new GzipMessages("grpc-gzip-3-gb", 1, 3 * GIGA));
    attacks.add(new UnreadStreams());
    attacks.addAll(FrameFlood.all());
    attacks.addAll(ControlFlood.all());
    attacks.add(new SlowGrpcClients());
    attacks.add(new ManyConnections("grpc-connections", false));
    attacks.addAll(HostileMessages.all());
    attacks.add(new LeavingClients());
    attacks.add(new BadHeaders());
    attacks.add(new IdleStreams());
    attacks.add(new NeverEndedSequences());
    attacks.add(new MetricScrapes("metrics-scrapes-16", 16));
    attacks.add(new MetricScrapes("metrics-scrapes-64", 64));
    attacks.add(new RegionStatus());
    attacks.add(new TraceFiles());
    attacks.addAll(WaitingConnections.all());
    attacks.add(new TakenPorts());
    attacks.add(new HostileModels());
    attacks.add(new SessionKeys());
    attacks.add(new ManyInstances());
    attacks.add(new UnreadStop());
    attacks.add(new SmallHeap());
    attacks.add(new ExhaustedFiles());
    return List.copyOf(attacks);
  }

  private static EndlessRequests chunks() {
    return new EndlessRequests(
        "http-endless-chunks",
        "a chunked body of 3 GB",
        Requests.inferHead(
            "identity_fp32", "Transfer-Encoding: chunked", "Inference-Header-Content-Length: 0"),
        "ffff\r\n" + "x".repeat(0xffff) + "\r\n",
        3 * GIGA,
        200 * MEGA);
  }
}
