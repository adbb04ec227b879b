package io.nereid.text.tokenizer;

/**
 * The tokens of a text or a pair, special tokens included and cut to the most that the model takes.
 *
 * @param ids at least one; not to be changed
 * @param typeIds as many: which text of a pair a token is of; not to be changed
 */
@SuppressWarnings("ArrayRecordComponent")
public record Encoding(long[] ids, long[] typeIds) {
  public int length() {
    return ids.length;
  }
}
