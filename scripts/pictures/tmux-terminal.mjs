// A real terminal for the pictures: a shell in tmux on a socket of its own, with keys and looks at the screen.
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const LIMIT_MS = 60_000; // only against hanging, also on a busy machine
const POLL_MS = 150;

/** `folder`: for the socket. `env`: the whole environment of the shell. */
export function openTerminal({ folder, cwd, env, columns, rows }) {
  const settings = join(folder, 'tmux.conf');
  writeFileSync(settings, 'set -g status off\nset -g default-terminal screen-256color\n');
  const server = ['-u', '-f', settings, '-S', join(folder, 'tmux')];
  const options = { env: { ...env, TERM: 'xterm-256color', LANG: 'C.UTF-8' }, encoding: 'utf8' };
  const tmux = (...args) => execFileSync('tmux', [...server, ...args], options);
  tmux('new-session', '-d', '-x', String(columns), '-y', String(rows), '-c', cwd, 'sh', '-i');
  const look = () => tmux('capture-pane', '-p').trimEnd();
  /** Resolves when the screen is as wanted twice in a row: nothing is still being drawn. */
  const until = async (isWanted, what) => {
    const deadline = performance.now() + LIMIT_MS;
    for (let last; ; await pause(POLL_MS)) {
      const screen = look();
      if (isWanted(screen) && screen === last) return screen;
      if (performance.now() > deadline) throw new Error(`The screen does not show ${what}:\n${screen}`);
      last = screen;
    }
  };
  return {
    look,
    /** Presses keys by tmux's names: Enter, Down, a. */
    press: (...keys) => void tmux('send-keys', ...keys),
    /** Types the text, then Enter. */
    line: (text) => void (tmux('send-keys', '-l', text), tmux('send-keys', 'Enter')),
    untilShown: (text) => until((screen) => screen.includes(text), `"${text}"`),
    untilMatches: (pattern) => until((screen) => pattern.test(screen), String(pattern)),
    /** The screen with its escape sequences, and the cell of the cursor where one is visible. */
    capture() {
      const [column, row, isVisible] = tmux('display-message', '-p', '#{cursor_x} #{cursor_y} #{cursor_flag}')
        .split(' ')
        .map(Number);
      return { text: tmux('capture-pane', '-e', '-p'), cursor: isVisible ? { column, row } : undefined };
    },
    /** Does nothing when tmux has ended. */
    close: () => void spawnSync('tmux', [...server, 'kill-server'], options),
  };
}
