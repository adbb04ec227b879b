package io.nereid.client.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A version of a model in the server's repositories, or a model without any.
 *
 * @param version empty for a model that was never loaded
 * @param state such as {@code READY} or {@code UNAVAILABLE}; empty as the version
 * @param reason of the state; empty if there is none to tell
 */
public record IndexEntry(String name, String version, String state, String reason) {
  public boolean isReady() {
    return state.equals("READY");
  }

  /** For the client: reads what a transport got. */
  public static List<IndexEntry> listOf(@Nullable Object tree) {
    return Tree.listOf(
        tree,
        each -> {
          Tree model = Tree.of(each);
          return new IndexEntry(
              model.text("name"), model.text("version"), model.text("state"), model.text("reason"));
        });
  }
}
