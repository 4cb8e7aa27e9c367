import type { JsonObject } from '../../../src/base/json.js';
import { type Behaviour, only, said, sdkInJson } from '../behaviour.js';
import { textOf } from '../clients/contract-client.js';
import type { Stage } from '../stage.js';

const sampling = {
  messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }],
  maxTokens: 5,
};
const elicitation = { message: 'Name?', requestedSchema: { type: 'object', properties: {} } };
const roots = { roots: [{ uri: 'file:///home', name: 'home' }] };

/** In the modern era a server asks within its results: see rounds.ts. */
export const askedByServer = only('legacy', [
  asked('a server that asks whether we are there gets an empty answer', 'ping', undefined, { result: {} }),
  refused('roots', 'roots/list', undefined),
  refused('a model', 'sampling/createMessage', sampling),
  refused('the user', 'elicitation/create', elicitation),
  refused('something that nobody knows', 'acme/brew', { cups: 2 }),
  {
    ...asked('a server gets what was declared for it', 'roots/list', undefined, { result: roots }),
    own: { client: { capabilities: { roots: {} }, handlers: { 'roots/list': () => roots } } },
  },
  {
    title: 'a fault in a handler is an error for the server, and not the end',
    except: sdkInJson,
    own: {
      client: {
        capabilities: { roots: {} },
        handlers: { 'roots/list': () => Promise.reject(new Error('secret path')) },
      },
    },
    run: async (stage) => [await reply(stage, 'roots/list', undefined), await stage.call('echo', { text: 'next' })],
    expected: [{ error: { code: -32603, message: 'Internal error' } }, said('next')],
  },
  {
    title: 'many questions of a server at a time each get their own answer',
    except: sdkInJson,
    run: (stage) => Promise.all(Array.from({ length: 20 }, () => reply(stage, 'ping', undefined))),
    expected: Array.from({ length: 20 }, () => ({ result: {} })),
  },
]);

function asked(title: string, method: string, params: JsonObject | undefined, expected: unknown): Behaviour {
  return { title, except: sdkInJson, run: (stage) => reply(stage, method, params), expected };
}

/** Compares only the error code, because messages differ between clients. */
function refused(what: string, method: string, params: JsonObject | undefined): Behaviour {
  return {
    title: `a server that asks for ${what} is refused while nobody serves that`,
    except: sdkInJson,
    run: async (stage) => {
      const { error } = (await reply(stage, method, params)) as { error?: { code: number } };
      return error?.code;
    },
    expected: -32601,
  };
}

/** Has the server send this request, and returns the response that the server got. */
async function reply(stage: Stage, method: string, params: JsonObject | undefined): Promise<unknown> {
  const outcome = await stage.call('ask', { method, ...(params && { params }) });
  const text = textOf(outcome);
  return text === undefined ? outcome : JSON.parse(text);
}
