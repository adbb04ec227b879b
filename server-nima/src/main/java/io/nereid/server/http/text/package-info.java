/**
 * The handlers of the text APIs, which clients of OpenAI's embeddings, of Hugging Face's
 * text-embeddings-inference and of rerankers have: each request is one of {@code infer} to a text
 * model, by the way in of all. Knows no backend: which models are text models, their configurations
 * say. Runs on the connection's virtual thread. Read {@link io.nereid.server.http.text.TextRoutes}
 * first.
 */
@NullMarked
package io.nereid.server.http.text;

import org.jspecify.annotations.NullMarked;
