/**
 * The backend {@code text}: embeddings, rerankers and classifiers as Hugging Face lays them out. It
 * turns texts into tokens ({@link io.nereid.text.tokenizer}), has the graph run by the backend
 * {@code onnxruntime} as a part of the model, and turns what comes back into vectors and scores
 * ({@link io.nereid.text.vector}); {@link io.nereid.text.folder} reads the files.
 *
 * <p>What serves a text model finds it by its completed configuration: the backend is {@code text},
 * and the parameters are {@code task} ({@code embedding}, {@code rerank} or {@code classify}),
 * {@code max_length} and {@code truncate} of all; {@code dimension}, {@code normalize}, {@code
 * pooling}, {@code prompts} (a JSON object of texts by name) and {@code prompt_name} of embeddings;
 * {@code labels} (a JSON array) and {@code activation} of classifiers. Requests may have the
 * parameters {@code truncate}, {@code prompt_name}, {@code dimensions}, {@code normalize} and
 * {@code raw_scores}.
 *
 * <p>The threads that load models use the backend and its models; each instance belongs to one
 * thread. Read {@link io.nereid.text.TextInstance} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.text;
