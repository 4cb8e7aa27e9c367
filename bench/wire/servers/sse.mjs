// An echo server over HTTP+SSE of 2024-11-05: a GET opens a stream, a POST is accepted and answered there.
import { makeAnswerer } from './answer.mjs';
import { END_OF_HEAD, serveRequests } from './requests.mjs';

const answer = makeAnswerer(process.argv.slice(2));
const streams = new Map();
let last = 0;

serveRequests((socket, head, body) => {
  if (head.startsWith('GET ')) {
    openStream(socket);
    return;
  }
  const stream = streams.get(/\?session=(\d+)/u.exec(head)?.[1]);
  const said = answer(JSON.parse(body));
  socket.write(`HTTP/1.1 202 Accepted\r\nContent-Length: 8${END_OF_HEAD}Accepted`);
  if (said !== undefined) writeEvent(stream, 'message', said);
});

function openStream(socket) {
  const name = String(++last);
  streams.set(name, socket);
  socket.on('close', () => streams.delete(name));
  const lines = ['Content-Type: text/event-stream', 'Cache-Control: no-cache', 'Transfer-Encoding: chunked'];
  socket.write(`HTTP/1.1 200 OK\r\n${lines.join('\r\n')}${END_OF_HEAD}`);
  writeEvent(socket, 'endpoint', { text: `/message?session=${name}` });
}

/** Writes one event as one chunk. */
function writeEvent(socket, name, { ready, text }) {
  const head = `event: ${name}\ndata: `;
  const length = head.length + (ready?.length ?? 0) + Buffer.byteLength(text) + 2;
  const start = `${length.toString(16)}\r\n${head}`;
  if (ready) {
    socket.write(start);
    socket.write(ready);
  }
  socket.write(`${ready ? '' : start}${text}\n\n\r\n`);
}
