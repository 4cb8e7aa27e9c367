import { statSync } from 'node:fs';
import { join } from 'node:path';
import { HostError } from '../../base/errors.js';
import { shellWord } from '../../base/shell-word.js';
import { isThere, isWritable } from '../../edge/files/folders.js';
import { findProxy } from '../../edge/network/proxy-choice.js';
import { serverTargetOf } from '../../transports/kinds.js';
import type { ConfigFinding } from './doctor.js';
import type { HostConfig } from '../load.js';

/** Problems of this machine rather than of a server, found without contacting one. */
export function diagnoseMachine(loaded: HostConfig): readonly ConfigFinding[] {
  return [
    ...diagnoseNode(process.versions.node),
    ...diagnoseClock(loaded),
    ...diagnoseProxies(loaded),
    ...diagnoseCertificates(loaded),
    ...diagnoseCaches(loaded),
  ];
}

export function diagnoseNode(version: string): readonly ConfigFinding[] {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)) return [];
  const oldest = `${OLDEST.major}.${OLDEST.minor}`;
  const message = `This is Node.js ${version}; Plugboard and many servers need ${oldest} or later`;
  return [{ severity: 'error', code: 'old-node', message, hint: `Install Node.js ${oldest} or later` }];
}

const OLDEST = { major: 20, minor: 19 };

/** A file from the future means that the clock is wrong, so that certificates look expired or not valid yet. */
function diagnoseClock({ servers }: HostConfig): readonly ConfigFinding[] {
  const files = [...new Set(servers.map(({ origin }) => origin))].slice(0, FILES_LIMIT);
  const late = files.find((file) => (writtenAt(file) ?? 0) > Date.now() + DAY_MS);
  if (late === undefined) return [];
  const message = `${late} was written in the future: the clock of this machine says ${new Date().toISOString()}`;
  return [{ severity: 'warning', code: 'clock', message, hint: 'Set the clock: certificates are checked against it' }];
}

const FILES_LIMIT = 50;
const DAY_MS = 86_400_000;

function writtenAt(file: string): number | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  } catch {
    return undefined; // not a file or not readable: reported elsewhere
  }
}

function diagnoseProxies({ context }: HostConfig): readonly ConfigFinding[] {
  const { env } = context;
  const told = new Map<string, ConfigFinding>();
  for (const url of ['https://example.com/', 'http://example.com/']) {
    try {
      findProxy(new URL(url), { label: 'Remote servers', env });
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      const { message, hint = '' } = error;
      told.set(message, { severity: 'warning', code: 'bad-proxy', message, hint });
    }
  }
  return [...told.values()];
}

function diagnoseCertificates({ context: { env } }: HostConfig): readonly ConfigFinding[] {
  const findings: ConfigFinding[] = [];
  const extra = env['NODE_EXTRA_CA_CERTS'];
  if (extra !== undefined && extra !== '' && !isThere(extra)) {
    const message = `NODE_EXTRA_CA_CERTS names ${extra}, which does not exist`;
    findings.push({ severity: 'warning', code: 'no-ca-file', message, hint: 'Correct the variable, or unset it' });
  }
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    const message = 'NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored: Plugboard always checks certificates';
    const hint =
      'Name the certificate authority instead: "tls": { "ca": "/path/to/ca.pem" } in the entry, or NODE_EXTRA_CA_CERTS';
    findings.push({ severity: 'info', code: 'tls-variable', message, hint });
  }
  return findings;
}

/** Runners that download packages need a writable cache. */
function diagnoseCaches({ servers, context }: HostConfig): readonly ConfigFinding[] {
  const { env } = context;
  const home = env['HOME'] ?? '';
  const cache = env['XDG_CACHE_HOME'] ?? join(home, '.cache');
  const places = [
    { programs: ['npx', 'npm'], folder: env['npm_config_cache'] ?? join(home, '.npm') },
    { programs: ['uvx', 'uv'], folder: env['UV_CACHE_DIR'] ?? join(cache, 'uv') },
  ];
  const used = new Set(
    servers.flatMap(({ config, standing }) => {
      const target = config && standing.kind === 'ready' ? serverTargetOf(config) : undefined;
      return target?.kind === 'command' ? target.argv.slice(0, 1) : [];
    }),
  );
  return places.flatMap(({ programs, folder }): ConfigFinding[] => {
    const program = programs.find((one) => used.has(one));
    if (program === undefined || isWritable(folder)) return [];
    const message = `${program} cannot save what it downloads: ${folder} is not writable`;
    return [{ severity: 'warning', code: 'read-only-cache', message, hint: `Look at: ls -ld ${shellWord(folder)}` }];
  });
}
