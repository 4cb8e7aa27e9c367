import { resolve } from 'node:path';
import { showLine } from '../../model/show.js';
import { type Action, defineAction } from '../action.js';
import { loadedOf } from '../action-place.js';
import { reportOpening } from '../openings.js';
import { doctor } from '../servers/doctor.js';

const args = {
  out: { kind: 'text', value: 'FILE', summary: 'write this file (default: plugboard-report-TIME.md in this folder)' },
  connect: { kind: 'flag', summary: 'start the servers that may run, and report their states' },
} as const;

interface Report {
  readonly file: string;
  readonly bytes: number;
  readonly findings: number;
}

const connecting = reportOpening();

/** Writes what helps to find a fault into one file, without secrets, and sends nothing. */
export const report: Action<typeof args, Report> = defineAction({
  name: 'report',
  label: 'report',
  doing: 'writing a report',
  summary: 'Write state, logs and findings into one file for a bug report, without secrets',
  args,
  needs: 'files',
  opening: {
    servers: (config, _, given) => connecting.servers(config, { noConnect: false }, given),
    isNeeded: (config, { connect }) => connecting.isNeeded!(config, { noConnect: !connect }),
    mayStart: (_, { connect }) => connect,
    isReport: true,
  },
  async run(on, { out, connect }, context) {
    const loaded = await loadedOf(on);
    const examined = await doctor.run(
      on,
      { server: undefined, all: false, noConnect: !connect, fix: false, dryRun: false },
      context,
    );
    const states =
      on.kind === 'host'
        ? on.host.servers().map(({ name, status, protocol, error }) => ({ name, status, protocol, error }))
        : undefined;
    const { writeReportText } = await import('../../host/support/report.js');
    const { saveReport } = await import('../../host/support/save-report.js');
    const at = context.now();
    const text = await writeReportText({ loaded, findings: examined.outcome.findings, states, at });
    const file = resolve(loaded.context.cwd, out ?? `plugboard-report-${stampOf(at)}.md`);
    await saveReport(file, text);
    return { file, bytes: Buffer.byteLength(text), findings: examined.outcome.findings.length };
  },
  json: (written) => written,
  tell: ({ file, bytes }) => ({
    tone: 'done',
    parts: [
      { kind: 'sentence', text: showLine(`Wrote ${file} (${Math.ceil(bytes / 1000)} kB)`) },
      { kind: 'sentence', text: 'Nothing was sent. Read the file before you share it' },
    ],
  }),
});

/** The time in a file name: `20261115-120000`. */
function stampOf(at: Date): string {
  return at.toISOString().slice(0, 19).replaceAll(/[-:]/gu, '').replace('T', '-');
}
