import { mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { type CallOutcome, FORGED, SECRET, type When } from '../../../src/testing/expectation.js';
import type { ServedMode } from '../../../src/testing/loopback.js';
import type { Mode } from '../../../src/testing/mode.js';
import { serveMode } from '../../../src/testing/serve-mode.js';
import { type Bundle, bundleStdioServer } from '../../hostile/bundle.js';
import { MARK, processesLeft } from '../../hostile/processes.js';
import { type Gateway, startGateway } from '../start-gateway.js';
import { attack } from './attacked.js';
import { differenceOf } from './differences.js';
import { Neighbour } from './neighbour.js';
import { forgetPeak, peakMb } from './peak-memory.js';
import { PRIVATE } from './watched-client.js';

/** For modes that only a deadline ends. In the long version processes have to start within it. */
const SHORT_MS = process.env['PLUGBOARD_FULL'] === undefined ? 1_000 : 5_000;
const LONG_MS = 300_000; // for modes that must not need a deadline
const PEAK_MB = 700; // twelve servers at a time, several of which send as much as they can

interface Started {
  readonly home: string;
  /** Of all processes that are started for it. */
  readonly mark: string;
  readonly server: Bundle;
  readonly gateway: Gateway;
}

/** `plugboard serve` as a process of its own, with a healthy server and two clients of it that never stop calling. */
export class KitGateway implements AsyncDisposable {
  readonly #home: string;
  readonly #server: Bundle;
  readonly #gateway: Gateway;
  readonly #neighbours: readonly Neighbour[];
  readonly #mark: string;
  #batches = 0;

  private constructor({ home, mark, server, gateway }: Started) {
    this.#home = home;
    this.#mark = mark;
    this.#server = server;
    this.#gateway = gateway;
    const url = `${gateway.origin}/mcp/healthy`;
    this.#neighbours = [new Neighbour(url, 'legacy'), new Neighbour(url, 'modern')];
  }

  static async start(): Promise<KitGateway> {
    const home = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-hostile-servers-')));
    const server = await bundleStdioServer();
    const mark = `hostile-${process.pid}`;
    const servers = { healthy: healthyEntry(server, mark) };
    const gateway = await startGateway({ home, servers, flags: ['--log-level', 'info'] });
    const started = new KitGateway({ home, mark, server, gateway });
    for (const neighbour of started.#neighbours) await neighbour.begin();
    return started;
  }

  /** The times of the neighbours' calls so far, in ms. */
  get times(): readonly number[] {
    return this.#neighbours.flatMap(({ times }) => times.splice(0));
  }

  /** The most memory that the gateway has had since the last batch began. */
  get peakMb(): number {
    return peakMb(this.#gateway.pid);
  }

  /** Adds hostile servers of these modes by an edit, and has clients of both eras list and call each, all at once. */
  async suffer(modes: readonly Mode[]): Promise<string[]> {
    const mark = `${this.#mark}-${++this.#batches}`;
    await using served = new ServedModes();
    const entries: Record<string, object> = {};
    for (const mode of modes)
      entries[mode.name] = { ...(await this.#entry(mode, { mark, served })), ...limitsOf(mode) };
    this.#edit(entries);
    forgetPeak(this.#gateway.pid);
    const before = this.#neighbours.map(({ answered }) => answered);
    const attacks = modes.map((mode) => attack(mode, `${this.#gateway.origin}/mcp/${mode.name}`));
    const faults = (await Promise.all(attacks)).flat();
    const isHeld = this.#neighbours.some(({ answered }, at) => answered <= before[at]!);
    this.#edit({});
    const left = await processesLeft(mark);
    return [
      ...faults,
      ...served.faults(),
      ...(isHeld ? ['a neighbour got no answer while others were attacked'] : []),
      ...this.#neighbours.flatMap((neighbour) => neighbour.faults()),
      ...left.map((command) => `left behind: ${command}`),
      ...(this.peakMb > PEAK_MB ? [`the gateway took ${this.peakMb} MB`] : []),
      ...this.#logFaults(),
    ];
  }

  /** Ends the neighbours and the gateway. Returns what is wrong with the end. */
  async end(): Promise<string[]> {
    await Promise.all(this.#neighbours.map((neighbour) => neighbour.end()));
    const faults = this.#neighbours.flatMap((neighbour) => neighbour.faults());
    for (const neighbour of this.#neighbours) neighbour[Symbol.dispose]();
    await this.#gateway[Symbol.asyncDispose]();
    const left = await processesLeft(this.#mark);
    return [...faults, ...this.#logFaults(), ...left.map((command) => `left behind: ${command}`)];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const neighbour of this.#neighbours) neighbour[Symbol.dispose]();
    await this.#gateway[Symbol.asyncDispose]();
    this.#server[Symbol.dispose]();
    rmSync(this.#home, { recursive: true, force: true });
  }

  #logFaults(): string[] {
    const said = this.#gateway.said();
    return NEVER_LOGGED.filter((word) => said.includes(word)).map(
      (word) => `the log has ${word}: ${said.slice(Math.max(0, said.indexOf(word) - 200)).slice(0, 500)}`,
    );
  }

  async #entry(mode: Mode, { mark, served }: { mark: string; served: ServedModes }): Promise<object> {
    if (mode.channel !== 'stdio') {
      const { url } = await served.serve(mode);
      // A user whose entry has a token is not asked to sign in.
      if (mode.expect.connect === 'sign-in') return { type: mode.channel, url };
      return { type: mode.channel, url, headers: { Authorization: `Bearer ${PRIVATE}` } };
    }
    const env = { [MARK]: mark, SITE_LOGIN: PRIVATE };
    const entry = { command: process.execPath, args: [this.#server.script, mode.name], env };
    if (mode.needs !== 'sandbox') return entry;
    return { ...entry, env: { ...env, HOME: userInfo().homedir }, sandbox: { write: [dirname(this.#server.script)] } };
  }

  #edit(entries: Readonly<Record<string, object>>): void {
    const file = join(this.#home, '.config/plugboard/config.json');
    const servers = { healthy: healthyEntry(this.#server, this.#mark), ...entries };
    writeFileSync(`${file}.new`, JSON.stringify({ mcpServers: servers }));
    renameSync(`${file}.new`, file);
  }
}

/** The hostile servers that have a URL. They run here, so that their work is not the gateway's. */
class ServedModes implements AsyncDisposable {
  readonly #served: { readonly mode: Mode; readonly server: ServedMode }[] = [];

  async serve(mode: Exclude<Mode, { channel: 'stdio' }>): Promise<ServedMode> {
    const server = await serveMode(mode);
    this.#served.push({ mode, server });
    return server;
  }

  /** Requests that nobody should have made. */
  faults(): string[] {
    return this.#served.flatMap(({ mode, server }) => {
      const { strayed = 0, 'tools/call attack': calls = 0 } = server.counts();
      const most = callsMost(mode);
      return [
        ...(strayed > 0 ? [`${mode.name}: ${strayed} requests went astray`] : []),
        ...(calls > most ? [`${mode.name}: the server saw ${calls} calls, not ${most}`] : []),
      ];
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#served.map(({ server }) => server[Symbol.asyncDispose]()));
  }
}

const CLIENTS = 2;
const NEVER_LOGGED = [PRIVATE, SECRET, FORGED, 'nhandled', 'file:///'];

function callsMost(mode: Mode): number {
  const { calls } = differenceOf(mode);
  const { expect: expected } = mode;
  const own = expected.counts.find(({ what }) => what === 'tools/call attack');
  return CLIENTS * (calls ?? own?.most ?? 1);
}

function healthyEntry({ script }: Bundle, mark: string): object {
  const env = { [MARK]: mark, SITE_LOGIN: PRIVATE };
  return { command: process.execPath, args: [script, 'good-stdio'], env, timeout: LONG_MS, startTimeout: LONG_MS };
}

function limitsOf(mode: Mode): object {
  const { expect: expected } = mode;
  if (expected.connect !== 'ok') {
    const isSlow = expected.connect !== 'sign-in' && isDeadline(expected.connect.when);
    return { timeout: LONG_MS, startTimeout: isSlow ? SHORT_MS : LONG_MS };
  }
  const { list, call } = expected;
  return {
    timeout: isSlowCall(call) ? SHORT_MS : LONG_MS,
    startTimeout: isDeadline(list.when) ? SHORT_MS : LONG_MS,
  };
}

function isSlowCall(call: CallOutcome): boolean {
  return call.kind !== 'untried' && isDeadline(call.when);
}

function isDeadline(when: When): boolean {
  return when === 'at the deadline' || when === 'by the deadline';
}
