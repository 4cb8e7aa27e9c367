import { hostOpener } from '../../actions/open-host.js';
import type { LoadedConfig } from '../../actions/action-place.js';
import type { CallResult, Host, Ports } from '../../index.js';
import { gateText } from '../../model/text/text-gate.js';
import { showLine } from '../../model/show.js';
import { type ModelPort, Session, type SessionEvent } from '../../session/index.js';
import { exitCodes, type Io } from '../io.js';
import { keepHttpParserSmall } from '../http-parser.js';
import { loadToStart } from '../start/load-to-start.js';
import type { Invocation } from '../input/arguments.js';
import type { Outcome } from '../verb.js';
import { DemoAnswers } from './demo-answers.js';
import { type DemoStep, demoSteps } from './demo-steps.js';
import { introOf } from './run-demo.js';
import { ScriptedModel } from './scripted-model.js';

export interface DemoRun {
  readonly invocation: Invocation;
  readonly io: Io;
  readonly model: ModelPort;
}

/** One step as it went. */
interface PlayedStep {
  readonly name: string;
  readonly said: string;
  answer: string;
  readonly asked: { readonly question: string; readonly answer: string }[];
  readonly calls: { readonly name: string; readonly outcome: string; readonly attempts: number; readonly ms: number }[];
  /** States of servers that changed meanwhile. */
  readonly servers: string[];
}

/** Plays all steps without a user: as text while they run, or as one envelope. The questions are answered here. */
export async function playDemo({ invocation, io, model }: DemoRun): Promise<Outcome> {
  const isText = !invocation.has('json');
  const print = (line: string): void => void (isText && io.stdout.write(`${line}\n`));
  keepHttpParserSmall();
  const loaded = await loadToStart(invocation, io);
  const signal = io.interrupted ?? new AbortController().signal;
  const played: PlayedStep[] = [];
  const answers = new DemoAnswers((question, answer) => {
    played.at(-1)?.asked.push({ question, answer });
    print(`   ? ${question}`);
    print(`     The demo answers: ${answer}`);
  });
  const onEvent = (event: SessionEvent): void => tell(event, played.at(-1), print);
  await using session = await openSession({ loaded, io, model, ports: answers.ports, onEvent });
  const { host } = session;
  for (const line of introOf(model)) print(line);
  await host.settled();
  using _ = host.on('server', ({ name, after, reason }) => {
    const line = showLine(`${name} is ${after}: ${reason}`);
    played.at(-1)?.servers.push(line);
    print(`   ! ${line}`);
  });
  for (const [index, step] of demoSteps.entries()) {
    if (signal.aborted) break;
    print(`\n${index + 1}. ${step.name}\n   You: ${step.say}`);
    const now: PlayedStep = { name: step.name, said: step.say, answer: '', asked: [], calls: [], servers: [] };
    played.push(now);
    const said = await session.say(step.say, { signal });
    now.answer = said.kind === 'sent' ? said.end.text : '';
    if (said.kind === 'not-sent') print(`   ${showLine(said.error.message)}`);
  }
  const isWhole = played.length === demoSteps.length && played.every((one, at) => isShown(one, demoSteps[at]!));
  const isScripted = model instanceof ScriptedModel;
  const failed = isWhole || !isScripted ? exitCodes.done : exitCodes.failed;
  const data = { model: { name: model.name, isScripted }, servers: toStates(host), steps: played };
  return { data, text: '', isStreamed: isText, exitCode: signal.aborted ? exitCodes.interrupted : failed };
}

interface SessionToOpen extends Pick<DemoRun, 'io' | 'model'> {
  readonly loaded: LoadedConfig;
  readonly ports: Partial<Ports>;
  readonly onEvent: (event: SessionEvent) => void;
}

async function openSession({ loaded, io, model, ports, onEvent }: SessionToOpen): Promise<Session> {
  const open = await hostOpener(loaded);
  const own = { watch: false, ...(io.embedded && { embedded: io.embedded }) };
  return new Session({
    openHost: (more) => open({ ...more, ...own, ports: { ...ports, ...more.ports } }),
    model,
    onEvent,
  });
}

function tell(event: SessionEvent, step: PlayedStep | undefined, print: (line: string) => void): void {
  if (event.kind === 'message') {
    const text = event.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
    for (const line of gateText(text).text.split('\n')) if (line !== '') print(`   Model: ${line}`);
  }
  if (event.kind === 'call') print(`   -> ${showLine(`${event.name} ${JSON.stringify(event.input)}`)}`);
  if (event.kind !== 'result') return;
  const { name, outcome, attempts, ms } = event.result;
  step?.calls.push({ name, outcome, attempts, ms: Math.round(ms) });
  for (const line of resultLines(event.result)) print(`   <- ${line}`);
}

function resultLines({ outcome, attempts, content, saved, error }: CallResult): readonly string[] {
  const texts = content.map((block) => (block.type === 'text' ? block.text : block.type));
  const [first = '', ...rest] = (error ? error.message : texts.join('\n')).split('\n');
  const shown = [first, ...rest].slice(0, LINES);
  const more = rest.length + 1 - shown.length;
  return [
    ...(attempts > 1 ? [`${outcome}, sent ${attempts} times`] : []),
    ...shown.map((line) => showLine(line.length > LINE ? `${line.slice(0, LINE)}…` : line)),
    ...(more > 0 ? [`… ${more} more lines`] : []),
    ...saved.map(({ bytes }) => `all ${bytes} bytes are saved to a file`),
  ];
}

const LINES = 4;
const LINE = 200; // characters

/** Whether a step showed what it is for. */
function isShown({ calls }: PlayedStep, { call }: DemoStep): boolean {
  return calls.some(({ name, outcome }) => name === call.name && outcome === 'ok');
}

function toStates(host: Host): readonly object[] {
  return host.servers().map(({ name, transport, status, tools }) => ({ name, transport, status, tools }));
}
