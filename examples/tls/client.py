#!/usr/bin/env python3
"""One inference of the model `simple` over each protocol, with TLS in both directions.

    pip install 'tritonclient[all]'
    examples/tls/client.py <directory of examples/tls/certificates> [--http HOST:PORT] [--grpc HOST:PORT]
"""

import argparse
import os
import sys

import numpy as np
import tritonclient.grpc as grpcclient
import tritonclient.http as httpclient


def infer(module, client):
    """Returns whether the sums that the server sends are right."""
    values = np.arange(16, dtype=np.int32).reshape(1, 16)
    inputs = [module.InferInput(name, [1, 16], "INT32") for name in ("INPUT0", "INPUT1")]
    for each in inputs:
        each.set_data_from_numpy(values)
    result = client.infer("simple", inputs)
    return np.array_equal(result.as_numpy("OUTPUT0"), values + values)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("certificates", help="directory of ca.crt, client.crt and client.key")
    parser.add_argument("--http", default="localhost:8000", help="empty to leave it out")
    parser.add_argument("--grpc", default="localhost:8001", help="empty to leave it out")
    parser.add_argument("--client", default="client", help="name of .crt and .key; empty for none")
    options = parser.parse_args()

    def file(name):
        return os.path.join(options.certificates, name)

    certificate, key = (
        (file(options.client + ".crt"), file(options.client + ".key")) if options.client else (None, None)
    )
    good = True
    if options.http:
        tls = {"ca_certs": file("ca.crt")}
        if certificate:
            tls |= {"certfile": certificate, "keyfile": key}
        with httpclient.InferenceServerClient(options.http, ssl=True, ssl_options=tls) as client:
            right = infer(httpclient, client)
            print("HTTP:", "right" if right else "wrong")
            good &= right
    if options.grpc:
        with grpcclient.InferenceServerClient(
            options.grpc,
            ssl=True,
            root_certificates=file("ca.crt"),
            private_key=key,
            certificate_chain=certificate,
        ) as client:
            right = infer(grpcclient, client)
            print("gRPC:", "right" if right else "wrong")
            good &= right
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
