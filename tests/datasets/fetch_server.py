# SPDX-License-Identifier: MIT
"""A file server on 127.0.0.1 for test_fetch.sh: python3 fetch_server.py FOLDER PORT_FILE LOG.

Writes its port to PORT_FILE, and a line "PATH RANGE" to LOG for each request. The first part of the
path says how it behaves: /plain (ranges are honoured), /norange (they are not), /drop (a request
without a range breaks off in the middle), /slow (half at once, the rest by and by), /stall (half at once,
then nothing for as long as the client waits), /silent (nothing at all).
"""
import http.server
import os
import re
import sys
import time

folder, port_file, log = sys.argv[1:]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def handle(self):
        try:
            super().handle()
        except ConnectionError:  # the client was interrupted: part of the test
            pass

    def do_GET(self):
        try:
            self.answer()
        except ConnectionError:
            self.close_connection = True

    def answer(self):
        asked = self.headers.get("Range", "-")
        with open(log, "a") as f:
            f.write(f"{self.path} {asked}\n")
        _, behaviour, rest = self.path.split("/", 2)
        path = os.path.join(folder, rest)
        if not os.path.isfile(path):
            self.send_error(404)
            return
        with open(path, "rb") as f:
            body = f.read()
        start = 0
        match = re.fullmatch(r"bytes=(\d+)-", asked)
        if match and behaviour != "norange":
            start = int(match.group(1))
            if start >= len(body):
                self.send_response(416)
                self.send_header("Content-Range", f"bytes */{len(body)}")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        else:
            self.send_response(200)
        body = body[start:]
        if behaviour == "silent":
            self.wait_for_the_end()
            return
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if behaviour == "drop" and start == 0:
            body = body[: len(body) // 2]
            self.close_connection = True
        if behaviour == "stall":
            self.wfile.write(body[: len(body) // 2])
            self.wfile.flush()
            self.wait_for_the_end()
        elif behaviour == "slow":
            half = len(body) // 2
            self.wfile.write(body[:half])
            for i in range(half, len(body), 16):
                self.wfile.flush()
                time.sleep(0.1)
                self.wfile.write(body[i : i + 16])
        else:
            self.wfile.write(body)

    def wait_for_the_end(self):
        """Until the client closes the connection."""
        self.close_connection = True
        self.rfile.read()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
with open(port_file + ".new", "w") as f:
    f.write(str(server.server_port))
os.rename(port_file + ".new", port_file)
server.serve_forever()
