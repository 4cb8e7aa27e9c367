import { deniedCodes, timeoutCodes } from './error-groups.js';

/** The part of an emitted program that is the same for every server. No text of a server is ever put into it. */
export const PROGRAM_TEXT = String.raw`const EXIT = { done: 0, failed: 1, usage: 2, signIn: 4, denied: 5, timedOut: 124, interrupted: 130 };
const DENIED = [
${deniedCodes.map((code) => `  '${code}',`).join('\n')}
];
const TIMED_OUT = [${timeoutCodes.map((code) => `'${code}'`).join(', ')}];

/**
 * @param {string[]} argv
 * @returns {Promise<number>}
 */
async function main(argv) {
  const asJson = argv.includes('--json');
  try {
    const [word, ...rest] = argv;
    if (word === undefined || word === '--help' || word === '-h' || word === 'help') {
      process.stdout.write(programHelp());
      return word === undefined ? EXIT.usage : EXIT.done;
    }
    const command = COMMANDS.find((one) => one.command === word) ?? COMMANDS.find((one) => one.tool === word);
    if (!command) throw new UsageError("unknown command '" + word + "'", '--help lists the commands');
    return await runCommand(command, rest);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return fail({ code: 'usage', message: error.message, hint: error.hint }, asJson);
  }
}

class UsageError extends Error {
  /**
   * @param {string} message
   * @param {string} hint
   */
  constructor(message, hint) {
    super(message);
    this.hint = hint;
  }
}

/**
 * @param {Command} command
 * @param {string[]} args
 * @returns {Promise<number>}
 */
async function runCommand(command, args) {
  const values = readFlags(command, args);
  if (values.has('help')) {
    process.stdout.write(commandHelp(command));
    return EXIT.done;
  }
  const asJson = values.has('json');
  const input = readInput(command, values);
  const timeoutMs = readTimeout(values.get('timeout')?.at(-1));
  const cwd = values.get('cwd')?.at(-1);
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  /** @type {Host} */
  let host;
  try {
    host = await Host.open({ ...OPTIONS, watch: false, ...(cwd === undefined ? {} : { cwd }) });
  } catch (error) {
    const { code = 'internal', message, hint } = /** @type {{ code?: string, message: string, hint?: string }} */ (error);
    return fail({ code, message, hint }, asJson);
  }
  try {
    const known = host.tools().find((one) => one.server === SERVER && one.tool === command.tool);
    // What goes to a file or to another program is complete; a screen gets what is readable.
    const isWhole = values.has('full') || (!asJson && process.stdout.isTTY !== true);
    const result = await host.call({
      name: known?.name ?? command.name,
      input,
      isTyped: true,
      isForced: values.has('force'),
      shape: isWhole ? 'raw' : 'model',
      signal: stop.signal,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
    return report(result, asJson);
  } finally {
    await host.close();
  }
}

/**
 * @param {Command} command
 * @param {string[]} args
 * @returns {Map<string, string[]>}
 */
function readFlags(command, args) {
  /** @type {Record<string, { type: 'string' | 'boolean', multiple: true, short?: string }>} */
  const options = {
    help: { type: 'boolean', multiple: true, short: 'h' },
    json: { type: 'boolean', multiple: true },
    full: { type: 'boolean', multiple: true },
    force: { type: 'boolean', multiple: true },
    args: { type: 'string', multiple: true },
    timeout: { type: 'string', multiple: true },
    cwd: { type: 'string', multiple: true },
  };
  for (const { flag, off, kind } of command.flags) {
    options[flag] = { type: kind === 'boolean' ? 'boolean' : 'string', multiple: true };
    if (off !== '') options[off] = { type: 'boolean', multiple: true };
  }
  try {
    const { values } = parseArgs({ args, options, strict: true, allowPositionals: false });
    return new Map(Object.entries(values).map(([flag, given]) => [flag, [given].flat().map(String)]));
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : '').split('\n');
    throw new UsageError(line, command.command + ' --help lists the flags');
  }
}

/**
 * @param {Command} command
 * @param {Map<string, string[]>} values
 * @returns {{ [name: string]: unknown }}
 */
function readInput(command, values) {
  const text = values.get('args')?.at(-1);
  const whole = text === undefined ? {} : readJson('args', text);
  if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) {
    throw new UsageError('--args must be a JSON object', 'Write --args \'{"name": "value"}\'');
  }
  /** @type {Map<string, unknown>} */
  const input = new Map(Object.entries(whole));
  for (const one of command.flags) {
    const given = values.get(one.flag);
    if (given) input.set(one.name, readValue(one, given));
    if (one.off !== '' && values.has(one.off)) input.set(one.name, false);
    if (one.isRequired && !input.has(one.name)) {
      throw new UsageError('--' + one.flag + ' is missing', command.command + ' --help lists the flags');
    }
  }
  return Object.fromEntries(input);
}

/**
 * @param {Flag} flag
 * @param {string[]} given
 * @returns {unknown}
 */
function readValue({ flag, kind, choices }, given) {
  const text = given.at(-1) ?? '';
  switch (kind) {
    case 'boolean':
      return true;
    case 'number':
      return readNumber(flag, text);
    case 'numbers':
      return given.map((one) => readNumber(flag, one));
    case 'texts':
      return given;
    case 'json':
      return readJson(flag, text);
    case 'any':
      try {
        return JSON.parse(text);
      } catch {
        return text;
      }
    default:
      if (choices.length === 0 || choices.includes(text)) return text;
      throw new UsageError('--' + flag + ' must be one of: ' + choices.join(', '), 'got ' + text);
  }
}

/**
 * @param {string} flag
 * @param {string} text
 * @returns {number}
 */
function readNumber(flag, text) {
  if (text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  throw new UsageError('--' + flag + ' must be a number', 'got ' + text);
}

/**
 * @param {string} flag
 * @param {string} text
 * @returns {unknown}
 */
function readJson(flag, text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError('--' + flag + ' must be JSON', 'got ' + text);
  }
}

/**
 * @param {string | undefined} text
 * @returns {number | undefined}
 */
function readTimeout(text) {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new UsageError('--timeout must be a number of milliseconds', 'got ' + text);
}

/**
 * @param {import('plugboard').CallResult} result
 * @param {boolean} asJson
 * @returns {number}
 */
function report(result, asJson) {
  const { error, outcome, content, structuredContent, saved, notes, ms, attempts, name } = result;
  if (error && attempts === 0) return fail({ code: error.code, message: error.message, hint: error.hint }, asJson);
  if (asJson) {
    const told = error && { code: error.code, message: error.message, hint: error.hint };
    const data = { name, outcome, content, structuredContent, error: told, saved: saved.length > 0 ? saved : undefined, ms, attempts };
    process.stdout.write(JSON.stringify({ ok: true, data }) + '\n');
  } else {
    const texts = content.map((block) => (typeof block['text'] === 'string' ? block['text'] : '[' + String(block['type']) + ']'));
    if (texts.length === 0 && structuredContent !== undefined) texts.push(JSON.stringify(structuredContent, undefined, 2));
    if (!error && texts.length > 0) process.stdout.write(clean(texts.join('\n')) + '\n');
    for (const note of notes) process.stderr.write('note: ' + clean(note) + '\n');
    for (const { path, bytes } of saved) process.stderr.write('saved ' + bytes + ' bytes to ' + path + '\n');
    if (error) return fail({ code: error.code, message: error.message, hint: error.hint }, false);
  }
  if (outcome === 'ok') return EXIT.done;
  return error ? exitCode(error.code) : EXIT.failed;
}

/**
 * @param {{ code: string, message: string, hint: string | undefined }} error
 * @param {boolean} asJson
 * @returns {number}
 */
function fail({ code, message, hint = '' }, asJson) {
  if (asJson) process.stdout.write(JSON.stringify({ ok: false, error: { code, message, hint } }) + '\n');
  else process.stderr.write('error: ' + clean(message) + '\n' + (hint === '' ? '' : '  → ' + clean(hint) + '\n'));
  return exitCode(code);
}

/**
 * @param {string} code
 * @returns {number}
 */
function exitCode(code) {
  if (code === 'usage' || code === 'bad-input') return EXIT.usage;
  if (code === 'unauthorized') return EXIT.signIn;
  if (DENIED.includes(code)) return EXIT.denied;
  if (TIMED_OUT.includes(code)) return EXIT.timedOut;
  return code === 'cancelled' ? EXIT.interrupted : EXIT.failed;
}

/**
 * Text without characters that a terminal would obey.
 * @param {string} text
 * @returns {string}
 */
function clean(text) {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu, '');
}

/** @returns {string} */
function programHelp() {
  const width = Math.max(0, ...COMMANDS.map(({ command }) => command.length));
  const lines = COMMANDS.map(({ command, tool, about }) => {
    const words = [...(isNumbered(command, tool) ? ['(' + quoted(tool) + ')'] : []), ...(about === '' ? [] : [about])];
    return ('  ' + command.padEnd(width) + '  ' + words.join(' ')).trimEnd();
  });
  return ['Calls the tools of the MCP server ' + clean(SERVER) + '.', '', 'Commands (COMMAND --help explains one):', ...lines, ''].join('\n');
}

/**
 * Whether a command has more than the letters of its tool, because another command has those alone.
 * @param {string} command
 * @param {string} tool
 * @returns {boolean}
 */
function isNumbered(command, tool) {
  return command.replace(/-/g, '') !== tool.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/**
 * A name that the server wrote, on one line.
 * @param {string} name
 * @returns {string}
 */
function quoted(name) {
  return clean(JSON.stringify(name.length > 80 ? name.slice(0, 80) + '...' : name));
}

/**
 * @param {Command} command
 * @returns {string}
 */
function commandHelp({ command, tool, about, flags }) {
  const rows = flags.map(({ flag, off, name, kind, isRequired, choices, about: text }) => {
    const value = kind === 'boolean' ? '' : ' ' + (choices.length > 0 && choices.length < 9 ? clean(choices.join('|')).replace(/\s+/g, ' ') : VALUES[kind]);
    const what = (isRequired ? 'needed' : 'optional') + (flag === name ? '' : ', ' + quoted(name));
    return ['--' + flag + (off === '' ? '' : ', --' + off) + value, what + (text === '' ? '' : ': ' + text)];
  });
  const own = [
    ['--args JSON', 'all arguments as one JSON object'],
    ['--force', 'send arguments that do not fit the tool as they are'],
    ['--json', 'answer as one JSON object'],
    ['--full', 'the whole result as the server sent it'],
    ['--timeout MS', 'time limit of the call'],
    ['--cwd DIR', 'work as if started in DIR'],
  ];
  const lines = [...rows, ...own].map(([name = '', text = '']) => '  ' + name.padEnd(24) + '  ' + text);
  const title = command + (command === tool ? '' : ' (' + quoted(tool) + ')');
  return [title + (about === '' ? '' : ': ' + about), '', ...lines, ''].join('\n');
}

/** @type {Record<Kind, string>} */
const VALUES = {
  text: 'TEXT',
  number: 'NUMBER',
  boolean: '',
  any: 'TEXT-OR-JSON',
  json: 'JSON',
  texts: 'TEXT (may be repeated)',
  numbers: 'NUMBER (may be repeated)',
};

process.exitCode = await main(process.argv.slice(2));
`;
