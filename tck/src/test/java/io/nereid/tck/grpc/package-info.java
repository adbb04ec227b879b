/** Broken servers, and the verifications that catch them. Read {@link BrokenServersTest}. */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.grpc;
