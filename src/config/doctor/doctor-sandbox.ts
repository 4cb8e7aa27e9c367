import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { HostError } from '../../base/errors.js';
import { shellWord } from '../../base/shell-word.js';
import { readCgroupTexts } from '../../edge/sandbox/cgroup-place.js';
import { systemClock } from '../../edge/clock.js';
import { openLimitGroup } from '../../edge/sandbox/limit-group.js';
import { readBounded } from '../../edge/files/read-file.js';
import { SandboxHost, type SandboxSettings } from '../../edge/sandbox/sandbox.js';
import { homeFolders, keyPlaces } from '../../edge/key-places.js';
import { isTooFull } from '../../edge/sandbox/sandbox-homes.js';
import { isSocket, type PathOptions, findRealPath, toReadable, toWritable } from '../../edge/sandbox/sandbox-paths.js';
import type { ServerTarget } from '../../transports/kind.js';
import { transportKindOf, serverTargetOf } from '../../transports/kinds.js';
import type { ConfigFinding } from './doctor.js';
import { isForeignEntry } from '../entries/foreign.js';
import type { HostConfig } from '../load.js';
import { programEnvironment } from '../risks/private-places.js';

/** Tries out what keeps servers from running in the sandboxes that they or a policy require. Never rejects. */
export async function diagnoseSandboxes(loaded: HostConfig, only?: string): Promise<readonly ConfigFinding[]> {
  const { servers, context, policies } = loaded;
  const { env, platform } = context;
  const host = new SandboxHost({ env, platform, programPath: () => programEnvironment(loaded)['PATH'] });
  const findings: ConfigFinding[] = [];
  const isRequired = policies.some(({ requireSandbox }) => requireSandbox !== undefined);
  for (const { name, config, standing, written, author, scope } of servers) {
    if (!config || standing.kind !== 'ready' || (only !== undefined && name !== only)) continue;
    const isHelper = isRequired && isForeignEntry({ author, scope }) && typeof written?.['headersHelper'] === 'string';
    const settings = transportKindOf(config).sandboxOf?.(config) ?? (isHelper ? {} : undefined);
    if (!settings) continue;
    const found = await diagnose({ name, settings, target: serverTargetOf(config), cwd: context.cwd, host, env });
    findings.push(...found.map((finding) => ({ server: name, ...finding })));
  }
  return findings;
}

interface Sandboxed {
  readonly name: string;
  readonly settings: SandboxSettings;
  readonly target: ServerTarget;
  readonly cwd: string;
  readonly host: SandboxHost;
  readonly env: HostConfig['context']['env'];
}

async function diagnose({ name, settings, target, cwd, host, env }: Sandboxed): Promise<readonly ConfigFinding[]> {
  const ability = await host.ability({ network: settings.network === true });
  if (ability.kind === 'unable') {
    const what = target.kind === 'command' ? 'the server' : 'its headersHelper';
    const message = `"${name}" cannot start: ${what} must run in a sandbox, and ${ability.reason}`;
    return [{ severity: 'error', code: 'sandbox-unavailable', message, hint: ability.hint }];
  }
  const findings: ConfigFinding[] = [];
  const attempt = (code: ConfigFinding['code'], run: () => void): void => {
    try {
      run();
    } catch (error) {
      if (!(error instanceof HostError)) return; // a missing folder is reported elsewhere
      findings.push({ severity: 'error', code, message: error.message, hint: error.hint ?? '' });
    }
  };
  const folder = resolve(cwd, (target.kind === 'command' ? target.cwd : undefined) ?? '.');
  const homes = homeFolders(env);
  const paths = (): PathOptions => ({ name, cwd: realpathSync.native(folder), homes, secret: host.secret });
  const read: string[] = [];
  const write: string[] = [];
  for (const path of settings.read ?? []) attempt('sandbox-path', () => read.push(...toReadable(path, paths())));
  const hidden = keyPlaces(env).flatMap((place) => (read.includes(place) ? [] : (findRealPath(place) ?? [])));
  for (const path of settings.write ?? []) {
    const within = settings.writeWithin;
    attempt('sandbox-path', () => write.push(toWritable(path, { ...paths(), hidden, read, within })));
  }
  attempt('sandbox-unavailable', () => {
    const group = openLimitGroup(settings, { name, texts: readCgroupTexts(), clock: systemClock });
    void group[Symbol.asyncDispose]();
  });
  const { processes } = settings;
  if (processes !== undefined && processes < FEW_PROCESSES) {
    const message = `"${name}" is limited to ${processes} processes, and every thread counts as one: node alone has 11`;
    const hint = `Write "processes": ${FEW_PROCESSES} or more, unless you know how many it needs`;
    findings.push({ severity: 'warning', code: 'sandbox-processes', message, hint });
  }
  const unix = settings.sockets === true || write.some(isSocket);
  if (unix || !ability.filters) findings.push(socketsFinding(name, { settings, unix }));
  const full = homes.find(isTooFull);
  if (full !== undefined) {
    const message = `The sandbox of "${name}" cannot hide files directly in ${full} once they are replaced (.npmrc, shell histories), nor keys that are created there later: the folder holds too many files`;
    findings.push({
      severity: 'warning',
      code: 'sandbox-home',
      message,
      hint: `Move files out of that folder: ls -A ${shellWord(full)}`,
    });
  }
  return [...findings, ...diagnoseProgram(name, settings, target), ...diagnoseSettings({ name, read, target, homes })];
}

