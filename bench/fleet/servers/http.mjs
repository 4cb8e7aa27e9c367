// A whole fleet in one process: each port is a server, which accepts only session ids that it has issued. It works on
// bare sockets with prepared answers, so that it never slows its client down. Arguments: the number of servers, and the
// number of tools of each. Sends each port to the process that forked it.
import { END_OF_HEAD, serveRequests } from '../../wire/servers/requests.mjs';
import { makeAnswerer, makeTools } from './answer.mjs';

const [servers, count] = process.argv.slice(2).map(Number);
const tools = makeTools(count);
process.setMaxListeners(0); // each server listens for the end of this process
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
