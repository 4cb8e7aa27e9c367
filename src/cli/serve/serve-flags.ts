import type { GatewayHttpOptions, OpenGatewayOptions } from '../../gateway/index.js';
import { isLoopbackAddress } from '../../model/urls/loopback-address.js';
import type { Invocation } from '../input/arguments.js';
import { usageError } from '../input/usage-error.js';

/** The flags of `serve`, checked. */
export interface ServeFlags extends Pick<OpenGatewayOptions, 'names' | 'secretFile'> {
  /** Undefined: stdio. */
  readonly http: (GatewayHttpOptions & { readonly address: string; readonly port: number }) | undefined;
  /** On stdio: the path and the query of what to serve. */
  readonly path: string;
  readonly query: string;
  readonly level: LogLevel;
}

export type LogLevel = 'error' | 'warning' | 'info';

/** Throws `usage`. */
export function readServeFlags(invocation: Invocation): ServeFlags {
  const [word] = invocation.positionals;
  if (word !== undefined)
    throw usageError(`serve takes no words, got "${word}"`, { hint: 'plugboard serve --path /mcp/NAME' });
  const listen = invocation.value('http');
  const wrong = listen === undefined ? HTTP_FLAGS.find((flag) => invocation.has(flag)) : undefined;
  if (wrong !== undefined)
    throw usageError(`--${wrong} is for --http`, { hint: `Write --http 8931 as well, or leave --${wrong} out` });
  if (listen !== undefined && invocation.has('path'))
    throw usageError('--path is for stdio: over HTTP the client names it', {
      hint: 'Give clients the URL with that path',
    });
  const target = invocation.value('path') ?? '/mcp';
  const mark = target.indexOf('?');
  const names = invocation.value('names');
  const secretFile = invocation.value('secret-file');
  return {
    http: listen === undefined ? undefined : { ...readAddress(listen), ...readHttp(invocation) },
    path: mark === -1 ? target : target.slice(0, mark),
    query: mark === -1 ? '' : target.slice(mark + 1),
    level: (invocation.value('log-level') ?? 'warning') as LogLevel,
    ...(secretFile !== undefined && { secretFile }),
    ...(names !== undefined && { names: names as 'prefixed' | 'plain' }),
  };
}

function readHttp(invocation: Invocation): GatewayHttpOptions {
  const publicUrl = invocation.value('public-url');
  return {
    key: invocation.value('auth') === 'none' ? 'none' : 'kept',
    allowHosts: invocation.values('allow-host'),
    allowOrigins: invocation.values('allow-origin'),
    sse: invocation.has('sse'),
    ...(publicUrl !== undefined && { publicUrl }),
  };
}

/** `8931`, `127.0.0.1:8931`, `[::1]:8931`. */
function readAddress(text: string): { readonly address: string; readonly port: number } {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]:|([^:[\]]+):)?(\d{1,5})$/u.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535)
    throw usageError(`--http wants a port, and an address before it where that is meant; got ${text}`, {
      hint: 'Write --http 8931 or --http 127.0.0.1:8931',
    });
  const address = bracketed ?? plain ?? '127.0.0.1';
  // Before any server is started.
  if (isLoopbackAddress(address)) return { address, port };
  throw usageError(`${address} can be reached from other machines, and needs a sign-in that --auth does not have yet`, {
    hint: `Write --http ${port}, and let a proxy on this machine see to TLS and to who may come: --public-url tells its address`,
  });
}

const HTTP_FLAGS = ['auth', 'public-url', 'allow-host', 'allow-origin', 'sse'] as const;
