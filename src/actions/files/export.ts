import type { ExportedServer, ExportResult } from '../../config/exporters/write-exports.js';
import { countOf, showLine } from '../../model/show.js';
import { type Action, defineAction } from '../action.js';
import { configOf } from '../action-place.js';
import { dryRunArgument } from '../shared-arguments.js';
import type { Told, ToldPart } from '../told.js';
import { usageError } from '../usage-error.js';

const args = {
  host: { kind: 'word', noun: 'a host' },
  servers: { kind: 'words' },
  project: { kind: 'flag', summary: "write the host's file in this project instead of yours" },
  out: { kind: 'text', value: 'FILE', summary: 'write this file; - prints the entries' },
  replace: { kind: 'flag', summary: 'replace entries of the same name that say something else' },
  dryRun: dryRunArgument,
} as const;

interface Exported {
  readonly result: ExportResult;
  readonly host: string;
  readonly isDryRun: boolean;
  readonly diff: string;
}

/** Writes servers into another host's file, in that host's format. */
export const exportServers: Action<typeof args, Exported> = defineAction({
  name: 'export',
  label: 'export',
  doing: 'exporting',
  summary: "Write your servers into another host's file, in its format",
  args,
  needs: 'files',
  async run(on, { host, servers, project, out, replace, dryRun }, { reveal = false }) {
    if (project && out !== undefined) {
      throw usageError('--project and --out both name a file', { hint: 'Leave one of them out' });
    }
    const { writeExports } = await import('../../config/exporters/write-exports.js');
    const result = await writeExports(configOf(on), {
      host,
      servers,
      file: out,
      isPrinted: out === '-',
      isProject: project,
      replace,
      dryRun,
      reveal,
    });
    const { showDiff } = await import('../../config/show-diff.js');
    const diff = dryRun && result.edit ? showDiff(result.edit, { reveal, mask: result.mask }) : '';
    return { result, host, isDryRun: dryRun, diff };
  },
  json({ result: { servers, leftOut, edit, printed }, host, isDryRun, diff }) {
    return {
      host,
      file: edit?.file ?? null,
      changed: edit?.changed ?? false,
      servers,
      leftOut,
      ...(printed !== undefined && { text: printed.text }),
      ...(isDryRun && { dryRun: true, diff }),
    };
  },
  tell: ({ result, host, isDryRun, diff }) => tellExport(result, { host, isDryRun, diff }),
});

type Telling = Pick<Exported, 'host' | 'isDryRun' | 'diff'>;

function tellExport(result: ExportResult, { host, isDryRun, diff }: Telling): Told {
  const { title, servers, leftOut, printed, edit, sharedSecrets } = result;
  if (printed) return tellPrinted(result, printed);
  const file = edit?.file ?? '';
  const words = isDryRun ? planned : done;
  const conflicts = servers.filter(({ result: how }) => how === 'conflict');
  const count = countOf(servers.filter(isWritten).length, 'server');
  const parts: ToldPart[] = [
    ...servers.flatMap((server) => [
      line(`${server.name} ${words[server.result]}`),
      ...(isWritten(server) ? remarks(server) : []).map((remark) => line(`    ${remark}`)),
    ]),
    ...leftOut.map(({ name, reason }) => line(`${name} ✘ not exported: ${reason}`)),
    line(`${isDryRun ? 'Would export' : 'Exported'} ${count} to ${title}`),
    ...(conflicts.length > 0 ? [hint(`To replace what ${title} has: plugboard export ${host} --replace`)] : []),
    ...(isDryRun ? [{ kind: 'quote', lines: diff.split('\n') } as const] : []),
    ...(!isDryRun && edit?.changed === true ? [{ kind: 'edits', files: [showLine(file)] } as const] : []),
  ];
  const notes = sharedSecrets.map((name) =>
    showLine(`warning: "${name}" has a secret in ${file}, a file that is shared; write \${NAME} there instead`),
  );
  const code = conflicts.length > 0 ? 'server-exists' : undefined;
  return { tone: code ? 'failed' : isDryRun ? 'note' : 'done', parts, notes, code };
}

/** The text is the answer, so that everything else stands beside it. */
function tellPrinted(
  { servers, leftOut }: ExportResult,
  { text, isMasked }: NonNullable<ExportResult['printed']>,
): Told {
  const notes = [
    ...leftOut.map(({ name, reason }) => `${name}: not exported: ${reason}`),
    ...servers.flatMap((server) => remarks(server).map((remark) => `${server.name}: ${remark}`)),
    ...(isMasked ? ['Secrets are masked; add --reveal to print them'] : []),
  ];
  const lines = text.replace(/\n$/u, '').split('\n');
  return { tone: 'done', parts: [{ kind: 'quote', lines }], notes: notes.map(showLine) };
}

function isWritten({ result }: ExportedServer): boolean {
  return result === 'added' || result === 'replaced';
}

function remarks({ lost, notes }: ExportedServer): readonly string[] {
  return [...lost.map((loss) => `lost: ${loss}`), ...notes.map((note) => `note: ${note}`)];
}

const conflict = '✘ not exported: the file has another server of that name';
const done = { added: '✔ added', replaced: '✔ replaced', same: '○ already there', conflict } as const;
const planned = { ...done, added: '○ would be added', replaced: '○ would be replaced' } as const;

const line = (text: string): ToldPart => ({ kind: 'line', spans: [{ text: showLine(text) }] });
const hint = (text: string): ToldPart => ({ kind: 'hint', text });
