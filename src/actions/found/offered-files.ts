import type { ImportedEntry } from '../../config/edit/import.js';
import type { HostConfig } from '../../config/load.js';
import { type GivenField, givenDifferently, type ServerIdentity } from '../../model/fields/server-identity.js';
import { showLine } from '../../model/show.js';
import type { ActionContext } from '../action-context.js';
import { type ActionPlace, configOf, loadedOf } from '../action-place.js';
import type { Done } from '../action.js';
import { perform } from '../perform.js';
import { findServers, type FoundServers, foundText } from './found-servers.js';
import { importServers } from '../servers/import.js';

/** A file of another host that a user may link or import. All texts are safe to show. */
export interface OfferedFile {
  readonly host: string;
  readonly title: string;
  readonly file: string;
  /** The file came with the repository: another person may have written it. */
  readonly isShared: boolean;
  readonly servers: readonly OfferedServer[];
  /** How many more servers the file has. */
  readonly rest: number;
}

export interface OfferedServer {
  readonly name: string;
  /** The command that it starts or the URL that it reaches, masked. */
  readonly target: string;
  /** Starts a program on this machine. */
  readonly isCommand: boolean;
  /** What it is compared by; undefined for an entry that is wrong. */
  readonly identity: ServerIdentity | undefined;
  /** The same server is configured here already. */
  readonly isThere: boolean;
  /** What keeps it from being used as it is; undefined: nothing. */
  readonly remark: string | undefined;
}

/** The files that were found, those of the user first. */
export async function toOffered({ sources }: FoundServers, loaded: HostConfig): Promise<readonly OfferedFile[]> {
  const { identityOfConfig, toForeignServer } = await import('../../config/edit/foreign-server.js');
  const known = new Map(
    loaded.servers.map(({ name, config, written }) => [
      name,
      { identity: config && identityOfConfig(config, written) },
    ]),
  );
  const toServer = ({ name, entry, offHere }: ImportedEntry): OfferedServer => {
    const { target, isCommand, isDisabled, identity, fault } = toForeignServer(entry);
    const there = known.get(name);
    const differing = differenceOf(identity, there?.identity);
    const isSame = differing?.length === 0;
    const taken =
      there && (isSame ? 'already there' : `${namesakeText(name, differing)} is already there, and is used`);
    const off = offHere === true || isDisabled ? 'disabled there, and so here' : undefined;
    const remark = taken ?? (fault === undefined ? off : `cannot run: ${fault}`);
    return {
      name: showLine(name),
      target: showLine(target),
      isCommand,
      identity,
      isThere: isSame,
      remark: remark && showLine(remark),
    };
  };
  const files = sources.map(({ host, title, file, level, entries }): OfferedFile => ({
    host,
    title,
    file,
    isShared: level === 'project',
    servers: entries.slice(0, SERVERS).map(toServer),
    rest: Math.max(0, entries.length - SERVERS),
  }));
  return [...files.filter(({ isShared }) => !isShared), ...files.filter(({ isShared }) => isShared)];
}

const SERVERS = 200; // for each file; a repository could bring thousands

/** What other hosts have, compared with what is configured now. `text`: one line; undefined: nothing was found. */
export async function offeredOn(
  on: ActionPlace,
): Promise<{ readonly files: readonly OfferedFile[]; readonly text: string | undefined }> {
  const found = await findServers(configOf(on));
  return { files: await toOffered(found, await loadedOf(on)), text: foundText(found) };
}

/** How a server relates to those of the files before it. Of what differs only the kind is told, never a value. */
export function duplicateRemark(server: OfferedServer, before: readonly OfferedFile[]): string | undefined {
  const all = before.flatMap(({ title, servers }) => servers.map((one) => ({ title, one })));
  const differing = (one: OfferedServer): readonly GivenField[] | undefined =>
    differenceOf(server.identity, one.identity);
  const named = all.find(({ one }) => one.name === server.name);
  if (named) {
    const difference = differing(named.one);
    if (difference?.length === 0) return `the same as in ${named.title}`;
    return `not used: ${named.title} has ${namesakeText(server.name, difference)}`;
  }
  const twin = all.find(({ one }) => differing(one)?.length === 0);
  if (twin) return `the same server as ${twin.one.name} in ${twin.title}`;
  const likes = all.filter(({ one }) => differing(one) !== undefined);
  const [like] = likes.toSorted((a, b) => differing(a.one)!.length - differing(b.one)!.length);
  if (!like) return undefined;
  const what = server.isCommand ? 'command' : 'URL';
  return `the ${what} of ${like.one.name} in ${like.title}, with ${givenWords(differing(like.one)!)}`;
}

function differenceOf(
  one: ServerIdentity | undefined,
  other: ServerIdentity | undefined,
): readonly GivenField[] | undefined {
  return one && other && givenDifferently(one, other);
}

/** Another server of this name, or the same one that is given something else. */
function namesakeText(name: string, differing: readonly GivenField[] | undefined): string {
  return differing === undefined ? `another ${name}` : `${name} with ${givenWords(differing)}`;
}

function givenWords(differing: readonly GivenField[]): string {
  return [...new Set(differing.map((field) => WORDS[field]))].join(' and ');
}

const WORDS: Readonly<Record<GivenField, string>> = {
  env: 'another environment',
  headers: 'other headers',
  headersHelper: 'other headers',
  cwd: 'another folder',
  oauth: 'another sign-in',
  xaa: 'another sign-in',
  tls: 'another certificate',
  account: 'another account',
};

/** Links these files or copies their servers, one file after the other. Rejects with the first `HostError`. */
export async function takeOffered(
  { files, how }: { readonly files: readonly OfferedFile[]; readonly how: 'link' | 'copy' },
  on: ActionPlace,
  context: ActionContext,
): Promise<readonly Done[]> {
  const done: Done[] = [];
  for (const { host, file } of files) {
    const args = { hosts: [host], file, link: how === 'link', all: false, unlink: false, scope: undefined };
    done.push(await perform(importServers, on, { ...args, dryRun: false }, context));
  }
  return done;
}
