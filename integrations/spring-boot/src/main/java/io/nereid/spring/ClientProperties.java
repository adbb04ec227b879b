package io.nereid.spring;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What the configuration says of the server that the application asks.
 *
 * @param address Where the server is, as http://host:8000 or grpc://host:8001.
 * @param deadline How long a call may take, its repeats included.
 * @param connectTimeout How long a new connection may take.
 * @param connections How many connections there are: over REST at most, over gRPC exactly.
 * @param headers Headers, or gRPC metadata, of each call.
 */
@ConfigurationProperties("nereid.client")
public record ClientProperties(
    String address,
    @DefaultValue("60s") Duration deadline,
    @DefaultValue("10s") Duration connectTimeout,
    @Nullable Integer connections,
    @DefaultValue Map<String, String> headers) {}
