/**
 * What the files of a model from Hugging Face say of it: task, pooling, prompts, lengths. It knows
 * neither tokens nor tensors, and runs on the threads that load models. Read {@link
 * io.nereid.text.folder.TextFolder} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.text.folder;
