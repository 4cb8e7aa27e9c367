import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import { systemClock } from '../src/edge/clock.js';
import { ControlChannel, type ControlChannelOptions } from '../src/transports/in-process/control-channel.js';
import { openSdkPipe } from '../src/transports/in-process/sdk-pipe.js';
import { Peer, type PeerOptions } from '../src/wire/peer.js';
import { type ControlRequest, Embedder } from './embedder.js';

export interface ControlScene {
  readonly channel: ControlChannel;
  readonly embedder: Embedder;
  /** The host's ends of the two streams. */
  readonly input: PassThrough;
  readonly output: PassThrough;
  readonly notes: string[];
  readonly peer: (name: string, options?: Partial<PeerOptions>) => Peer;
}

/** A host's control channel and the program that embeds the host, connected by two streams. */
export function controlScene(options: Partial<ControlChannelOptions> = {}): ControlScene {
  const input = new PassThrough();
  const output = new PassThrough({ highWaterMark: 64_000 });
  const notes: string[] = [];
  const channel = new ControlChannel({
    open: () => ({ input, output }),
    clock: systemClock,
    onWarning: (line) => void notes.push(line),
    ...options,
  });
  onTestFinished(async () => channel[Symbol.asyncDispose]());
  const embedder = new Embedder({ input: output, output: input });
  const peer: ControlScene['peer'] = (name, more) =>
    new Peer(openSdkPipe(name, channel), { name, clock: systemClock, ...more });
  return { channel, embedder, input, output, notes, peer };
}

/** A response to that request. */
export function result({ request }: ControlRequest, value: object = {}): object {
  return { jsonrpc: '2.0', id: request.message['id'], result: value };
}
