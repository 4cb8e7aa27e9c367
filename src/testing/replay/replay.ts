import { homedir } from 'node:os';
import { basename } from 'node:path';
import { isObject, parseJson, type JsonObject } from '../../base/json.js';
import { unreachable } from '../../base/never.js';
import { systemClock } from '../../edge/clock.js';
import { gateLine } from '../../model/text/text-gate.js';
import type { JsonRpcMessage } from '../../wire/message.js';
import { LineSplitter } from '../line-splitter.js';
import { chooseConversations, type RecordedConversation, type Recording } from './recording.js';
import {
  type ReplayedRequest,
  isRequestMessage,
  requestKey,
  Script,
  type ReplayStep,
  SUBSCRIPTION,
} from './replay-script.js';
import type { StdioStreams } from '../stdio-turn.js';
import { writeBytes } from '../write.js';

/** Which part of a recording to replay. */
export interface ReplayOptions {
  /** The recorded server to replay; may be absent when there is only one. */
  readonly server?: string | undefined;
}

/** The server's end of an in-process connection, as far as a replay uses it. */
export interface ReplayEnd {
  send(message: JsonRpcMessage): Promise<void>;
  close(): Promise<void>;
  onmessage?: ((message: JsonRpcMessage) => void) | undefined;
}

/**
 * The recorded server, in this process. It answers a request as it answered the recorded one: the next with the same
 * method and params, else the next with the same method and name. Other messages of the server come where they were
 * recorded, without pauses in between. A request that the recording does not have is answered with -32601.
 */
export function replayServer(
  recording: Recording,
  options: ReplayOptions = {},
): { connect(end: ReplayEnd): Promise<void> } {
  const conversations = chooseConversations(recording, options.server);
  return {
    connect(end) {
      const replay = new Replay(conversations, {
        name: basename(recording.path),
        say: (message) => void end.send(message as JsonRpcMessage),
        garble: (id) => void end.send({ jsonrpc: '2.0', id, result: null } as unknown as JsonRpcMessage),
        babble() {}, // an in-process connection has no stdout
        leave: () => void end.close(),
      });
      Object.assign(end, { onmessage: (message: unknown) => replay.take(message) });
      return Promise.resolve();
    },
  };
}

