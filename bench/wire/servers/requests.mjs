import { createServer } from 'node:net';

export const END_OF_HEAD = '\r\n\r\n';

/**
 * Serves HTTP on bare sockets in a forked process, and sends the port to the process that forked it. Supports only
 * Content-Length, which every client of this bench sends.
 */
export function serveRequests(respond) {
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy()); // the client is gone
    socket.on(
      'data',
      cutRequests((head, body) => respond(socket, head, body)),
    );
  });
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
  process.on('disconnect', () => process.exit(0));
}

function cutRequests(take) {
  let head;
  let pieces = [];
  let missing = 0;
  return (chunk) => {
    let rest = chunk;
    while (rest.length > 0) rest = head === undefined ? takeHead(rest) : takeBody(rest);
  };

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
    if (missing === 0) finish('');
    return bytes.subarray(end + END_OF_HEAD.length);
  }

  function takeBody(chunk) {
    const piece = chunk.length <= missing ? chunk : chunk.subarray(0, missing);
    pieces.push(piece);
    missing -= piece.length;
    if (missing === 0) finish((pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)).toString());
    return chunk.subarray(piece.length);
  }

  function finish(body) {
    const whole = head;
    head = undefined;
    pieces = [];
    take(whole, body);
  }
}
