/**
 * The commands that ask models, of any server of the v2 protocol or straight from a folder: {@code
 * infer}, {@code verify} and {@code bench}. They know no server's code; the command line of {@code
 * server-nima} runs them, on its main thread. Read {@link io.nereid.tools.InferCommand} first.
 */
@NullMarked
package io.nereid.tools;

import org.jspecify.annotations.NullMarked;
