// An echo server over Streamable HTTP, on a bare socket: a POST is answered with JSON, anything else with 405. It knows
// nothing but Content-Length, which is what every client of this bench sends. Tells its port to the process that forked it.
import { createServer } from 'node:net';
import { makeAnswerer } from './answer.mjs';

const END_OF_HEAD = '\r\n\r\n';
const answer = makeAnswerer(process.argv.slice(2).map(Number));

const server = createServer({ noDelay: true }, (socket) => {
  let head;
  let pieces = [];
  let missing = 0;
  socket.on('error', () => socket.destroy()); // a client that is gone
  socket.on('data', (chunk) => {
    let rest = chunk;
    while (rest.length > 0) rest = head === undefined ? takeHead(rest) : takeBody(rest);
  });

  function takeHead(chunk) {
    const bytes = pieces.length === 0 ? chunk : Buffer.concat([...pieces, chunk]);
    const end = bytes.indexOf(END_OF_HEAD);
    if (end === -1) {
      pieces = [bytes];
      return bytes.subarray(bytes.length);
    }
    head = bytes.latin1Slice(0, end);
    missing = Number(/\r\ncontent-length: *(\d+)/iu.exec(head)?.[1] ?? 0);
    pieces = [];
    if (missing === 0) respond('');
    return bytes.subarray(end + END_OF_HEAD.length);
  }

  function takeBody(chunk) {
    const piece = chunk.length <= missing ? chunk : chunk.subarray(0, missing);
    pieces.push(piece);
    missing -= piece.length;
    if (missing === 0) respond((pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)).toString());
    return chunk.subarray(piece.length);
  }

  function respond(body) {
    const isPost = head.startsWith('POST ');
    head = undefined;
    pieces = [];
    if (!isPost) {
      socket.write(`HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0${END_OF_HEAD}`);
      return;
    }
    const parts = answer(JSON.parse(body));
    if (parts === undefined) {
      socket.write(`HTTP/1.1 202 Accepted\r\nContent-Length: 0${END_OF_HEAD}`);
      return;
    }
    const length = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
    const start = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: bench\r\nContent-Length: ${length}${END_OF_HEAD}`;
    if (parts.length === 1) {
      socket.write(start + parts[0]);
      return;
    }
    socket.write(start);
    for (const part of parts) socket.write(part);
  }
});

server.listen(0, '127.0.0.1', () => process.send(server.address().port));
process.on('disconnect', () => process.exit(0));
