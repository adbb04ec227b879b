package io.nereid.benchmarks.torture;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.ManyConnections;
import io.nereid.benchmarks.torture.attack.budget.AnsweredRequests;
import io.nereid.benchmarks.torture.attack.budget.Classifications;
import io.nereid.benchmarks.torture.attack.budget.ControlBodies;
import io.nereid.benchmarks.torture.attack.budget.EmptyMembers;
import io.nereid.benchmarks.torture.attack.budget.JsonBombs;
import io.nereid.benchmarks.torture.attack.budget.UnreadEvents;
import io.nereid.benchmarks.torture.attack.grpc.BadHeaders;
import io.nereid.benchmarks.torture.attack.grpc.ControlFlood;
import io.nereid.benchmarks.torture.attack.grpc.FrameFlood;
import io.nereid.benchmarks.torture.attack.grpc.GzipMessages;
import io.nereid.benchmarks.torture.attack.grpc.HostileMessages;
import io.nereid.benchmarks.torture.attack.grpc.LeavingClients;
import io.nereid.benchmarks.torture.attack.grpc.SlowGrpcClients;
import io.nereid.benchmarks.torture.attack.grpc.UnreadStreams;
import io.nereid.benchmarks.torture.attack.http.AnnouncedBodies;
import io.nereid.benchmarks.torture.attack.http.EndlessRequests;
import io.nereid.benchmarks.torture.attack.http.GzipBodies;
import io.nereid.benchmarks.torture.attack.http.HalfHeads;
import io.nereid.benchmarks.torture.attack.http.PipelinedRequests;
import io.nereid.benchmarks.torture.attack.http.SlowHttpClients;
import io.nereid.benchmarks.torture.attack.http.UnreadLargeResponses;
import io.nereid.benchmarks.torture.attack.process.ExhaustedFiles;
import io.nereid.benchmarks.torture.attack.process.HostileModels;
import io.nereid.benchmarks.torture.attack.process.ManyInstances;
import io.nereid.benchmarks.torture.attack.process.SessionKeys;
import io.nereid.benchmarks.torture.attack.process.SmallHeap;
import io.nereid.benchmarks.torture.attack.process.TakenPorts;
import io.nereid.benchmarks.torture.attack.process.UnreadStop;
import io.nereid.benchmarks.torture.attack.share.IdleStreams;
import io.nereid.benchmarks.torture.attack.share.ManyRegions;
import io.nereid.benchmarks.torture.attack.share.MetricScrapes;
import io.nereid.benchmarks.torture.attack.share.NeverEndedSequences;
import io.nereid.benchmarks.torture.attack.share.TraceFiles;
import io.nereid.benchmarks.torture.attack.share.WaitingConnections;
import io.nereid.benchmarks.torture.server.Needs;
import io.nereid.benchmarks.torture.server.Target;
import io.nereid.benchmarks.torture.wire.Requests;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** All attacks, in the order of a campaign. */
final class Attacks {
  private static final String INFER =
      "POST /v2/models/identity_fp32/infer HTTP/1.1\r\nHost: localhost\r\n";
  private static final long MEGA = 1_000_000;
  private static final long GIGA = 1_000 * MEGA;

  private Attacks() {}

  static List<Attack> all() {
    return Stream.of(
            http(),
            JsonBombs.all(),
            budget(),
            grpc(),
            FrameFlood.all(),
            ControlFlood.all(),
            HostileMessages.all(),
            share(),
            WaitingConnections.all(),
            process())
        .flatMap(List::stream)
        .toList();
  }

  private static List<Attack> http() {
    return List.of(
        announced(
            "http-announced-66-mb",
            "200 connections announce 66 MB, send one byte and leave after 2 s",
            new AnnouncedBodies(200, 66 * MEGA, Duration.ofSeconds(2))),
        announced(
            "http-announced-2-gb",
            "6 connections announce 2000 MB, send one byte and leave after 10 s",
            new AnnouncedBodies(6, 2 * GIGA, Duration.ofSeconds(10))),
        Attack.of("http-endless-chunks", "a chunked body of 3 GB", chunks()),
        Attack.of(
            "http-endless-line",
            "a request line of 64 MB",
            new EndlessRequests("GET /", "a", 64 * MEGA, 8 * MEGA)),
        Attack.of(
            "http-endless-headers",
            "headers of 64 MB",
            new EndlessRequests(INFER, "X-A: b\r\n", 64 * MEGA, 8 * MEGA)),
        Attack.of("http-gzip", "10 gzip bodies of 1 MB that unpack to 1 GB", new GzipBodies()),
        Attack.of(
            "http-large-json",
            "8 requests of 16 MB of JSON, with responses of the same size",
            AnsweredRequests.largeJson()),
        Attack.of(
            "http-slow",
            "100 connections each: silent, half a head, half a body, a byte a second of a head, of a body",
            new SlowHttpClients()),
        Attack.of(
            "http-unread",
            "50 connections ask for 8 MB and do not read",
            new UnreadLargeResponses()),
        Attack.of(
            "http-pipeline",
            "10 connections send 10,000 requests each and begin to read after 5 s",
            new PipelinedRequests()),
        manyConnections("http-connections", Target::http),
        Attack.of(
            "head-ends-early",
            "requests whose clients end what they send at each byte of the head",
            new HalfHeads()));
  }

