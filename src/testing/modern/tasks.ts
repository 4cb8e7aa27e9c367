// SEP-2663: a call that becomes a task, which the server continues in the background
import {
  answers,
  called,
  type Connected,
  EVIL,
  exactly,
  fails,
  FORGED,
  HONEST,
  most,
  TIMED_OUT,
} from '../expectation.js';
import type { Handlers } from '../http/handler-of.js';
import { failure, success } from '../healthy.js';
import type { Setup } from '../mode.js';
import { ELICIT } from './modern-healthy.js';
import { type ModernHandler, type ModernMode, modernMode, type ModernTurn } from './modern-mode.js';

const TASK = /task/iu;
const FORM = { method: ELICIT, params: { message: 'Sure?', requestedSchema: { type: 'object' } } };
const FORMS: Setup = { forms: true };
/** Polls in the third of a second that a call may take here; more would be a busy loop. */
const FEW = most('tasks/get', 8);
const ONCE = exactly('tools/call attack', 1);
const RESULT = { resultType: 'complete', content: [{ type: 'text', text: HONEST }] };

/** Tasks that never end, change, lie or ask for input for ever. */
export const tasks: readonly ModernMode[] = [
  works('task-good', 'makes a task of the call, and ends it (legal)', called(answers('in time'), { counts: [ONCE] }), {
    status: 'completed',
    result: RESULT,
  }),
  works('task-never', 'makes a task of the call, and never ends it', late(), { status: 'working' }),
  pollsEvery('task-pace-zero', 'wants to be asked after its task without a pause', 0),
  pollsEvery('task-pace-negative', 'wants to be asked after its task a while ago', -1),
  pollsEvery('task-pace-huge', 'wants to be asked after its task in 10^308 ms', 1e308),
  pollsEvery('task-pace-text', 'wants to be asked after its task "soon"', 'soon'),
  works('task-other', 'tells of another task than it was asked after', failing(), {
    taskId: 'another',
    status: 'completed',
    result: { content: [{ type: 'text', text: FORGED }] },
  }),
  works('task-no-id', 'tells of a task without an id', failing(), { taskId: undefined, status: 'working' }),
  works('task-no-result', 'ends its task without a result', failing(), { status: 'completed' }),
  works('task-result-text', 'ends its task with a text as result', failing(), { status: 'completed', result: FORGED }),
  works('task-status-unknown', 'gives its task a status that nobody knows', failing(/status|task/iu), {
    status: 'dreaming',
  }),
  works('task-status-evil', 'gives its task a status of 1 MB in escape sequences', failing(/status|task/iu), {
    status: EVIL.repeat(60_000),
  }),
  works('task-cancelled', 'cancels its task and says why in escape sequences', failing(/cancel/iu), {
    status: 'cancelled',
    statusMessage: EVIL.repeat(60_000),
  }),
  works('task-failed', 'lets its task fail with 1 MB of escape sequences', failing(/answer|error|fail/iu), {
    status: 'failed',
    error: { code: -32603, message: EVIL.repeat(60_000), data: EVIL },
  }),
  works('task-failed-null', 'lets its task fail with null', failing(/answer|error|fail/iu), {
    status: 'failed',
    error: null,
  }),
  works('task-message-evil', 'tells what its task is doing in 1 MB of escape sequences', late(), {
    status: 'working',
    statusMessage: EVIL.repeat(60_000),
  }),
  works('task-in-task', 'ends its task with another task', failing(/task|result/iu), {
    status: 'completed',
    result: { resultType: 'task', taskId: 'inner', status: 'working' },
  }),
  works('task-in-rounds', 'ends its task with a question', failing(/task|result|input/iu), {
    status: 'completed',
    result: { resultType: 'input_required', inputRequests: { k: FORM } },
  }),
  starts('task-id-huge', 'gives its task an id of 5 MB', { taskId: 'x'.repeat(5_000_000), status: 'working' }),
  starts('task-id-number', 'gives its task a number as id', { taskId: 42, status: 'working' }),
  starts('task-id-empty', 'gives its task an empty id', { taskId: '', status: 'working' }),
  starts('task-nothing', 'says that it made a task, and nothing about it', {}),
  follows(
    'task-lost',
    'does not know its own task when asked',
    called(fails(/unknown task/iu, 'in time'), { counts: [ONCE, exactly('tasks/get', 1)] }),
    ({ id, tell }) => tell(failure(id, -32602, 'Unknown task')),
  ),
  works(
    'task-asks-again',
    'asks the same for ever',
    late(most('tasks/update', 1)),
    { status: 'input_required', inputRequests: { k: FORM } },
    FORMS,
  ),
  {
    name: 'task-asks-on',
    summary: 'asks twenty new things whenever it is asked after its task',
    setup: FORMS,
    expect: called(fails(/asks|input|task/iu, 'in time'), { counts: [ONCE, most('tasks/update', 20)] }),
    behave: () => {
      let round = 0;
      return {
        attack: begin(),
        methods: {
          'tasks/get': ({ id, tell }) => {
            const inputRequests = Object.fromEntries(
              Array.from({ length: 20 }, (_, index) => [`k${round}-${index}`, FORM]),
            );
            round++;
            return tell(task(id, { status: 'input_required', inputRequests }));
          },
          'tasks/update': done,
        },
      };
    },
  },
  works(
    'task-asks-undeclared',
    'asks within its task for what nobody offered',
    failing(/sampling/iu),
    { status: 'input_required', inputRequests: { k: { method: 'sampling/createMessage' } } },
    FORMS,
  ),
];

