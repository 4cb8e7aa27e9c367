import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { openGateway } from '../../src/gateway/serve/open-gateway.js';
import { openScene } from '../host/scene.js';
import { modern, responseOf } from '../serving/http-fixture.js';

const SERVER = resolve(import.meta.dirname, '../calls/question-server.mjs');
const ENTRIES = { asker: { command: process.execPath, args: [SERVER], env: { ERA: 'legacy' } } };
const ASKING = {
  arguments: {
    question: { mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
  },
};

test('an edit of "park" and "streamAfterMs" holds for the next call', async () => {
  await using scene = openScene();
  const configure = (gateway: object): void => scene.configure(ENTRIES, { gateway });
  configure({ streamAfterMs: 600_000 });
  const { host } = await scene.open({ serves: true });
  await host.settled();
  await using gateway = await openGateway({ host });
  await using listening = await gateway.listen({ key: 'none' });
  const asked = async (id: number): Promise<[string, string]> => {
    const answer = await modern(listening.url, id, 'asker__ask', ASKING);
    const { result } = await responseOf(answer);
    return [answer.headers.get('content-type')!, result.resultType];
  };
  expect(await asked(1)).toEqual(['application/json', 'input_required']);
  const edited = new Promise((done) => host.on('config', done));
  configure({ streamAfterMs: 0, park: false });
  await edited;
  expect(await asked(2)).toEqual(['text/event-stream', 'complete']);
});
