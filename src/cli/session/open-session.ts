import type { HostOptions } from '../../index.js';
import { HostError } from '../../base/errors.js';
import { within } from '../../base/within.js';
import { hostOpener, openPage, ruleFile as ruleFileOf } from '../../actions/open-host.js';
import { type ChosenModel, Session } from '../../session/index.js';
import { describedAgents } from '../input/described-agents.js';
import { ElicitationDialogs } from '../dialogs/elicitation-dialogs.js';
import { homePath } from '../output/home-path.js';
import type { Io } from '../io.js';
import { toMs } from '../output/milliseconds.js';
import { openRunControl } from '../start/run-control.js';
import { environmentOf } from '../surroundings.js';
import { showLine } from '../../model/show.js';
import { dialogIo, openScreenDialog } from '../terminal/dialog-io.js';
import type { DialogQueue } from './asking.js';
import type { BannerModel } from './display/banner.js';
import { chooseSessionModel } from './choose-model.js';
import type { CommandContext } from './command.js';
import { failureRows } from './failure.js';
import { keepHttpParserSmall } from '../http-parser.js';
import { askPermission } from './permission-dialog.js';
import { ServerNews } from './display/server-news.js';
import type { SessionContext } from './session-context.js';
import { sayToModel } from './say-to-model.js';
import type { SessionParts } from './session-parts.js';
import type { TurnDisplay } from './display/turn-display.js';
import type { KeptSession } from './resume/open-kept-session.js';
import { openNewSession } from './resume/kept-in-terminal.js';

export interface OpenInteractiveOptions extends SessionParts {
  readonly asking: DialogQueue;
  readonly stage: TurnDisplay;
  readonly choosing: Promise<ChosenModel>;
  /** As known when the first prompt was drawn. */
  readonly choice: BannerModel;
  /** Stops what is under way. */
  readonly stop: () => void;
  /** Has this session follow when the current one has ended. */
  readonly resumeNext: (kept: KeptSession) => void;
}

/** What is loaded after the first prompt is drawn: the host, the session and the news of servers. */
export interface OpenedSession extends AsyncDisposable {
  readonly context: SessionContext;
  readonly news: ServerNews;
  /** Resolves to the text if it could not be sent. Never rejects. */
  readonly say: (text: string, context: CommandContext) => Promise<string | undefined>;
}

export async function openInteractive(options: OpenInteractiveOptions): Promise<OpenedSession> {
  const { invocation, loaded, flags, screen, asking, stage, choice, choosing } = options;
  keepHttpParserSmall();
  const { stdin, stdout, stderr } = dialogIo(options.io, screen);
  // Not a copy, which would evaluate every getter.
  const io = Object.assign(Object.create(options.io) as Io, { stdin, stdout, stderr });
  const recording = await options.io.openRecording?.();
  const notes: string[] = [];
  const control = await openRunControl(invocation, options.io, notes);
  const { context: config } = loaded;
  const { agents, faults } = describedAgents(loaded.settings.agents, flags.agents);
  for (const fault of faults) screen.print(screen.style.yellow(showLine(`settings: ${fault}`)));
  const kept = options.kept ?? (await openNewSession(options));
  const open = await hostOpener(loaded);
  const session = new Session({
    ...kept?.options,
    openHost: (more) =>
      open(
        {
          ...more,
          watch: true,
          ports: { ...portsOf(options, io), ...more.ports },
          ...(io.embedded && { embedded: io.embedded }),
        },
        {
          control: control.channel,
          tap: recording && ((server, pipe) => recording.tap(server, pipe)),
          timeoutMs: toMs(invocation.value('timeout')),
          listTimeoutMs: toMs(invocation.value('timeout')),
        },
      ),
    ...(choice.kind === 'model' && { model: choice.model }),
    lendsModel: choice.kind !== 'none',
    agents,
    instructions: flags.systemPrompt,
    surroundings: environmentOf(config, io, flags),
    maxTurns: flags.maxTurns,
    onEvent: (event) => stage.event(event),
  });
  const { host } = session;
  const news = new ServerNews({ host, screen, mayWrite: () => !stage.isBusy && !asking.isOpen });
  let noModelError = choice.kind === 'none' ? choice.error : undefined;
  const context: SessionContext = {
    screen: stage.screen,
    io,
    invocation,
    session,
    config,
    asking,
    agents,
    async chooseModel(name) {
      const chosen = await chooseSessionModel(options, name);
      if (chosen.kind === 'none') throw chosen.error;
      return chosen.model;
    },
    settings: { isVerbose: invocation.has('verbose') },
    kept,
    resumeNext: options.resumeNext,
  };
  const tellModel = (chosen: ChosenModel): void => {
    if (chosen.kind === 'model' && !session.model) session.useModel(chosen.model);
    if (chosen.kind === 'none') noModelError = chosen.error;
    screen.print(
      chosen.kind === 'none'
        ? failureRows(chosen.error, screen).join('\n')
        : screen.style.dim(showLine(`The model is ${chosen.model.name} (${chosen.model.provider})`)),
    );
  };
  if (choice.kind === 'asking') void choosing.then(tellModel);
  return {
    context,
    news,
    async say(text, command) {
      if (!session.model && !noModelError) await within(choosing, { signal: command.signal, instead: () => undefined });
      return sayToModel(text, { context: command, stage, lack: noModelError ?? NO_MODEL });
    },
    async [Symbol.asyncDispose]() {
      news[Symbol.dispose]();
      const count = host.servers().filter(({ status }) => status === 'connected').length;
      const slow = setTimeout(
        () => screen.print(screen.style.dim(`Closing ${count === 1 ? '1 server' : `${count} servers`} …`)),
        SLOW_MS,
      );
      await session[Symbol.asyncDispose]();
      await kept?.[Symbol.asyncDispose]();
      await control[Symbol.asyncDispose]();
      clearTimeout(slow);
    },
  };
}

const SLOW_MS = 1_000;
const NO_MODEL = new HostError('no-model', 'No model is configured', { hint: '/model NAME chooses one' });

/** Permission questions and elicitations share one queue. */
function portsOf(
  { asking, screen, loaded, stop }: OpenInteractiveOptions,
  io: OpenInteractiveOptions['io'],
): NonNullable<HostOptions['ports']> {
  const delegate = new ElicitationDialogs({
    io,
    notes: [],
    mayAsk: true,
    open: (url) => openPage(loaded, url),
    openDialog: () => openScreenDialog(io, screen),
  });
  return {
    ask: (question, signal) =>
      asking
        .enqueue(async () => {
          const file = await ruleFileOf(loaded, question);
          // With `~`, as the user would write it.
          const ruleFile = file && homePath(file, loaded.context.env);
          return askPermission(question, { screen, signal, ruleFile, onLeave: stop });
        }, signal)
        .catch(() => ({ kind: 'deny' }) as const), // the caller has stopped waiting
    elicit: (question, signal, agreed) =>
      asking
        .enqueue(() => delegate.elicit(question, signal, agreed), signal)
        .catch(() => ({ action: 'cancel' }) as const),
    takesSecrets: true,
  };
}
