package io.nereid.client;

import io.nereid.client.model.RegisteredRegion;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Calls that tell a server on the same machine of shared memory: {@link NereidClient#regions()}.
 * The client maps no memory: it sends names, and the server maps. Inputs and outputs that are in a
 * region are stated by {@link SharedRegion}.
 */
public final class RegionAdmin {
  private final Caller caller;

  RegionAdmin(Caller caller) {
    this.caller = caller;
  }

  private Management management() {
    return caller.transport().management();
  }

  /**
   * Gives a part of a POSIX object of shared memory a name.
   *
   * @param key of the object, such as {@code /my_region}
   * @param offset in bytes from the object's begin
   */
  public void registerSystem(String name, String key, long offset, long byteSize) {
    caller.await(registerSystemAsync(name, key, offset, byteSize));
  }

  /** As {@link #registerSystem}. */
  public CompletableFuture<@Nullable Void> registerSystemAsync(
      String name, String key, long offset, long byteSize) {
    return caller.change(
        "registerSystemRegion",
        "",
        context -> management().registerSystemRegion(name, key, offset, byteSize, context));
  }

  /** Gives memory of a GPU a name. {@code handle}: a {@code cudaIpcMemHandle_t}. */
  public void registerCuda(String name, byte[] handle, long deviceId, long byteSize) {
    caller.await(registerCudaAsync(name, handle, deviceId, byteSize));
  }

  /** As {@link #registerCuda}. */
  public CompletableFuture<@Nullable Void> registerCudaAsync(
      String name, byte[] handle, long deviceId, long byteSize) {
    byte[] copy = handle.clone();
    return caller.change(
        "registerCudaRegion",
        "",
        context -> management().registerCudaRegion(name, copy, deviceId, byteSize, context));
  }

  /** All regions of the system's memory that the server knows. */
  public List<RegisteredRegion> system() {
    return caller.await(listAsync(false, ""));
  }

  /** All regions of CUDA's memory that the server knows. */
  public List<RegisteredRegion> cuda() {
    return caller.await(listAsync(true, ""));
  }

  /** As {@link #system} or {@link #cuda}. {@code name}: of one region; empty for all. */
  public CompletableFuture<List<RegisteredRegion>> listAsync(boolean cuda, String name) {
    String asked = "regions at " + caller.transport().address();
    return caller.ask(
        "regions",
        "",
        context -> management().regions(cuda, name, context).map(asked, RegisteredRegion::listOf));
  }

  /** Takes a name from a region of the system's memory. Requests that use it finish first. */
  public void unregisterSystem(String name) {
    caller.await(unregisterAsync(false, name));
  }

  /** Takes a name from a region of CUDA's memory. */
  public void unregisterCuda(String name) {
    caller.await(unregisterAsync(true, name));
  }

  /** As the others. {@code name}: empty for all regions of that kind. */
  public CompletableFuture<@Nullable Void> unregisterAsync(boolean cuda, String name) {
    return caller.change(
        "unregisterRegion", "", context -> management().unregisterRegion(cuda, name, context));
  }
}
