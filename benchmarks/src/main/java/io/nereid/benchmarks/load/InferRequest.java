package io.nereid.benchmarks.load;

/** What a preset sends, by protocol. */
sealed interface InferRequest permits GrpcRequest, HttpRequest {}
