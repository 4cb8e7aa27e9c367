import { HostError } from '../../base/errors.js';
import { type Action, defineAction } from '../action.js';
import { waitFor } from '../action-context.js';
import { hostOf, serverOf } from '../action-place.js';
import { mustRun } from '../barrier.js';
import { hostNotes, hostsToTell, type HostsTold } from '../tell-hosts.js';
import { loadServerTexts } from '../server-texts.js';
import type { ServerAsOf } from '../told.js';
import { asWaited, codeOfState, toneOfState } from '../waited-state.js';

const args = { server: { kind: 'server' } } as const;

interface Reconnected {
  readonly shown: ServerAsOf;
  /** The other hosts; undefined where the one that was asked is where people work. */
  readonly hosts: HostsTold | undefined;
  /** Why nobody waited any longer. */
  readonly left: { readonly reason: unknown } | undefined;
}

export const reconnect: Action<typeof args, Reconnected> = defineAction({
  name: 'reconnect',
  label: 'reconnect',
  doing: 'reconnecting',
  summary: 'Forget what is known of one server, connect to it once, and tell the hosts that run',
  args,
  needs: 'host',
  barrier: mustRun,
  async run(on, { server: name }, context) {
    const { host, isTransient } = hostOf(on);
    const server = await serverOf(on, name);
    const telling = isTransient ? hostsToTell(host, name)() : undefined;
    const state = (await waitFor(host.reconnect(name), context)) ?? host.server(name);
    const { signal } = context;
    if (!state) throw new HostError('unknown-server', `Server "${name}" is no longer configured`);
    const left = signal?.aborted === true ? { reason: signal.reason as unknown } : undefined;
    const { target } = await loadServerTexts();
    const shown = { server, state: asWaited(state, left?.reason), target: target(server) };
    return { shown, hosts: await telling, left };
  },
  json: ({ shown, hosts = [] }) => ({ ...shown.state, hosts }),
  tell: ({ shown, hosts, left }) => ({
    tone: toneOfState(shown.state),
    parts: [
      ...(left && !hosts ? [{ kind: 'sentence', text: 'It goes on by itself.' } as const] : []),
      { kind: 'server', ...shown },
    ],
    notes: hosts ? [...hostNotes(hosts), ...(hosts.some(isConcerned) ? [] : ['No running host has this server'])] : [],
    code: codeOfState(shown.state, left?.reason),
  }),
});

function isConcerned({ outcome }: HostsTold[number]): boolean {
  return outcome !== 'unknown-server';
}
