import type { RequestId } from '../../../src/wire/message.js';

const good = (id: RequestId): string => answer(id, 'right');

/** What a process writes to stdout for one call, in parts. */
export const texts = {
  'words before it': (id) => ['Loading the model...\n', `${good(id)}\n`],
  'blank lines before it': (id) => ['\n\r\n  \n', `${good(id)}\n`],
  'JSON before it that is no message': (id) => ['{"level":30,"msg":"up"}\n[1]\n42\n"x"\nnull\n', `${good(id)}\n`],
  'a log before it that is not quite JSON': (id) => ['{"level":"warn","error":"slow disk",}\n', `${good(id)}\n`],
  'a carriage return behind it': (id) => [`${good(id)}\r\n`],
  'a byte at a time': (id) => `${good(id)}\n`.split(''),
  'the next note in the same piece': (id) => [
    `${good(id)}\n{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}\n`,
  ],
  'bytes that are no text': (id) => {
    const [before, after] = answer(id, 'ri|ght').split('|');
    return [Buffer.concat([Buffer.from(before!), Buffer.from([0xff, 0xc0]), Buffer.from(`${after}\n`)])];
  },
  'its second half missing': (id) => [`${good(id).slice(0, 60)}\n`],
  'line breaks within': (id) => [`${JSON.stringify(JSON.parse(good(id)), null, 2)}\n`],
} as const satisfies Record<string, (id: RequestId) => readonly (string | Buffer)[]>;

export type Text = keyof typeof texts;

function answer(id: RequestId, text: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', content: [{ type: 'text', text }] } });
}
