"""A double of etcd's JSON gateway within the test, as far as a member asks it: keys, compare-and-set, leases.

`is_silent`: it closes connections without an answer. `is_full` is the state behind the alarm NOSPACE: etcd goes on reading and renewing leases, and refuses writes and new leases.
"""
import base64
import http.server
import json
import threading

NOT_FOUND, NO_SPACE = 5, 8  # codes of errors


class Etcd:
    def __init__(self):
        self.lock = threading.Lock()
        self.keys = {}  # name: (value, revision, lease)
        self.leases = {}
        self.revision = 1
        self.is_full = self.is_silent = False
        self.granted = self.refused = self.renewed = 0
        double = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if double.is_silent:
                    self.close_connection = True
                    return
                with double.lock:
                    text = json.dumps(double.answer(self.path, body)).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def put(self, key, value, lease=0):
        with self.lock:
            self.write(key.encode(), value, lease)

    def forget(self):
        with self.lock:
            self.keys, self.leases = {}, {}

    def names(self):
        with self.lock:
            return sorted(name.decode() for name in self.keys)

    def write(self, name, value, lease):
        self.revision += 1
        self.keys[name] = (value, self.revision, lease)

    def entries(self, first, end):
        names = sorted(name for name in self.keys if name == first or (end and first <= name < end))
        return [{"key": base64.b64encode(name).decode(), "value": base64.b64encode(self.keys[name][0]).decode(),
                 "mod_revision": str(self.keys[name][1]), "lease": str(self.keys[name][2])} for name in names]

    def header(self, **more):
        return {"header": {"revision": str(self.revision)}, **more}

    def refuse(self):
        self.refused += 1
        return {"error": "etcdserver: mvcc: database space exceeded", "code": NO_SPACE}

    def change(self, body):
        put = body["success"][0]["request_put"]
        name = base64.b64decode(put["key"])
        if self.is_full:
            return self.refuse()
        if self.keys.get(name, (b"", 0, 0))[1] != int(body["compare"][0]["mod_revision"]):
            return self.header(responses=[{"response_range": {"kvs": self.entries(name, b"")}}])
        lease = int(put["lease"])
        if lease != 0 and lease not in self.leases:
            return {"error": "etcdserver: requested lease not found", "code": NOT_FOUND}
        self.write(name, base64.b64decode(put["value"]), lease)
        return self.header(succeeded=True)

    def lease(self, path, body):
        if path.endswith("grant"):
            if self.is_full:
                return self.refuse()
            self.granted += 1
            number = self.granted
            self.leases[number] = body["TTL"]
            return self.header(ID=str(number), TTL=body["TTL"])
        number = int(body["ID"])
        if path.endswith("keepalive"):
            self.renewed += 1
            return {"result": self.header(ID=str(number), TTL=self.leases.get(number, "0"))}
        self.leases.pop(number, None)
        self.keys = {name: entry for name, entry in self.keys.items() if entry[2] != number}
        return self.header()

    def answer(self, path, body):
        if path == "/v3/kv/range":
            return self.header(kvs=self.entries(base64.b64decode(body["key"]),
                                                base64.b64decode(body.get("range_end", ""))))
        return self.change(body) if path == "/v3/kv/txn" else self.lease(path, body)
