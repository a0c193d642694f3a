"""Calls a method once, as a Python service would: gRPC's own client, under the
service config in a file. Prints the status code.

    call.py ADDRESS CONFIG_FILE /package.Service/Method
"""

import sys

import grpc


def main():
    address, config_file, method = sys.argv[1:]
    with open(config_file, encoding="utf-8") as config:
        options = [("grpc.service_config", config.read())]
    with grpc.insecure_channel(address, options=options) as channel:
        call = channel.unary_unary(method)  # Bytes in, bytes out.
        try:
            # Every test's calls end by themselves, long before this.
            call(b"", timeout=60)
            print("OK")
        except grpc.RpcError as error:
            print(error.code().name)


if __name__ == "__main__":
    main()
