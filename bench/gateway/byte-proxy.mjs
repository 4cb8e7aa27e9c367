// Copies bytes between sockets: `byte-proxy.mjs PORT TARGET`. The floor of whatever node does to a connection.
import { connect, createServer } from 'node:net';

const [port, target] = process.argv.slice(2).map(Number);

createServer({ noDelay: true }, (socket) => {
  const upstream = connect({ host: '127.0.0.1', port: target, noDelay: true });
  socket.pipe(upstream).pipe(socket);
  const end = () => {
    socket.destroy();
    upstream.destroy();
  };
  socket.on('error', end);
  upstream.on('error', end);
}).listen(port, '127.0.0.1');
