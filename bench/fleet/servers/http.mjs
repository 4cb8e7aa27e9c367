// A whole fleet in one process: each port is a server of its own, which gives out session ids and takes no others. It works
// on bare sockets and has its answers ready, so that it is done long before its client. Arguments: how many servers, and how
// many tools each has. Tells each port to whoever forked it.
import { END_OF_HEAD, serveRequests } from '../../wire/servers/requests.mjs';
import { makeAnswerer, makeTools } from './answer.mjs';

const [servers, count] = process.argv.slice(2).map(Number);
const tools = makeTools(count);
process.setMaxListeners(0); // each of them listens for the end of this process
for (let index = 0; index < servers; index++) serveRequests(makeResponder(index));

function makeResponder(index) {
  const answer = makeAnswerer(`server-${index}`, tools);
  const sessions = new Set();
  return (socket, head, body) => {
    if (!head.startsWith('POST ')) {
      socket.write(`HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0${END_OF_HEAD}`);
      return;
    }
    const message = JSON.parse(body);
    const isFirst = message.method === 'initialize' || message.method === 'server/discover';
    if (!isFirst && !sessions.has(sessionOf(head))) {
      socket.write(`HTTP/1.1 404 Not Found\r\nContent-Length: 0${END_OF_HEAD}`);
      return;
    }
    const said = answer(message);
    if (said === undefined) {
      socket.write(`HTTP/1.1 202 Accepted\r\nContent-Length: 0${END_OF_HEAD}`);
      return;
    }
    const session = message.method === 'initialize' ? `Mcp-Session-Id: ${openSession()}\r\n` : '';
    const length = Buffer.byteLength(said);
    socket.write(
      `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${session}Content-Length: ${length}${END_OF_HEAD}${said}`,
    );
  };

  function openSession() {
    const id = `${index}-${sessions.size}`;
    sessions.add(id);
    return id;
  }
}

function sessionOf(head) {
  return /\r\nmcp-session-id: *([^\r]+)/iu.exec(head)?.[1];
}
