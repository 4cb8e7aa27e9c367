import { HostError } from '../../base/errors.js';
import { nearest } from '../../base/nearest.js';
import type { HostConfig } from '../../config/load.js';
import type { HostPrompt } from '../../host/host-prompts.js';
import { toConnectorPart, toNamePart } from '../../model/view/names.js';
import type { ActionContext } from '../action-context.js';
import type { HostPlace } from '../action-place.js';
import { chooseNames } from '../choose-servers.js';
import { connectionsOf, type RunningServer } from '../running-server.js';
import { type Absent, absentOf, absentText, askInTurn } from './ask-in-turn.js';

export interface PromptWord {
  /** What the user typed: `server.prompt`, `/mcp__server__prompt`, or just the name of a prompt. */
  readonly word: string;
  /** The command line itself defines the server, the only one of this host. */
  readonly isAdHoc: boolean;
}

/** The servers that a typed word can mean; only these are started. Throws when the server that it names may not run. */
export async function serversForPrompt(word: string, loaded: HostConfig): Promise<readonly string[]> {
  const command = withoutSlash(word);
  const names = [...new Set(loaded.servers.map(({ name }) => name))];
  const spoken = names.filter((name) => word.startsWith(`${name}.`)).toSorted((a, b) => b.length - a.length)[0];
  if (spoken !== undefined) return chooseNames(loaded, spoken, 'prompt');
  const ready = await chooseNames(loaded, undefined, 'prompt');
  const meant = names.filter((name) =>
    [toNamePart(name), toConnectorPart(name)].some((part) => command.startsWith(`mcp__${part}__`)),
  );
  const [first] = meant;
  // A name that was shortened and given a suffix starts with no server's prefix, so any server may own it.
  if (first === undefined) return ready;
  const running = meant.filter((name) => ready.includes(name));
  return running.length > 0 ? running : chooseNames(loaded, first, 'prompt');
}

/**
 * The prompt that a typed word means. A prompt known from an earlier run is returned without starting a server. Rejects
 * with a `HostError` when there is none.
 */
export async function findPrompt(spoken: PromptWord, on: HostPlace, context: ActionContext): Promise<HostPrompt> {
  const { host } = on;
  const list = async (): Promise<readonly HostPrompt[]> => {
    const listed = await host.prompts();
    if (!listed.ok) throw listed.error;
    return listed.prompts;
  };
  const find = async (): Promise<HostPrompt | undefined> => pick(spoken, await list());
  const running = connectionsOf(host);
  const what = `prompt "${spoken.word}"`;
  const found = (await find()) ?? (await askInTurn(running, { what, find, stopped: stoppedWaiting }, context));
  if (found) return found;
  const absent = absentOf(running);
  const [first] = absent;
  // Where no server answered, the error of a server is the answer; among others, that server is just missing.
  if (first && absent.length === running.length) throw first.error;
  throw noPrompt(spoken, await list(), absent);
}

function stoppedWaiting(servers: readonly RunningServer[]): HostError {
  const late = servers.filter(({ status, catalog }) => status.kind === 'pending' || catalog.isFetching('prompts'));
  const names = late.map(({ name }) => `"${name}"`).join(', ');
  return new HostError('cancelled', `Stopped while waiting for ${names || 'servers'}`);
}

function pick({ word, isAdHoc }: PromptWord, prompts: readonly HostPrompt[]): HostPrompt | undefined {
  const command = `/${withoutSlash(word)}`;
  const exact =
    prompts.find(({ server, name }) => word === `${server}.${name}`) ?? prompts.find((one) => one.command === command);
  if (exact) return exact;
  const bare = prompts.filter(({ name }) => name === word);
  if (bare.length > 1 && !isAdHoc) {
    throw new HostError('unknown-resource', `${bare.length} servers have a prompt "${word}"`, {
      hint: `Say which one you mean: ${bare.map(({ server }) => `${server}.${word}`).join(' or ')}`,
    });
  }
  return bare[0];
}

function noPrompt({ word, isAdHoc }: PromptWord, prompts: readonly HostPrompt[], absent: readonly Absent[]): HostError {
  const names = prompts.flatMap(({ server, name, command }) =>
    isAdHoc ? [name] : [`${server}.${name}`, name, command],
  );
  const [close] = nearest(word, names);
  const missing = absent.length === 0 ? '' : `; not asked: ${absentText(absent)}`;
  return new HostError('unknown-resource', `There is no prompt "${word}"${missing}`, {
    hint:
      close !== undefined
        ? `Did you mean ${close}?`
        : isAdHoc
          ? 'plugboard prompts, with the same server, lists its prompts'
          : 'plugboard prompts lists all prompts',
  });
}

function withoutSlash(word: string): string {
  return word.startsWith('/') ? word.slice(1) : word;
}
