import type { ImportedEntry } from '../../config/edit/import.js';
import type { HostConfig } from '../../config/load.js';
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
  /** Equal for the same server under another name; may hold secrets, so it is never shown. */
  readonly signature: string | undefined;
  /** The same server is configured here already. */
  readonly isThere: boolean;
  /** What keeps it from being used as it is; undefined: nothing. */
  readonly remark: string | undefined;
}

/** The files that were found, those of the user first. */
export async function toOffered({ sources }: FoundServers, loaded: HostConfig): Promise<readonly OfferedFile[]> {
  const { signatureOfConfig, toForeignServer } = await import('../../config/edit/foreign-server.js');
  const known = new Map(
    loaded.servers.map(({ name, config }) => [name, { signature: config && signatureOfConfig(config) }]),
  );
  const toServer = ({ name, entry, offHere }: ImportedEntry): OfferedServer => {
    const { target, isCommand, isDisabled, signature, fault } = toForeignServer(entry);
    const there = known.get(name);
    const isSame = signature !== undefined && there?.signature === signature;
    const taken = there && (isSame ? 'already there' : `another ${name} is already there, and is used`);
    const off = offHere === true || isDisabled ? 'disabled there, and so here' : undefined;
    const remark = taken ?? (fault === undefined ? off : `cannot run: ${fault}`);
    return {
      name: showLine(name),
      target: showLine(target),
      isCommand,
      signature,
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

/** How a server relates to those of the files before it: the same one, or another of its name. */
export function duplicateRemark(server: OfferedServer, before: readonly OfferedFile[]): string | undefined {
  for (const { title, servers } of before) {
    const named = servers.find(({ name }) => name === server.name);
    if (named) {
      const isSame = named.signature !== undefined && named.signature === server.signature;
      return isSame ? `the same as in ${title}` : `not used: ${title} has another ${server.name}`;
    }
    const twin = servers.find(({ signature }) => signature !== undefined && signature === server.signature);
    if (twin) return `the same server as ${twin.name} in ${title}`;
  }
  return undefined;
}

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
