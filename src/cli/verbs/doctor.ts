import { HostError } from '../../base/errors.js';
import { exitCodes } from '../io.js';
import { loadRun } from '../load.js';
import { showLine } from '../show.js';
import { styleFor } from '../style.js';
import type { Verb } from '../verb.js';

export const doctor: Verb = {
  name: 'doctor',
  usage: '[SERVER]',
  summary: 'Find what is wrong, and say what to do about it',
  completes: 'server',
  examples: ['plugboard doctor', 'plugboard doctor github --json'],
  async run(invocation, io) {
    if (invocation.positionals.length > 1) throw new HostError('usage', 'error: doctor takes one server at most');
    const [name] = invocation.positionals;
    const loaded = await loadRun(invocation, io);
    const { diagnoseConfig } = await import('../../config/doctor.js');
    if (name !== undefined && !loaded.servers.some((server) => server.name === name)) {
      throw (await import('../../config/manage.js')).unknownServer(loaded, name);
    }
    const findings = diagnoseConfig(loaded).filter(({ server }) => name === undefined || server === name);
    const style = styleFor(io.stdout, { env: io.env, noColor: invocation.has('no-color') });
    const marks = { error: style.red('✘ error'), warning: style.yellow('! warning'), info: style.dim('• note') };
    const lines = findings.map(
      ({ severity, message, hint }) => `${marks[severity]}: ${showLine(message)}\n    ${showLine(hint)}`,
    );
    const errors = findings.filter(({ severity }) => severity === 'error').length;
    const warnings = findings.filter(({ severity }) => severity === 'warning').length;
    const running = loaded.servers.filter(({ standing }) => standing.kind === 'ready').length;
    const summary = `${count(running, 'server')} may run; ${count(errors, 'error')}, ${count(warnings, 'warning')}`;
    return {
      data: { findings },
      text: [
        ...lines,
        ...(lines.length === 0 ? [] : ['']),
        `${errors === 0 ? style.green('✔') : style.red('✘')} ${summary}`,
      ].join('\n'),
      ...(errors > 0 && { exitCode: exitCodes.unhealthy }),
    };
  },
};

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
