// Servers that write more than messages to stdout, or messages with unusual line ends, encoding or chunks.
import { setTimeout as sleep } from 'node:timers/promises';

const toJson = (message) => JSON.stringify(message);
const log = (message) => ({ '@timestamp': '2031-01-01T00:00:00Z', 'log.level': 'info', message, id: 7 });

export const lines = {
  'logs-on-stdout': {
    begin: (server) => server.print('Raw server 1.0\n  listening on stdio ...\n\n'),
    write: (message) => `-> sending\n${toJson(message)}\n<- sent\n`,
  },
  'logs-json-on-stdout': {
    begin: (server) => server.print(`${toJson(log('starting'))}\n`),
    write: (message) => `${toJson(message)}\n${toJson(log('answered'))}\n`,
  },
  crlf: { write: (message) => `${toJson(message)}\r\n` },
  'mark-at-the-start': { begin: (server) => server.print('\uFEFF') },
  'mark-on-every-line': { write: (message) => `\uFEFF${toJson(message)}\n` },
  'blanks-around': { write: (message) => `\n \n\t ${toJson(message)} \n\n` },
  'escapes-everything': {
    // Like Python's `json.dumps`: spaces, and an escape for every character beyond ASCII.
    write: (message) =>
      `${toJson(message)
        .replaceAll('":', '": ')
        .replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`,
  },
  'byte-by-byte': {
    send(text) {
      for (const byte of Buffer.from(text)) process.stdout.write(Buffer.from([byte]));
    },
  },
  // A terminal echoes its input: `docker run -t`, `script`, `ssh -t`.
  'echoes-what-it-reads': {
    hear(line, server) {
      server.print(`${line}\r\n`);
      return sleep(50);
    },
  },
  'over-several-lines': { write: (message) => `${JSON.stringify(message, null, 2)}\n` },
};
