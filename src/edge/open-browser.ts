import type { ChildProcess } from 'node:child_process';
import { dirname, isAbsolute, win32 } from 'node:path';
import { gateUrl } from '../model/urls/url-gate.js';
import { childEnvironment } from './processes/child-environment.js';
import { findCommand } from './processes/find-command.js';
import { spawnApart } from './processes/spawn-apart.js';

export interface OpenBrowserOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

/**
 * Opens a page in this machine's browser; false when there is no screen or browser. The URL is one argument of a
 * program and never passes through a shell. npm packages for this run PowerShell or a shell script of theirs: more code
 * to trust. Never rejects.
 */
export async function openBrowser(url: string, { env, platform }: OpenBrowserOptions): Promise<boolean> {
  const gated = gateUrl(url, { from: 'user', purpose: 'open' });
  if (!gated.ok) return false;
  const opener = findOpener(env, platform);
  if (!opener) return false;
  const [program, ...before] = opener;
  try {
    const child = spawnApart({
      command: program,
      args: [...before, gated.href],
      cwd: dirname(program),
      env: childEnvironment(env, { env: {}, inheritEnv: OF_THE_DESKTOP, platform }),
      stdio: ['ignore', 'ignore', 'ignore'],
      stray: [],
    });
    return await hasStarted(child);
  } catch {
    return false; // nothing was started: the caller shows the URL instead
  }
}

type Opener = readonly [program: string, ...before: string[]];

const TIMEOUT_MS = 3000; // ms; an opener starts the browser and exits, so a program that runs longer is the browser itself

/** Variables that lead to the screen. Not $BROWSER, which xdg-open would run through a shell. */
const OF_THE_DESKTOP = [
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'DBUS_SESSION_BUS_ADDRESS',
  'DESKTOP_SESSION',
  'KDE_FULL_SESSION',
  'KDE_SESSION_VERSION',
  'VSCODE_IPC_HOOK_CLI', // for an editor's remote terminal, whose $BROWSER opens the page on the other machine
  'WSL_DISTRO_NAME',
  'WSL_INTEROP',
];

function findOpener(env: OpenBrowserOptions['env'], platform: NodeJS.Platform): Opener | undefined {
  if (platform === 'win32') {
    const root = env['SystemRoot'] ?? env['SYSTEMROOT'];
    // By its full path, because any folder of PATH may hold a program of that name.
    if (root === undefined || !win32.isAbsolute(root)) return undefined;
    return [win32.join(root, 'System32', 'rundll32.exe'), 'url.dll,FileProtocolHandler'];
  }
  const find = (name: string): Opener | undefined => {
    const found = findCommand(name, { cwd: '/', path: env['PATH'], platform });
    return found === undefined ? undefined : [found];
  };
  const chosen = env['BROWSER'];
  // A template such as `firefox %s &` needs a shell, so it is ignored.
  if (chosen !== undefined && isPlainProgram(chosen)) return find(chosen);
  if (isSet(env['SSH_CONNECTION'])) return undefined; // the user does not sit at this machine's screen
  if (platform === 'darwin') return ['/usr/bin/open'];
  return isSet(env['DISPLAY']) || isSet(env['WAYLAND_DISPLAY']) ? find('xdg-open') : undefined;
}

function isPlainProgram(text: string): boolean {
  return isAbsolute(text) ? !text.includes('%') : /^[\w.+-]+$/.test(text);
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

function hasStarted(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isOpen: boolean): void => {
      clearTimeout(timer);
      child.unref();
      resolve(isOpen);
    };
    const timer = setTimeout(() => end(true), TIMEOUT_MS);
    child.once('error', () => end(false));
    child.once('exit', (code) => end(code === 0));
  });
}
