// The connection: token first, then frames against credit. The server sends no frame beyond the acknowledged ones plus
// two, so a page that sleeps is sent nothing. A lost connection is tried again, each time a little later.
const RETRY_FIRST_MS = 250, RETRY_LAST_MS = 8000;

export class Link {
  constructor(token, on) {
    this.token = token;
    this.on = on;
    this.retry = RETRY_FIRST_MS;
    this.bytes = 0;
    this.open();
  }

  open() {
    const socket = new WebSocket(`ws://${location.host}/`, "pharos-view");
    this.socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.send({ type: "hello", token: this.token });
    socket.onmessage = (event) => this.receive(event.data);
    socket.onclose = (event) => this.lost(event);
  }

  receive(data) {
    if (typeof data === "string") {
      const message = JSON.parse(data);
      if (message.type === "hello" && !this.refused) this.retry = RETRY_FIRST_MS;
      this.on.message(message);
      return;
    }
    this.bytes += data.byteLength;
    const sequence = this.on.frame(data);
    if (sequence !== null) this.send({ type: "ack", sequence });
  }

  // A frame can not be read: the page says so, and connects anew, each time later, as the program may be another one by then.
  refuse(error) {
    this.refused = true;
    this.socket.onclose = this.socket.onmessage = null;
    this.socket.close();
    this.lost({ reason: `a frame can not be read (${error.message})` });
  }

  lost(event) {
    if (this.over) return;
    this.on.lost(event.reason || "the program ended, or its port is closed", this.retry);
    setTimeout(() => this.open(), this.retry);
    this.retry = Math.min(this.retry * 2, RETRY_LAST_MS);
  }

  send(message) {
    // The server's JSON has no exponent without a fraction: numbers next to 0 are 0.
    const plain = (_, value) => (typeof value === "number" && Math.abs(value) < 1e-6 ? 0 : value);
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message, plain));
  }
}
