// An echo server over WebSocket: one message, one frame. Sends its port to the process that forked it.
import { WebSocketServer } from 'ws';
import { makeAnswerer } from './answer.mjs';

const answer = makeAnswerer(process.argv.slice(2));
const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
server.on('listening', () => process.send(server.address().port));
server.on('connection', (socket) => {
  socket.on('error', () => socket.terminate()); // the client is gone
  socket.on('message', (bytes) => {
    const said = answer(JSON.parse(bytes.utf8Slice()));
    if (said === undefined) return;
    const { ready, text } = said;
    socket.send(ready ? Buffer.concat([ready, Buffer.from(text)]) : text, { binary: false });
  });
});
process.on('disconnect', () => process.exit(0));
