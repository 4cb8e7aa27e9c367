import { HostError } from '../../base/errors.js';
import { type Action, defineAction } from '../action.js';
import { waitFor } from '../action-context.js';
import { hostOf, serverOf } from '../action-place.js';
import { mustRun } from '../barrier.js';
import { serverOpening } from '../openings.js';
import { hostNotes, hostsToTell, type HostsTold } from '../tell-hosts.js';
import { loadServerTexts } from '../server-texts.js';
import type { ServerAsOf } from '../told.js';
import { asWaited, codeOfState, reasonOf, toneOfState } from '../waited-state.js';

const args = { server: { kind: 'server' } } as const;

interface Reconnected {
  readonly shown: ServerAsOf;
  /** The other hosts; undefined when the action ran on the host of a session, which notifies none. */
  readonly hosts: HostsTold | undefined;
  /** Why the wait ended before the server had settled; undefined: it had. */
  readonly reason: HostError | undefined;
}

export const reconnect: Action<typeof args, Reconnected> = defineAction({
  name: 'reconnect',
  label: 'reconnect',
  doing: 'reconnecting',
  summary: 'Clear the cache of one server, connect once, and have running hosts reconnect',
  args,
  needs: 'host',
  opening: serverOpening,
  barrier: mustRun,
  async run(on, { server: name }, context) {
    const { host, isTransient } = hostOf(on);
    const server = await serverOf(on, name);
    const telling = isTransient ? hostsToTell(host, name)() : undefined;
    const reconnecting = host.reconnect(name);
    const waited = await waitFor(reconnecting, context);
    const state = waited.kind === 'settled' ? await reconnecting : host.server(name);
    if (!state) throw new HostError('unknown-server', `Server "${name}" is no longer configured`);
    const reason = reasonOf(waited);
    const { target } = await loadServerTexts();
    const shown = { server, state: asWaited(state, reason), target: target(server) };
    return { shown, hosts: await telling, reason };
  },
  json: ({ shown, hosts = [] }) => ({ ...shown.state, hosts }),
  tell: ({ shown, hosts, reason }) => ({
    tone: toneOfState(shown.state),
    parts: [
      ...(reason && !hosts ? [{ kind: 'sentence', text: 'The server keeps connecting.' } as const] : []),
      { kind: 'server', ...shown },
    ],
    notes: hosts ? [...hostNotes(hosts), ...(hosts.some(isConcerned) ? [] : ['No running host has this server'])] : [],
    code: codeOfState(shown.state, reason),
  }),
});

function isConcerned({ outcome }: HostsTold[number]): boolean {
  return outcome !== 'unknown-server';
}
