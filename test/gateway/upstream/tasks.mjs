import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { inputRequired, ProtocolError } from '@modelcontextprotocol/server';
import { acceptedField, form } from './questions.mjs';

const EXTENSION = 'io.modelcontextprotocol/tasks';
const RELATED = 'io.modelcontextprotocol/related-task';
const TTL_MS = 300_000;
const POLL_MS = 50;
const INVALID_PARAMS = -32602;
const METHOD_NOT_FOUND = -32601;
const INTERNAL = -32603;
const MISSING_CAPABILITY = -32021;
const none = { type: 'object', properties: {} };
const said = (text) => ({ content: [{ type: 'text', text }] });

/** Tasks of both eras: the extension of 2026-07-28, and what was a part of the protocol in 2025-11-25. */
export class Tasks {
  capability = { [EXTENSION]: {} };
  #tasks = new Map();
  #era;

  constructor({ era }) {
    this.#era = era;
  }

  get tools() {
    return jobs.map((job) => ({
      ...job.definition,
      ...(this.#era === 'legacy' && job.work && { execution: { taskSupport: 'required' } }),
      run: (input, turn, params) => this.#run({ job, input, turn, params }),
    }));
  }

  /** The methods of the era. */
  get handlers() {
    if (this.#era === 'legacy') {
      return {
        'tasks/get': ({ taskId }) => toLegacy(this.#find(taskId)),
        'tasks/result': ({ taskId }, { context }) => this.#result(this.#find(taskId), context.mcpReq),
        'tasks/cancel': ({ taskId }) => toLegacy(this.#cancel(taskId)),
      };
    }
    return {
      'tasks/get': gated(({ taskId }) => toDetailed(this.#find(taskId))),
      'tasks/update': gated(({ taskId }, { context }) => {
        const task = this.#find(taskId);
        // The SDK takes the answers out of the parameters of whatever request has them.
        for (const [key, response] of Object.entries(context.mcpReq.inputResponses ?? {})) task.answer(key, response);
        return {};
      }),
      'tasks/cancel': gated(({ taskId }) => {
        this.#cancel(taskId);
        return {};
      }),
    };
  }

  async #run({ job, input, turn, params }) {
    const { work, before, isOptional, definition } = job;
    if (work === undefined) return said(`Hello, ${input.name}!`);
    const isWanted = this.#era === 'legacy' ? params.task !== undefined : turn.declared.extensions?.[EXTENSION];
    if (!isWanted) {
      if (this.#era === 'legacy') throw new ProtocolError(METHOD_NOT_FOUND, `${definition.name} runs only as a task`);
      if (!isOptional) demandTasks(turn.declared);
      return work(input, new Task());
    }
    const asked = before?.(turn);
    if (asked?.question !== undefined) return asked.question;
    const task = new Task();
    this.#tasks.set(task.id, task);
    void task.run(() => work({ ...input, ...asked }, task));
    // The SDK's second generation takes a task for a result of its tools only where there is content as well.
    if (this.#era === 'legacy') return { task: toLegacy(task), content: [] };
    return { resultType: 'task', ...toModern(task) };
  }

  /** Waits until the task is over; what it asks meanwhile is asked on the stream of this request. */
  async #result(task, mcpReq) {
    const related = { [RELATED]: { taskId: task.id } };
    for (;;) {
      for (const [key, { method, params }] of task.takeUnasked()) {
        const request = { method, params: { ...params, _meta: related } };
        void mcpReq.send(request).then(
          (response) => task.answer(key, response),
          () => task.cancel(),
        );
      }
      if (task.isOver) break;
      await task.changed();
    }
    if (task.error !== undefined) throw new ProtocolError(task.error.code, task.error.message);
    if (task.result === undefined) throw new ProtocolError(INVALID_PARAMS, `The task ${task.id} was cancelled`);
    return { ...task.result, _meta: related };
  }

  #find(id) {
    const task = this.#tasks.get(id);
    if (task === undefined) throw new ProtocolError(INVALID_PARAMS, `There is no task ${id}`);
    return task;
  }

  #cancel(id) {
    const task = this.#find(id);
    task.cancel();
    return task;
  }
}

/** One run of a job. */
class Task {
  id = randomUUID();
  status = 'working';
  statusMessage = 'At work';
  createdAt = new Date().toISOString();
  lastUpdatedAt = this.createdAt;
  result;
  error;
  /** What waits for an answer of the client, by key. */
  questions = new Map();
  #unasked = new Map();
  #answers = new Map();
  #abort = new AbortController();
  #changed = deferred();

  get signal() {
    return this.#abort.signal;
  }

  get isOver() {
    return this.status === 'completed' || this.status === 'failed' || this.status === 'cancelled';
  }

  changed() {
    return this.#changed.promise;
  }

  async run(job) {
    try {
      const result = await job();
      this.#end('completed', () => (this.result = result));
    } catch ({ code = INTERNAL, message }) {
      this.#end('failed', () => (this.error = { code, message }));
    }
  }

  ask(key, request) {
    this.questions.set(key, request);
    this.#unasked.set(key, request);
    this.#become('input_required');
    return new Promise((resolve) => this.#answers.set(key, resolve));
  }

  takeUnasked() {
    const unasked = [...this.#unasked];
    this.#unasked.clear();
    return unasked;
  }

  /** An answer to nothing is ignored. */
  answer(key, response) {
    if (!this.questions.delete(key)) return;
    this.#answers.get(key)(response);
    this.#become(this.questions.size === 0 ? 'working' : 'input_required');
  }

  cancel() {
    this.#end('cancelled', () => this.#abort.abort());
  }

  #end(status, how) {
    if (this.isOver) return;
    this.questions.clear();
    this.#unasked.clear();
    how();
    this.#become(status);
  }

  #become(status) {
    if (this.isOver) return;
    this.status = status;
    this.statusMessage = { input_required: 'Waits for an answer', working: 'At work' }[status] ?? 'Over';
    this.lastUpdatedAt = new Date().toISOString();
    const changed = this.#changed;
    this.#changed = deferred();
    changed.resolve();
  }
}

function deferred() {
  const made = {};
  made.promise = new Promise((resolve) => (made.resolve = resolve));
  return made;
}

function gated(handler) {
  return (params, turn) => {
    demandTasks(turn.declared);
    return handler(params, turn);
  };
}

function demandTasks({ extensions = {} }) {
  if (extensions[EXTENSION] !== undefined) return;
  const data = { requiredCapabilities: { extensions: { [EXTENSION]: {} } } };
  throw new ProtocolError(MISSING_CAPABILITY, 'The client does not declare tasks', data);
}

function common({ id: taskId, status, statusMessage, createdAt, lastUpdatedAt }) {
  return { taskId, status, statusMessage, createdAt, lastUpdatedAt };
}

const toLegacy = (task) => ({ ...common(task), ttl: TTL_MS, pollInterval: POLL_MS });
const toModern = (task) => ({ ...common(task), ttlMs: TTL_MS, pollIntervalMs: POLL_MS });

function toDetailed(task) {
  return {
    ...toModern(task),
    ...(task.status === 'completed' && { result: { ...task.result, resultType: 'complete' } }),
    ...(task.status === 'failed' && { error: task.error }),
    ...(task.status === 'input_required' && { inputRequests: Object.fromEntries(task.questions) }),
  };
}

const confirm = (message) => form(message, { confirm: { type: 'boolean' } });

const jobs = [
  {
    definition: {
      name: 'greet',
      description: 'Greets, at once',
      inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    },
  },
  {
    definition: {
      name: 'slow_compute',
      description: 'Takes its time',
      inputSchema: { type: 'object', properties: { seconds: { type: 'number' }, label: { type: 'string' } } },
    },
    isOptional: true,
    async work({ seconds = 0, label = '' }, { signal }) {
      await pause(seconds * 1_000, undefined, { signal, ref: false });
      return said(`${label} took ${seconds} s`);
    },
  },
  {
    definition: { name: 'failing_job', description: 'Ends with an error of the tool', inputSchema: none },
    work: () => ({ ...said('The job has failed, on purpose.'), isError: true }),
  },
  {
    definition: { name: 'protocol_error_job', description: 'Ends with an error of the protocol', inputSchema: none },
    isOptional: true,
    work() {
      throw new ProtocolError(INTERNAL, 'The job broke, on purpose.');
    },
  },
  {
    definition: {
      name: 'confirm_delete',
      description: 'Asks before it deletes',
      inputSchema: { type: 'object', properties: { filename: { type: 'string' } } },
    },
    async work({ filename }, task) {
      const { content } = await task.ask('confirm', confirm(`Delete ${filename}?`));
      return said(`${filename} ${content?.confirm ? 'is deleted' : 'stays'}`);
    },
  },
  {
    definition: { name: 'multi_input', description: 'Asks two things at once', inputSchema: none },
    async work(_, task) {
      const answers = await Promise.all([
        task.ask('first', confirm('The first?')),
        task.ask('second', confirm('The second?')),
      ]);
      return said(JSON.stringify(answers.map(({ content }) => content)));
    },
  },
  {
    definition: {
      name: 'test_tool_with_task',
      description: 'Asks first, and is a task from then on',
      inputSchema: none,
    },
    before({ context: { mcpReq } }) {
      const userName = acceptedField(mcpReq, 'user_name', 'name');
      if (userName !== undefined) return { userName };
      const question = form('What is your name?', { name: { type: 'string' } });
      return { question: inputRequired({ inputRequests: { user_name: question } }) };
    },
    work: ({ userName }) => said(`Hello, ${userName}!`),
  },
];
