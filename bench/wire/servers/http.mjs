// An echo server over Streamable HTTP: a POST is answered with JSON, anything else with 405.
import { makeAnswerer } from './answer.mjs';
import { END_OF_HEAD, serveRequests } from './requests.mjs';

const [era] = process.argv.slice(2);
const answer = makeAnswerer(process.argv.slice(2));
const session = era === 'legacy' ? 'Mcp-Session-Id: bench\r\n' : '';

serveRequests((socket, head, body) => {
  if (!head.startsWith('POST ')) {
    socket.write(`HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0${END_OF_HEAD}`);
    return;
  }
  const said = answer(JSON.parse(body));
  if (said === undefined) {
    socket.write(`HTTP/1.1 202 Accepted\r\nContent-Length: 0${END_OF_HEAD}`);
    return;
  }
  const { ready, text } = said;
  const length = (ready?.length ?? 0) + Buffer.byteLength(text);
  const start = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${session}Content-Length: ${length}${END_OF_HEAD}`;
  if (ready) {
    socket.write(start);
    socket.write(ready);
  }
  socket.write(ready ? text : start + text);
});