/** The recorded server, on stdio. Resolves with an exit code when the host closes stdin or the server has exited. */
export async function serveReplay(
  recording: Recording,
  streams: StdioStreams,
  options: ReplayOptions = {},
): Promise<number> {
  const { stdin, stdout, stderr } = streams;
  const conversations = chooseConversations(recording, options.server);
  let written: Promise<unknown> = Promise.resolve();
  const print = (line: string): void => void (written = written.then(() => writeBytes(stdout, `${line}\n`)));
  const code = await new Promise<number>((resolve) => {
    const replay = new Replay(conversations, {
      name: basename(recording.path),
      say: (message) => print(JSON.stringify(message)),
      garble: (id) => print(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`),
      babble: print,
      leave({ code: last, stderr: words }) {
        written = written.then(() => writeBytes(stderr, words));
        resolve(last);
      },
    });
    const lines = new LineSplitter((line) => replay.take(parseJson(line)));
    stdin.on('data', (chunk: Buffer) => lines.push(chunk));
    for (const stream of [stdin, stdout, stderr]) stream.on('error', () => resolve(0)); // the host is gone
    stdin.once('end', () => resolve(0));
  });
  await written;
  stdin.destroy();
  return code;
}

/** The channel from a replay to its host. */
interface Stage {
  /** The recording's file name, for errors. */
  readonly name: string;
  say(message: unknown): void;
  garble(id: unknown): void;
  babble(line: string): void;
  leave(last: { readonly code: number; readonly stderr: string }): void;
}

class Replay {
  readonly #conversations: readonly RecordedConversation[];
  readonly #stage: Stage;
  readonly #toKey = requestKey(homedir());
  /** Answers whose request is there, but which were recorded after a message that the host has not sent yet. */
  readonly #held = new Set<ReplayStep>();
  #script: Script | undefined;
  #timer: Disposable | undefined;
  #isOver = false;

  constructor(conversations: readonly RecordedConversation[], stage: Stage) {
    this.#conversations = conversations;
    this.#stage = stage;
  }

  take(message: unknown): void {
    if (this.#isOver || !isObject(message)) return;
    this.#timer?.[Symbol.dispose]();
    const script = this.#script ?? this.#begin(message);
    if (isRequestMessage(message)) this.#answer(message, script);
    else {
      const remark = script.hear(message);
      if (remark) remark.isReceived = true;
      this.#perform(remark?.steps ?? []);
    }
    if (this.#held.size > 0) this.#timer = systemClock.after(QUIET_MS, () => this.#release(script));
  }

  #begin(first: JsonObject): Script {
    this.#script = new Script(this.#choose(first), this.#toKey);
    this.#perform(this.#script.opening);
    return this.#script;
  }

  /** The recorded connection that began with the same request; else with the same method; else the first. */
  #choose(first: JsonObject): RecordedConversation {
    const openings = this.#conversations.map((conversation) => ({ conversation, request: firstRequest(conversation) }));
    const key = this.#toKey(first);
    const found =
      openings.find(({ request }) => request && this.#toKey(request) === key) ??
      openings.find(({ request }) => request?.['method'] === first['method']) ??
      openings[0];
    return found?.conversation ?? [];
  }

  #answer(request: JsonObject, script: Script): void {
    const call = script.match(request);
    if (!call) return this.#stage.say(unknownCall(request, this.#stage.name));
    const answers = call.steps.filter(({ isAnswer, calls }) => isAnswer && calls.includes(call));
    // A repeated request gets its answer again.
    if (call.live) for (const answer of answers) answer.isDone = false;
    script.cast(call, request);
    this.#perform(call.steps);
    for (const answer of answers) if (!answer.isDone && isWaivable(answer)) this.#held.add(answer);
    return undefined;
  }

  /** Performs the steps that are due, in recorded order. */
  #perform(steps: readonly ReplayStep[], isWaived = false): void {
    for (const step of steps) {
      if (this.#isOver) return;
      if (step.isDone || !isPrepared(step) || !(isCueGiven(step) || (isWaived && isWaivable(step)))) continue;
      step.isDone = true;
      this.#held.delete(step);
      this.#act(step);
    }
  }

  /** The host is quiet and will not send the message that held answers wait for: they are sent now. */
  #release(script: Script): void {
    for (const step of [...this.#held].toSorted((a, b) => a.at - b.at)) {
      this.#perform(script.steps.slice(Math.max(...step.calls.map(({ at }) => at)), step.at + 1), true);
    }
  }

  #act({ act, calls }: ReplayStep): void {
    switch (act.kind) {
      case 'say':
        return this.#say(act.message, calls[0]);
      case 'garble':
        return this.#stage.garble(calls[0]!.live!.id);
      case 'babble':
        return this.#stage.babble(act.line);
      case 'leave':
        this.#isOver = true;
        return this.#stage.leave(act);
      default:
        return unreachable(act);
    }
  }

  #say(message: unknown, call: ReplayedRequest | undefined): void {
    const translated = Array.isArray(message)
      ? message.map((part: unknown) => translate(part, isObject(part) ? this.#script?.callOf(part) : undefined))
      : translate(message, call);
    if (translated !== undefined) this.#stage.say(translated);
  }
}

/** Replaces recorded ids by current ones. undefined: progress that the current host has not asked for. */
function translate(message: unknown, call: ReplayedRequest | undefined): unknown {
  if (!isObject(message) || !call?.live) return message;
  const { id, token } = call.live;
  const { method, params } = message;
  if (method === undefined) return { ...message, id: typeof message['id'] === 'string' ? String(id) : id };
  const known = params as JsonObject;
  if (method === 'notifications/progress') {
    return token === undefined ? undefined : { ...message, params: { ...known, progressToken: token } };
  }
  return { ...message, params: { ...known, _meta: { ...(known['_meta'] as JsonObject), [SUBSCRIPTION]: id } } };
}

const QUIET_MS = 100; // a host that has more to send at once has sent it by then
const METHOD_NOT_FOUND = -32601;

function isPrepared({ calls, cancels }: ReplayStep): boolean {
  return calls.every(({ live }) => live) && cancels.every(({ isReceived }) => isReceived);
}

function isCueGiven({ cue }: ReplayStep): boolean {
  if (!cue) return true;
  return cue.kind === 'call' ? cue.live !== undefined : cue.isReceived;
}

/** A step may come without its cue, unless that is a response to the server's request: a person may take long. */
function isWaivable({ cue }: ReplayStep): boolean {
  return cue?.kind === 'call' || cue?.kind === 'note';
}

function firstRequest(conversation: RecordedConversation): JsonObject | undefined {
  for (const event of conversation) {
    if (event.from === 'host' && isObject(event.message) && isRequestMessage(event.message)) return event.message;
  }
  return undefined;
}

function unknownCall({ id, method, params }: JsonObject, recording: string): object {
  const name = isObject(params) && typeof params['name'] === 'string' ? ` ${params['name']}` : '';
  const { text } = gateLine(`The recording ${recording} has no such call: ${String(method)}${name}`, { limit: 300 });
  return { jsonrpc: '2.0', id, error: { code: METHOD_NOT_FOUND, message: text } };
}