/** Warns of Unix sockets that the sandbox does not hide. */
function socketsFinding(
  name: string,
  { settings, unix }: { readonly settings: SandboxSettings; readonly unix: boolean },
): ConfigFinding {
  const abstract = settings.network === true ? ', and abstract ones' : '';
  const message = `The sandbox of "${name}" does not block Unix sockets that other programs open after the server starts${abstract}`;
  const hint = unix
    ? 'Take "sockets", and sockets in "write", out of its sandbox if the server does not need them'
    : `The kernel or bubblewrap does not support seccomp filters here (${process.arch}): keep sockets of agents and others in /run or /tmp, which the sandbox hides`;
  return { severity: 'warning', code: 'sandbox-sockets', message, hint };
}

interface FetcherOptions {
  readonly name: string;
  readonly read: readonly string[];
  readonly target: ServerTarget;
  readonly homes: readonly string[];
}

/** Warns when the sandbox hides an .npmrc that names the registry or its token. */
function diagnoseSettings({ name, read, target, homes }: FetcherOptions): readonly ConfigFinding[] {
  const program = programOf(target);
  if (!/^(?:npx|npm|pnpx|pnpm|yarn|bunx)$/u.test(program)) return [];
  const file = join(homes[0] ?? '/', '.npmrc');
  if (read.includes(file) || !saysWhereFrom(file)) return [];
  const message = `"${name}" runs ${program} in a sandbox that hides ${file}, which says where packages come from`;
  const hint = `Write "sandbox": { "read": [${JSON.stringify(file)}] } in an entry of your own, if ${program} needs it`;
  return [{ severity: 'warning', code: 'sandbox-npmrc', message, hint }];
}

function saysWhereFrom(file: string): boolean {
  const reading = readBounded(file, { limit: NPMRC_BYTES });
  return (
    reading.kind === 'text' && /^\s*[^#;\s].*(?:registry|_auth|_password|proxy|cafile|certfile)/imu.test(reading.text)
  );
}

const NPMRC_BYTES = 65_536;

function programOf(target: ServerTarget): string {
  return target.kind === 'command' ? target.argv[0]!.split('/').at(-1)! : '';
}

const FEW_PROCESSES = 16;

/** Programs that download what they run. */
const FETCHERS = /^(?:npx|npm|pnpx|pnpm|yarn|bunx|uvx|uv|pipx)$/u;

function diagnoseProgram(
  name: string,
  { network, write }: SandboxSettings,
  target: ServerTarget,
): readonly ConfigFinding[] {
  const program = programOf(target);
  if (/^(?:docker|podman)$/u.test(program)) {
    const message = `"${name}" runs ${program} in a sandbox, which hides the socket of ${program}`;
    return [
      {
        severity: 'warning',
        code: 'sandbox-program',
        message,
        hint: 'Take "sandbox" out of its entry: a container is one already',
      },
    ];
  }
  if (!FETCHERS.test(program)) return [];
  if (network !== true) {
    const message = `"${name}" runs ${program} in a sandbox without network: ${program} cannot download anything`;
    const hint = 'Write "sandbox": { "network": true }, or install the package and name its program as the command';
    return [{ severity: 'warning', code: 'sandbox-network', message, hint }];
  }
  if ((write ?? []).length > 0) return [];
  const message = `"${name}" runs ${program} in a sandbox that may write nothing: ${program} cannot save what it downloads`;
  const hint = `Add the folder where ${program} keeps packages to "write", by its full path`;
  return [{ severity: 'warning', code: 'sandbox-network', message, hint }];
}
