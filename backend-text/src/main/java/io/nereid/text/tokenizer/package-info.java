/**
 * Texts to tokens, by the native library of Hugging Face's tokenizers that DJL packs. It knows no
 * model and no request. Any thread may use a tokenizer. Read {@link
 * io.nereid.text.tokenizer.TextTokenizer} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.text.tokenizer;
