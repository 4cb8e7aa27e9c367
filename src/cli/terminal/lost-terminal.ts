import { isatty } from 'node:tty';

/**
 * At the end of a process Node gives the terminal back as it was, and dies of a failed assertion, with a core dump, where there is none any
 * more. Whoever has lost it ends as others do whose terminal is closed. To be called when everything else is done.
 */
export function exitWithoutTerminal({ isTTY, fd }: NodeJS.WriteStream & { readonly fd?: number }): void {
  if (!HAS_HANGUP || !isTTY || fd === undefined || isatty(fd)) return;
  process.once('exit', () => {
    process.removeAllListeners('SIGHUP');
    process.kill(process.pid, 'SIGHUP');
  });
}

const HAS_HANGUP = process.platform !== 'win32';
