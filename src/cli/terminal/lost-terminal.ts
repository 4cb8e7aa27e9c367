import { isatty } from 'node:tty';

/**
 * At exit Node restores the terminal's modes, and aborts with a core dump when the terminal is gone. So this ends the
 * process by SIGHUP, like other programs whose terminal is closed. To be called when everything else is done.
 */
export function exitWithoutTerminal({ isTTY, fd }: NodeJS.WriteStream & { readonly fd?: number }): void {
  if (!HAS_HANGUP || !isTTY || fd === undefined || isatty(fd)) return;
  process.once('exit', () => {
    process.removeAllListeners('SIGHUP');
    process.kill(process.pid, 'SIGHUP');
  });
}

const HAS_HANGUP = process.platform !== 'win32';
