import type { JsonObject } from '../../src/base/json.js';
import { envelope } from '../serving/http-fixture.js';
import type { Message } from '../serving/message.js';
import { legacyCall } from './messages.js';
import { IS_FULL, nextTurn } from './scene.js';
import type { StdioScene } from './stdio-scene.js';

export interface HostileStdioClient {
  readonly does: string;
  readonly attack: (scene: StdioScene) => Promise<unknown>;
  readonly sees: unknown;
}

const hello = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-03-26', capabilities: {} },
};
const modernCall = (id: unknown, name: string, more: JsonObject = {}, info = 'test'): JsonObject => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: {
    name,
    arguments: {},
    ...more,
    _meta: { ...envelope({ elicitation: {} }), 'io.modelcontextprotocol/clientInfo': { name: info, version: '1' } },
  },
});
const ping = '{"jsonrpc":"2.0","id":"p","method":"ping"}';
const PARSE = -32700;

/** Bytes on stdin, and the codes of the errors that they are answered with before a ping is. */
function bytes(does: string, sees: readonly unknown[], written: string | Buffer): HostileStdioClient {
  return {
    does,
    sees,
    attack: async ({ input, pinged, messages }) => {
      input.write(written);
      input.write('\n');
      await pinged();
      return messages.flat().flatMap(({ id, error }) => (String(id).startsWith('ping') ? [] : [error?.code ?? id]));
    },
  };
}

