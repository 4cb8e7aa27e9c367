import { HostError } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import type { RawEntry } from '../../transports/kind.js';
import type { ConfigContext } from '../context.js';
import { type Edit, editFile } from '../edit/edit-file.js';
import { holdsSecret, maskEntry } from '../edit/mask.js';
import { plainJson } from '../edit/write-imports.js';
import type { ConfiguredServer } from '../entries/server.js';
import { ownAt } from '../entries/servers.js';
import type { Importer, ImportFile } from '../importers/importer.js';
import { loadHostConfig } from '../load.js';
import { findExporter, formatOf, targetOf, type TargetOptions } from './export-target.js';
import { chooseExported, type LeftOut, toEverywhere } from './exported-servers.js';
import type { Exporter, ForeignEntryResult } from './exporter.js';
import { maskForeignText } from './mask-foreign.js';
import { type SplicedServer, type ForeignText, openForeignText } from './splice.js';

export interface ExportRequest extends TargetOptions {
  readonly host: string;
  /** The names of the servers; none: all that may run. */
  readonly servers: readonly string[];
  /** Entries of the same name that say something else are replaced. */
  readonly replace: boolean;
  readonly dryRun: boolean;
  /** Returns the text of a new file and writes none; secrets are masked unless `reveal`. */
  readonly isPrinted: boolean;
  readonly reveal: boolean;
}

/** The result for one server. `conflict`: the file has another entry of that name. */
export interface ExportedServer {
  readonly name: string;
  readonly result: 'added' | 'replaced' | 'same' | 'conflict';
  readonly lost: readonly string[];
  readonly notes: readonly string[];
}

export interface ExportResult {
  /** The host's name for people. */
  readonly title: string;
  readonly servers: readonly ExportedServer[];
  readonly leftOut: readonly LeftOut[];
  /** Undefined when the text was only printed. */
  readonly edit?: Edit;
  readonly printed?: { readonly text: string; readonly isMasked: boolean };
  /** Servers with a secret in a file that is shared. */
  readonly sharedSecrets: readonly string[];
  /** A text of this host's format with its secrets masked. */
  readonly mask: (text: string) => string;
}

/** Writes servers into another host's file. The rest of the file stays; what its format cannot hold is named. */
export async function writeExports(context: ConfigContext, request: ExportRequest): Promise<ExportResult> {
  const { exporter, importer } = findExporter(request.host);
  const target = request.isPrinted ? undefined : targetOf(request.host, context, request);
  const chosen = chooseExported(await loadHostConfig(context), request.servers);
  const isShared = target?.level === 'project';
  const mapped = chosen.servers.map((server) => mapServer(server, { isShared, cwd: context.cwd, exporter }));
  const wanted = mapped.flatMap((one) => (one.kind === 'entry' ? [one] : []));
  const refused = mapped.flatMap((one) => (one.kind === 'refused' ? [{ name: one.name, reason: one.reason }] : []));
  const text = await openForeignText(importer.format);
  const base = {
    title: importer.title,
    leftOut: [...chosen.leftOut, ...refused],
    mask: (shown: string): string =>
      maskForeignText(shown, { format: importer.format, parse: text.parse, path: exporter.path(text.parse(shown)) }),
    sharedSecrets: isShared ? wanted.filter(({ written }) => holdsSecret(written)).map(({ name }) => name) : [],
  };
  const foreign = { exporter, importer, text };
  if (!target) {
    return { ...base, servers: wanted.map((one) => toResult(one, 'added')), printed: print(wanted, request, foreign) };
  }
  let servers: readonly ExportedServer[] = [];
  const change = (before: string): string => {
    const changed = writeInto(before, wanted, { ...foreign, replace: request.replace });
    servers = changed.servers;
    return changed.text;
  };
  const edit = await editFile(target.path, change, {
    context,
    format: formatOf(importer, target),
    mode: isShared ? 0o644 : 0o600,
    dryRun: request.dryRun,
  });
  return { ...base, servers, edit };
}

type Mapped = ForeignEntryResult & { readonly name: string; readonly written: RawEntry };
type Wanted = Extract<Mapped, { readonly kind: 'entry' }>;

interface Mapping {
  readonly isShared: boolean;
  readonly cwd: string;
  readonly exporter: Exporter;
}

function mapServer(server: ConfiguredServer, { isShared, cwd, exporter }: Mapping): Mapped {
  const { name } = server;
  const { entry: written, notes } = isShared ? { entry: server.written!, notes: [] } : toEverywhere(server, cwd);
  const mapped = exporter.toForeign(name, written);
  if (mapped.kind === 'refused') return { ...mapped, name, written };
  return { ...mapped, notes: [...mapped.notes, ...notes], name, written };
}

interface Foreign {
  readonly exporter: Exporter;
  readonly importer: Importer;
  readonly text: ForeignText;
}

function writeInto(
  before: string,
  wanted: readonly Wanted[],
  { exporter, importer, text, replace }: Foreign & { readonly replace: boolean },
): { readonly text: string; readonly servers: readonly ExportedServer[] } {
  const file = text.parse(before);
  const path = exporter.path(file);
  const there = ownAt(file, path) ?? {};
  if (!isObject(there)) {
    const message = `"${path.join('.')}" is not an object, so Plugboard cannot add anything to it`;
    throw new HostError('config-invalid', message);
  }
  // Compared as an import would read them: a field that says nothing makes no difference.
  const plain = (entry: unknown): string => plainJson(isObject(entry) ? importer.toEntry(entry, file).entry : entry);
  const servers = wanted.map((one): ExportedServer => {
    if (!Object.hasOwn(there, one.name)) return toResult(one, 'added');
    if (plain(there[one.name]) === plain(one.entry)) return toResult(one, 'same');
    return toResult(one, replace ? 'replaced' : 'conflict');
  });
  const having = (result: ExportedServer['result']): SplicedServer[] =>
    wanted.filter((_, at) => servers[at]!.result === result).map(toServer);
  const splice = { path, added: having('added'), replaced: having('replaced') };
  const isNothing = splice.added.length + splice.replaced.length === 0;
  return { text: isNothing ? before : text.write(before, splice), servers };
}

function print(
  wanted: readonly Wanted[],
  { reveal }: ExportRequest,
  { exporter, importer, text }: Foreign,
): { readonly text: string; readonly isMasked: boolean } {
  const { empty } = formatOf(importer, NEW_FILE);
  const shown = reveal ? wanted : wanted.map((one) => ({ ...one, entry: maskEntry(one.entry) }));
  const isMasked = JSON.stringify(shown) !== JSON.stringify(wanted);
  if (shown.length === 0) return { text: empty, isMasked };
  return { text: text.write(empty, { path: exporter.path({}), added: shown.map(toServer), replaced: [] }), isMasked };
}

const NEW_FILE: ImportFile = { path: '-', level: 'user' };

function toResult({ name, lost, notes }: Wanted, result: ExportedServer['result']): ExportedServer {
  return { name, result, lost, notes };
}

function toServer({ name, entry }: Pick<Wanted, 'name' | 'entry'>): SplicedServer {
  return [name, entry];
}