  private static List<Attack> budget() {
    return List.of(
        Attack.onMemory(
            "json-large-answers",
            "16 requests of 32 MB of floats at once, with responses of 120 MB of JSON",
            AnsweredRequests.largeAnswers()),
        Attack.onMemory(
            "strings",
            "gzip of 60 KB that unpacks to a BYTES tensor of 15,000,000 empty strings, by three clients",
            AnsweredRequests.strings()),
        Attack.onMemory(
            "classification",
            "gzip of 4 KB that asks for 1,000,000 classes of 1,000,000 values, by four clients",
            new Classifications()),
        Attack.onMemory(
            "control-bodies",
            "64 bodies of 60 MB at once, 8 each for settings, index, load, unload and regions",
            new ControlBodies()),
        Attack.onMemory(
            "generate-stream-unread",
            "300 requests of 1 MB to generate_stream, a string for each four bytes, whose event is not read",
            new UnreadEvents()),
        Attack.of(
            "gzip-empty-members",
            "gzip of 20,000 empty members and one with a request, over HTTP and gRPC",
            new EmptyMembers()));
  }

  private static List<Attack> grpc() {
    return List.of(
        Attack.of(
            "grpc-gzip-1-gb",
            "10 gzip messages of 1 MB that unpack to 1 GB",
            new GzipMessages(10, GIGA)),
        Attack.of(
            "grpc-gzip-3-gb",
            "1 gzip messages of 3 MB that unpack to 3 GB",
            new GzipMessages(1, 3 * GIGA)),
        Attack.of(
            "grpc-unread",
            "1,000 streams on 10 connections send 26 requests of 92 KB each and read nothing",
            new UnreadStreams()),
        Attack.of(
            "grpc-slow",
            "100 connections each: silent, half a preface, no call, half a frame, half a message of 2 GB, a byte a second",
            new SlowGrpcClients()),
        manyConnections("grpc-connections", Target::grpc),
        Attack.of(
            "grpc-leave",
            "12 clients send 20,000,000 strings as gzip and leave, half of them in the middle of the message",
            new LeavingClients()),
        Attack.of(
            "grpc-bad-header",
            "a header that is malformed beside another call of the connection: 'x-bin: !!!', an upper-case name and the like",
            new BadHeaders()));
  }

  private static List<Attack> share() {
    return List.of(
        Attack.of(
            "grpc-idle-streams",
            "17 connections of 1,000 streams each that send no message, beside another client's requests",
            new IdleStreams()),
        Attack.of(
            "sequences-never-ended",
            "89,000 sequences of one client that do not end, of a model with slots for 80,000",
            new NeverEndedSequences()),
        scrapes(16),
        scrapes(64),
        Attack.of(
                "region-status",
                "a client takes all regions that it may have, and asks for their status 20 times at once",
                new ManyRegions())
            .needing(Needs.options("--allow-client-shm=true")),
        TraceFiles.attack());
  }

  private static List<Attack> process() {
    return List.of(
        Attack.of(
                "taken-ports",
                "a second server on the HTTP, gRPC or metrics port of the first",
                new TakenPorts())
            .startingServers(),
        Attack.of(
            "hostile-models",
            "2,147,483,647 instances; files outside of the repository",
            new HostileModels()),
        Attack.of(
            "load-session-keys",
            "loads whose parameters have ONNX Runtime write files or open a library, with the repository's model and an uploaded one",
            new SessionKeys()),
        Attack.of(
            "load-many-instances",
            "a load with 1,000 instances, and one with the number before",
            new ManyInstances()),
        Attack.of(
                "stop-unread",
                "SIGTERM while 20 clients do not read their responses of 8 MB",
                new UnreadStop())
            .startingServers(),
        Attack.of(
                "small-heap",
                "20 MB of JSON each of floats, strings, dimensions, an id and for generate, at once, to a server with -Xmx128m",
                new SmallHeap())
            .startingServers(),
        Attack.of(
                "files",
                "600 connections to HTTP, then to gRPC, of a server that may open 300 files",
                new ExhaustedFiles())
            .needing(Needs.maxFiles(300))
            .takingAllRoom());
  }

  private static Attack announced(String name, String summary, AnnouncedBodies bodies) {
    return Attack.of(name, summary, bodies)
        .needing(Needs.options("--http-max-input-size=3000000000"));
  }

  private static EndlessRequests chunks() {
    return new EndlessRequests(
        Requests.inferHead(
            "identity_fp32", "Transfer-Encoding: chunked", "Inference-Header-Content-Length: 0"),
        "ffff\r\n" + "x".repeat(0xffff) + "\r\n",
        3 * GIGA,
        200 * MEGA);
  }

  private static Attack manyConnections(String name, Function<Target, InetSocketAddress> listener) {
    return Attack.of(name, "5,000 silent connections", new ManyConnections(listener))
        .takingAllRoom();
  }

  private static Attack scrapes(int connections) {
    return Attack.of(
        "metrics-scrapes-" + connections,
        "%d kept connections scrape /metrics as fast as they can".formatted(connections),
        new MetricScrapes(connections));
  }
}
