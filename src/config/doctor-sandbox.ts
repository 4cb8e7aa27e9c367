import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { HostError } from '../base/errors.js';
import { readCgroupTexts } from '../edge/cgroup-place.js';
import { systemClock } from '../edge/clock.js';
import { openLimitGroup } from '../edge/limit-group.js';
import { SandboxHost, type SandboxWishes } from '../edge/sandbox.js';
import { toWritable } from '../edge/sandbox-plan.js';
import type { Target } from '../transports/kind.js';
import { kindOf, targetOf } from '../transports/kinds.js';
import type { ConfigFinding } from './doctor.js';
import type { LoadedConfig } from './load.js';

/** What will keep servers from running in the sandboxes that they, or a policy, ask for. Tries it out. Never rejects. */
export async function diagnoseSandboxes(
  { servers, context }: LoadedConfig,
  only?: string,
): Promise<readonly ConfigFinding[]> {
  const { env, platform } = context;
  const host = new SandboxHost({ env, platform });
  const findings: ConfigFinding[] = [];
  for (const { name, config, standing } of servers) {
    const wishes = config && kindOf(config).sandboxOf?.(config);
    if (!config || !wishes || standing.kind !== 'ready' || (only !== undefined && name !== only)) continue;
    const found = await diagnose({ name, wishes, target: targetOf(config), cwd: context.cwd, host });
    findings.push(...found.map((finding) => ({ server: name, ...finding })));
  }
  return findings;
}

interface Sandboxed {
  readonly name: string;
  readonly wishes: SandboxWishes;
  readonly target: Target;
  readonly cwd: string;
  readonly host: SandboxHost;
}

async function diagnose({ name, wishes, target, cwd, host }: Sandboxed): Promise<readonly ConfigFinding[]> {
  const ability = await host.ability({ network: wishes.network === true });
  if (ability.kind === 'unable') {
    const message = `"${name}" cannot start: it is to run in a sandbox, and ${ability.reason}`;
    return [{ severity: 'error', code: 'sandbox-unavailable', message, hint: ability.hint }];
  }
  const findings: ConfigFinding[] = [];
  const attempt = (code: ConfigFinding['code'], run: () => void): void => {
    try {
      run();
    } catch (error) {
      if (!(error instanceof HostError)) return; // a folder that is not there is told as such
      findings.push({ severity: 'error', code, message: error.message, hint: error.hint ?? '' });
    }
  };
  const folder = resolve(cwd, (target.kind === 'command' ? target.cwd : undefined) ?? '.');
  for (const path of wishes.write ?? []) {
    attempt('sandbox-path', () => toWritable(path, { name, cwd: realpathSync.native(folder), hidden: host.secret }));
  }
  attempt('sandbox-unavailable', () => {
    const group = openLimitGroup(wishes, { name, texts: readCgroupTexts(), clock: systemClock });
    void group[Symbol.asyncDispose]();
  });
  const { processes } = wishes;
  if (processes !== undefined && processes < FEW_PROCESSES) {
    const message = `"${name}" may have ${processes} processes, and every thread counts as one: node alone has 11`;
    const hint = `Write "processes": ${FEW_PROCESSES} or more, unless you know how many it has`;
    findings.push({ severity: 'warning', code: 'sandbox-processes', message, hint });
  }
  return [...findings, ...diagnoseProgram(name, wishes, target)];
}

const FEW_PROCESSES = 16;

/** Programs that fetch what they run. */
const FETCHERS = /^(?:npx|npm|pnpx|pnpm|yarn|bunx|uvx|uv|pipx)$/u;

function diagnoseProgram(name: string, { network, write }: SandboxWishes, target: Target): readonly ConfigFinding[] {
  const program = target.kind === 'command' ? target.argv[0]!.split('/').at(-1)! : '';
  if (/^(?:docker|podman)$/u.test(program)) {
    const message = `"${name}" runs ${program} in a sandbox, which hides the socket of its service`;
    return [
      { severity: 'warning', code: 'sandbox-program', message, hint: 'Run it without a sandbox: a container is one' },
    ];
  }
  if (!FETCHERS.test(program)) return [];
  if (network !== true) {
    const message = `"${name}" runs ${program} in a sandbox without network: ${program} can download nothing there`;
    const hint = 'Write "sandbox": { "network": true }, or install the package and name its program as the command';
    return [{ severity: 'warning', code: 'sandbox-network', message, hint }];
  }
  if ((write ?? []).length > 0) return [];
  const message = `"${name}" runs ${program} in a sandbox that may write nothing: ${program} can keep nothing it downloads`;
  const hint = `Add the folder where ${program} keeps packages to "write", by its full path`;
  return [{ severity: 'warning', code: 'sandbox-network', message, hint }];
}
