package io.nereid.client.grpc;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.MethodDescriptor;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Several channels to one server, used in turn: each has a connection of its own. */
final class ChannelPool extends Channel {
  private final List<? extends Channel> channels;
  private final AtomicInteger next = new AtomicInteger();

  ChannelPool(List<? extends Channel> channels) {
    this.channels = List.copyOf(channels);
  }

  @Override
  public <Q, A> ClientCall<Q, A> newCall(MethodDescriptor<Q, A> method, CallOptions options) {
    return channels
        .get(Math.floorMod(next.getAndIncrement(), channels.size()))
        .newCall(method, options);
  }

  @Override
  public String authority() {
    return channels.get(0).authority();
  }
}
