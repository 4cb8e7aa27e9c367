// HTTP/1.1 on bare sockets, as far as this bench's servers speak it.
import { connect } from 'node:net';

const END_OF_HEAD = '\r\n\r\n';

/** Sends each text as one request on a free socket, and resolves with the body of its response. */
export function makeExchange({ hostname, port }) {
  const free = [];
  const release = (line) => free.push(line);
  return (text) => (free.pop() ?? openLine({ hostname, port, release })).exchange(text);
}

/** One socket, one request at a time. */
function openLine({ hostname, port, release }) {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  let waiting;
  let pieces = [];
  let missing = -1;
  const line = {
    exchange: (text) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(text);
      }),
  };
  socket.on('error', (error) => waiting?.reject(error));
  socket.on('data', (chunk) => {
    let body = chunk;
    if (missing === -1) {
      const end = chunk.indexOf(END_OF_HEAD);
      missing = Number(/\r\nContent-Length: (\d+)/u.exec(chunk.latin1Slice(0, end))[1]);
      body = chunk.subarray(end + END_OF_HEAD.length);
    }
    pieces.push(body);
    missing -= body.length;
    if (missing > 0) return;
    const text = (pieces.length === 1 ? body : Buffer.concat(pieces)).toString();
    pieces = [];
    missing = -1;
    release(line);
    waiting.resolve(text);
  });
  return line;
}

/** The start of every request to this path, up to the length of the body. */
export function startOf({ host, path, headers }) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\nHost: ${host}\r\n${lines.join('')}Content-Length: `;
}

/** Sends a GET whose chunked response never ends, and gives its data to `take`. */
export function openStream({ hostname, port, host, path, take }) {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  const unchunk = makeUnchunker(take);
  let isOpen = false;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream${END_OF_HEAD}`);
  socket.on('data', (chunk) => {
    if (isOpen) return unchunk(chunk);
    isOpen = true;
    return unchunk(chunk.subarray(chunk.indexOf(END_OF_HEAD) + END_OF_HEAD.length));
  });
}

function makeUnchunker(take) {
  let left = 0; // bytes of the chunk, its line end included
  let head = '';
  return (bytes) => {
    for (let at = 0; at < bytes.length;) {
      if (left > 0) {
        const end = Math.min(at + left, bytes.length);
        const data = Math.min(end, at + left - 2);
        if (data > at) take(bytes.subarray(at, data));
        left -= end - at;
        at = end;
      } else {
        const end = bytes.indexOf(10, at);
        head += bytes.latin1Slice(at, end === -1 ? bytes.length : end);
        if (end === -1) return;
        left = Number.parseInt(head, 16) + 2;
        head = '';
        at = end + 1;
      }
    }
  };
}
