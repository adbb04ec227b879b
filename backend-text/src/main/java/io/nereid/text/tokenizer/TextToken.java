package io.nereid.text.tokenizer;

/**
 * A token of a text.
 *
 * @param text the part of the text that it is, or its name if it is none
 * @param start its first byte in the text with its prompt, in UTF-8; -1 if it is no part of it
 * @param stop behind its last byte; -1 if it is no part of it
 */
public record TextToken(long id, String text, boolean special, int start, int stop) {}
