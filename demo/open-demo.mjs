// Everything that the demo needs beside a host: folders of its own, the HTTP server, the server in this process.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clock } from './servers/clock.mjs';
import { openWeather } from './servers/weather.mjs';

/**
 * `folder` has the demo's .mcp.json. `env`: variables that keep settings, state and cache of the demo in a temporary
 * folder, which is removed by `close`, and when the process exits.
 */
export async function openDemo() {
  const scratch = mkdtempSync(join(tmpdir(), 'plugboard-demo-'));
  const remove = () => rmSync(scratch, { recursive: true, force: true });
  process.once('exit', remove);
  const weather = await openWeather(0);
  return {
    folder: dirname(fileURLToPath(import.meta.url)),
    env: {
      PLUGBOARD_DEMO_PORT: String(weather.port),
      PLUGBOARD_DEMO_NOTES: join(scratch, 'notes.json'),
      XDG_CONFIG_HOME: join(scratch, 'config'),
      XDG_CACHE_HOME: join(scratch, 'cache'),
      XDG_STATE_HOME: join(scratch, 'state'),
      XDG_RUNTIME_DIR: join(scratch, 'run'),
    },
    embedded: new Map([['clock', clock]]),
    close() {
      weather.close();
      remove();
      process.off('exit', remove);
    },
  };
}
