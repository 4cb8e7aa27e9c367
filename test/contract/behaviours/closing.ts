import { type Behaviour, onOneLine, overHttp, TIMEOUT, said } from '../behaviour.js';

export const closing: readonly Behaviour[] = [
  {
    title: 'closing ends what is waiting, and nothing is left',
    own: {},
    run: async (stage) => {
      const waiting = stage.call('wait', { key: 'closing' });
      await stage.call('arrived', { key: 'closing' });
      await stage.client().close();
      return [await waiting, stage.survivors()];
    },
    expected: [{ error: 'closed' }, []],
  },
  {
    title: 'closing twice is closing once',
    own: {},
    run: async (stage) => {
      await Promise.all([stage.client().close(), stage.client().close()]);
      await stage.client().close();
      await stage.client().closed;
      return stage.survivors();
    },
    expected: [],
  },
  {
    title: 'a call after closing fails at once',
    own: {},
    run: async (stage) => {
      await stage.client().close();
      return stage.call('echo', { text: 'too late' });
    },
    expected: { error: 'closed' },
  },
  {
    title: 'a server that dies ends its calls at once, and the connection with them',
    own: {},
    transports: onOneLine,
    run: async (stage) => {
      const outcome = await stage.call('die');
      await stage.client().closed;
      return [outcome, await stage.call('echo', { text: 'next' }), stage.survivors()];
    },
    expected: [{ error: 'closed' }, { error: 'closed' }, []],
  },
  {
    title: 'a connection that breaks under a call ends that call at once, and the next one is answered',
    own: {},
    transports: overHttp,
    run: async (stage) => [await stage.call('die'), await stage.call('echo', { text: 'next' }, { timeoutMs: TIMEOUT })],
    expected: [{ error: 'http' }, said('next')],
  },
];
