/**
 * Model repositories in Amazon S3 and in stores with the same protocol, read with the AWS SDK.
 * Knows nothing of models. Called by the threads that load models. Read {@link
 * io.nereid.s3.S3Store} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.s3;