/** Clients of stdio, which have the process for themselves: it must hold, and end when they do. */
export const stdioClients: readonly HostileStdioClient[] = [
  bytes(
    'writes a request of 20 MB',
    [PARSE],
    `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":"${'x'.repeat(20_000_000)}"}}`,
  ),
  bytes('writes NUL bytes', [PARSE], '\0\0\0\0'),
  bytes('writes NUL into a message', [PARSE], ping.replace('ping', 'pi\0ng')),
  bytes('writes bytes that are no UTF-8', [-32600], Buffer.from('{"jsonrpc":"1.0","x":"\xff\xfe"}', 'latin1')),
  bytes('ends its lines as Windows does', ['p'], `${ping}\r`),
  bytes('begins with a byte order mark', ['p'], `\ufeff${ping}`),
  bytes('writes empty lines', ['p'], `\n\n \n\t\n${ping}\n\n`),
  bytes('nests a million levels', [PARSE], '['.repeat(1_000_000)),
  bytes('writes two messages in a line', [PARSE], `${ping}${ping}`),
  bytes('writes a text', [PARSE], '"hello"'),
  bytes('writes a message in half', [PARSE], ping.slice(0, 20)),
  bytes('calls before it initializes', [-32600], '{"jsonrpc":"2.0","id":1,"method":"tools/call"}'),
  bytes('sends a batch before it initializes', [-32600], `[${ping}]`),
  {
    does: 'frames its messages as language servers do',
    sees: [true, 1],
    attack: async ({ input, serving, problems }) => {
      input.write(`Content-Length: ${ping.length}\r\n\r\n${ping}`);
      input.write(`Content-Length: ${ping.length}\r\n\r\n${ping}`);
      input.end();
      await serving.ended;
      return [problems.length > 0, 1];
    },
  },
  {
    does: 'cancels a hundred thousand times',
    sees: {},
    attack: async ({ input, pinged }) => {
      const line = `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })}\n`;
      for (let at = 0; at < 100; at++) input.write(line.repeat(1_000));
      return (await pinged()).result;
    },
  },
  {
    does: 'listens more often than it may',
    sees: [100, 100],
    attack: async ({ send, pinged, endpoint, messages }) => {
      const params = { notifications: { toolsListChanged: true }, _meta: envelope() };
      for (let id = 0; id < (IS_FULL ? 10_000 : 1_000); id++)
        send({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params });
      await pinged();
      const told = (): number =>
        messages.flat().filter(({ method }) => method === 'notifications/subscriptions/acknowledged').length;
      while (told() < 100) await nextTurn();
      return [endpoint.watches.length, told()];
    },
  },
  {
    does: 'listens and ends it, again and again',
    sees: 0,
    attack: async ({ send, pinged, endpoint }) => {
      const params = { notifications: { toolsListChanged: true }, _meta: envelope() };
      for (let id = 0; id < 1_000; id++) {
        send({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params });
        send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
      }
      await pinged();
      return endpoint.watches.length;
    },
  },
  {
    does: 'is another client with each request',
    sees: [1_000, 1],
    attack: async ({ send, pinged, endpoint, input, serving }) => {
      for (let id = 0; id < 1_000; id++) send(modernCall(id, 'echo', {}, `client-${id}`));
      await pinged();
      input.end();
      await serving.ended;
      return [endpoint.requests.length, endpoint.clientsLeft.length];
    },
  },
  {
    does: 'uses one id for all of its calls',
    sees: ['The id is in use', 'cancelled'],
    attack: async ({ send, found, endpoint }) => {
      send(modernCall(1, 'wait', { arguments: { label: 'first' } }));
      send(modernCall(1, 'echo'));
      const { error } = await found((message) => message.error?.code === -32600);
      // The first one is still there to be cancelled.
      send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
      while (endpoint.aborted.length === 0) await nextTurn();
      return [error.message, 'cancelled'];
    },
  },
  {
    does: 'calls ten thousand times with one id, as legacy clients may',
    sees: [10_000, 1],
    attack: async ({ send, endpoint, messages, found }) => {
      send(hello);
      await found(({ id }) => id === 0);
      for (let at = 0; at < 101; at++) send(...Array.from({ length: 100 }, () => legacyCall(1, 'wait')));
      send({ jsonrpc: '2.0', method: 'notifications/initialized' });
      while (!messages.flat().some(({ error }) => error?.code === -32000)) await nextTurn();
      return [endpoint.requests.length, new Set(messages.flat().map(({ error }) => error?.code ?? 0)).size - 1];
    },
  },
  {
    does: 'answers a question wrongly, and uses the id again',
    sees: ['input_required', '{}', 0],
    attack: async ({ send, found, parked, messages }) => {
      send(modernCall(1, 'ask'));
      const { result } = await found(({ id }) => id === 1);
      send(modernCall(2, 'ask', { requestState: result.requestState, inputResponses: { q1: 'wrong' } }));
      const again = await found(({ id }) => id === 2);
      messages.length = 0;
      // Its last use of the id was answered.
      send(modernCall(2, 'echo'));
      const echoed = await found(({ id }) => id === 2);
      send(
        modernCall(3, 'ask', { requestState: again.result.requestState, inputResponses: { q1: { action: 'cancel' } } }),
      );
      await found(({ id }) => id === 3);
      return [again.result.resultType, echoed.error ?? echoed.result.content[0]!.text, parked.size];
    },
  },
  {
    does: 'sends notifications and answers in a batch',
    sees: [[1, null, 2]],
    attack: async ({ send, found, messages }) => {
      send(hello);
      await found(({ id }) => id === 0);
      send([
        { jsonrpc: '2.0', id: 1, method: 'ping' },
        { jsonrpc: '2.0', method: 'notifications/initialized' },
        { jsonrpc: '2.0', id: 'x', result: {} },
        17,
        legacyCall(2, 'echo'),
      ]);
      await found(({ id }) => id === 2);
      return messages.filter((one): one is Message[] => Array.isArray(one)).map((batch) => batch.map(({ id }) => id));
    },
  },
  {
    does: 'asks for a batch of results beyond all bounds',
    sees: [true, -32603],
    attack: async ({ send, found, messages }) => {
      send(hello);
      await found(({ id }) => id === 0);
      send(Array.from({ length: 20 }, (_, id) => legacyCall(`l${id}`, 'large')));
      await found(({ id }) => id === 'l0');
      const batch = messages.find((one): one is Message[] => Array.isArray(one))!;
      return [JSON.stringify(batch).length < 70_000_000, batch.at(-1)?.error.code];
    },
  },
  {
    does: 'initializes and leaves before it is answered',
    sees: 0,
    attack: async ({ send, input, serving, endpoint }) => {
      let go!: () => void;
      endpoint.describing = new Promise((resolve) => (go = resolve));
      send(hello);
      await nextTurn();
      input.destroy();
      await serving.ended;
      go();
      await nextTurn();
      return endpoint.watches.length;
    },
  },
  {
    does: 'closes stdout while a call runs',
    sees: ['w'],
    attack: async ({ send, output, serving, endpoint }) => {
      send(modernCall(1, 'wait', { arguments: { label: 'w' } }));
      while (endpoint.requests.length === 0) await nextTurn();
      output.destroy();
      await serving.ended;
      return endpoint.aborted;
    },
  },
  {
    does: 'ends stdin in the middle of a line',
    sees: 0,
    attack: async ({ input, serving, messages }) => {
      input.end(ping.slice(0, 20));
      await serving.ended;
      return messages.length;
    },
  },
  {
    does: 'reads nothing while changes are told',
    sees: true,
    attack: async ({ send, found, output, endpoint }) => {
      send(hello);
      await found(({ id }) => id === 0);
      while (endpoint.watches.length === 0) await nextTurn();
      output.pause();
      for (let at = 0; at < 100_000; at++) endpoint.watches[0]!.tell('notifications/tools/list_changed');
      const unread = output.writableLength + output.readableLength;
      output.resume();
      return unread < 1_200_000;
    },
  },
];