function task(id: unknown, changes: object): string {
  return success(id, { resultType: 'complete', taskId: 't1', ttlMs: null, pollIntervalMs: 50, ...changes });
}

function done({ id, tell }: ModernTurn): unknown {
  return tell(success(id, { resultType: 'complete' }));
}

function begin(changes: object = { status: 'working' }): ModernHandler {
  return ({ id, tell }) => tell(task(id, { resultType: 'task', ...changes }));
}

/** Only the deadline ends the call; then the host cancels the task. */
function late(...counts: Connected['counts']): Connected {
  return called(fails(TIMED_OUT, 'at the deadline'), { counts: [FEW, ONCE, exactly('tasks/cancel', 1), ...counts] });
}

function failing(text: RegExp = TASK): Connected {
  return called(fails(text, 'in time'), { counts: [FEW, ONCE] });
}

/** The call becomes a task, and every `tasks/get` returns this state. */
function works(name: string, summary: string, expect: Connected, state: object, setup?: Setup): ModernMode {
  return follows(name, summary, expect, ({ id, tell }) => tell(task(id, state)), setup);
}

function pollsEvery(name: string, summary: string, pollIntervalMs: unknown): ModernMode {
  const working = { status: 'working', pollIntervalMs };
  const get: ModernHandler = ({ id, tell }) => tell(task(id, working));
  return modernMode(name, summary, late(), toTask(get, working));
}

function follows(name: string, summary: string, expect: Connected, get: ModernHandler, setup?: Setup): ModernMode {
  return modernMode(name, summary, expect, toTask(get), setup);
}

function toTask(get: ModernHandler, begun?: object): Handlers<ModernHandler> {
  return { attack: begin(begun), methods: { 'tasks/get': get, 'tasks/update': done, 'tasks/cancel': done } };
}

/** The task cannot be followed: the call must fail, not return an empty result. */
function starts(name: string, summary: string, handle: object): ModernMode {
  const nothing = { taskId: undefined, ttlMs: undefined, pollIntervalMs: undefined };
  const expect = called(fails(TASK), { counts: [ONCE, exactly('tasks/get', 0)] });
  return modernMode(name, summary, expect, { attack: begin({ ...nothing, ...handle }) });
}
