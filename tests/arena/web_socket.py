"""A WebSocket client of the standard library alone, for one connection: whole messages, and frames that are wrong."""
import base64
import os
import socket
import struct

CONTINUED, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
TIMEOUT_S = 60  # far above all that a test waits for: a machine may be slow


class Closed(Exception):
    """The other side closed; code and reason of its close frame, or 0 and nothing."""

    def __init__(self, code=0, reason=""):
        super().__init__(f"closed: {code} {reason}")
        self.code, self.reason = code, reason


class WebSocket:
    def __init__(self, port, path="/", headers=(), receive_bytes=None, unix=None, host=None):
        """unix: the path of a unix socket; `port` is then the one that its other side leads there from. host: as the client
        names the server, or its true name."""
        self.socket = socket.socket(socket.AF_UNIX if unix else socket.AF_INET)
        self.socket.settimeout(TIMEOUT_S)
        if receive_bytes:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self.socket.connect(unix or ("127.0.0.1", port))
        self.buffer = b""
        lines = [f"GET {path} HTTP/1.1", f"Host: {f'127.0.0.1:{port}' if host is None else host}", "Upgrade: websocket", "Connection: Upgrade",
                 "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: " + base64.b64encode(os.urandom(16)).decode(), *headers]
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        while b"\r\n\r\n" not in self.buffer:
            self.fill()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise Closed(0, head.split(b"\r\n")[0].decode())

    def fill(self):
        try:
            data = self.socket.recv(1 << 16)
        except ConnectionError as error:
            raise Closed() from error
        if not data:
            raise Closed()
        self.buffer += data

    def take(self, count):
        while len(self.buffer) < count:
            self.fill()
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def send_frame(self, kind, payload=b"", final=True):
        size = len(payload)
        length = size if size < 126 else 126 if size < 1 << 16 else 127
        head = bytes([kind | (0x80 if final else 0), length | 0x80])
        head += struct.pack(">H", size) if length == 126 else struct.pack(">Q", size) if length == 127 else b""
        mask = os.urandom(4)
        masked = int.from_bytes((mask * (size // 4 + 1))[:size], "big") ^ int.from_bytes(payload, "big")
        try:
            self.socket.sendall(head + mask + masked.to_bytes(size, "big"))
        except ConnectionError as error:
            raise Closed() from error

    def send(self, text):
        self.send_frame(TEXT, text.encode())

    def receive(self):
        """The next whole text message."""
        while True:
            kind, message = self.message()
            if kind == TEXT:
                return message.decode()

    def message(self):
        """The next whole message: TEXT or BINARY, and its bytes."""
        kind_now, message = TEXT, b""
        while True:
            first, second = self.take(2)
            length = second & 0x7F
            if length >= 126:
                length = int.from_bytes(self.take(2 if length == 126 else 8), "big")
            payload = self.take(length)
            kind = first & 0x0F
            if kind == CLOSE:
                raise Closed(int.from_bytes(payload[:2], "big"), payload[2:].decode())
            if kind == PING:
                self.send_frame(PONG, payload)
            elif kind in (TEXT, BINARY, CONTINUED):
                kind_now = kind if kind != CONTINUED else kind_now
                message += payload
                if first & 0x80:
                    return kind_now, message

    def close(self):
        """A thread that reads meanwhile has the end of the connection."""
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # the other side was first
        self.socket.close()
