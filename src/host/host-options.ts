import type { ConfigOptions } from '../config/context.js';
import type { ControlChannel } from '../connection/control.js';
import type { DockOptions } from '../connection/dock.js';
import type { EmbeddedServer } from '../transports/kind.js';
import type { JsonObject } from '../wire/message.js';
import type { CallOptions } from './host-call.js';
import type { Ports } from './ports.js';
import type { SharedServers } from './shared-servers.js';

export interface HostOptions extends ConfigOptions {
  readonly ports?: Partial<Ports>;
  /** Servers inside this program, by the name that their entries give. */
  readonly embedded?: ReadonlyMap<string, EmbeddedServer>;
  /** Whether an edit of a configuration file takes effect while the host runs; it does unless said otherwise. */
  readonly watch?: boolean;
  /** Whether `plugboard reconnect` reaches this host; it does where edits do, unless said otherwise. */
  readonly socket?: boolean;
  /** Only these servers, of all that are configured. */
  readonly only?: readonly string[];
  /** Whether servers are started before somebody uses them; they are, unless their entry says `"start": "lazy"`. */
  readonly start?: 'eager' | 'lazy';
}

/** What the terminal program brings besides. */
export interface Surroundings {
  readonly control?: ControlChannel | undefined;
  readonly tap?: DockOptions['tap'];
  /** Shorter than what the environment says. */
  readonly connectTimeoutMs?: number | undefined;
}

export interface ForkOptions {
  /** Names of servers to share, and entries of servers of its own. All of them are shared, unless some are named. */
  readonly servers?: SharedServers;
}

export interface ToolRequest extends CallOptions {
  /** As the model knows it: `mcp__server__tool`. */
  readonly name: string;
  readonly input?: JsonObject;
}
