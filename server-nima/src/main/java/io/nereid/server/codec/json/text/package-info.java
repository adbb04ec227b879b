/**
 * The JSON of the APIs of text models: OpenAI's, TEI's, and those of rerankers and classifiers.
 * Knows no HTTP. Bodies are read in place, off-heap; texts go from there to a tensor without a
 * {@code String}. Used by the thread of a request. Read {@link
 * io.nereid.server.codec.json.text.TextBody} first.
 */
@NullMarked
package io.nereid.server.codec.json.text;

import org.jspecify.annotations.NullMarked;
