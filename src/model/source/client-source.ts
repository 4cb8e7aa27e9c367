import { objectSource, type TypeNames, typeSource } from './type-text.js';
import { toSchemaType } from './read-schema.js';
import { namedTypes, propertiesOf, type SchemaType, toObjectType } from './schema-type.js';
import { docComment, Identifiers, stringLiteral } from './source-text.js';

/** A server as source is written for it. Names and texts are as the server wrote them. */
export interface SourceServer {
  readonly name: string;
  readonly tools: readonly SourceTool[];
  /** The entry of a server that is configured nowhere, without secrets; the source brings it along. */
  readonly entry: object | undefined;
}

export interface SourceTool {
  /** The name that a host knows the tool by. */
  readonly name: string;
  readonly tool: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly outputSchema: object | undefined;
}

/** The first words of every file that is written, by which a later run knows it again. */
export const CLIENT_MARK = '// Written by plugboard emit-ts';

/** A typed client of a server in TypeScript: a type for each input and output, a function for each tool. */
export function clientSource({ name: server, tools, entry }: SourceServer): string {
  const named = new Identifiers().add(server, { style: 'pascal', otherwise: 'server' });
  const lower = named.charAt(0).toLowerCase() + named.slice(1);
  const names = tools.map(({ tool }) => tool);
  const methods = new Identifiers(INHERITED).addAll(names, { style: 'camel', otherwise: 'tool' });
  const types = new Identifiers().addAll(names, { style: 'pascal', otherwise: 'tool' });
  const written = tools.map((tool, at) => toWritten(tool, { type: types[at]!, method: methods[at]! }));
  return [
    `${CLIENT_MARK}. Run it again instead of editing this file.`,
    `import { type CallResult, Host, HostError, type HostOptions } from 'plugboard';`,
    '',
    `const SERVER = ${stringLiteral(server)};`,
    '',
    '/** Options of one call. */',
    'export interface CallOptions {',
    '  readonly signal?: AbortSignal | undefined;',
    '  readonly timeoutMs?: number | undefined;',
    '}',
    '',
    '/** A result with structured content of a known type. */',
    'export type Structured<Content> = CallResult & { readonly structuredContent: Content };',
    '',
    ...written.flatMap(({ types: lines }) => lines),
    `/** The tools of the server. A call that does not succeed rejects with a HostError. */`,
    `export interface ${named}Client {`,
    ...written.flatMap(({ member }) => member),
    '}',
    '',
    ...(entry === undefined ? OPEN_CONFIGURED(named) : OPEN_GIVEN(named, entry)),
    '',
    '/** A client that calls through a host, which you close yourself. */',
    `export function ${lower}Client(host: Host): ${named}Client {`,
    ...CALL_LINES,
    '  return {',
    ...written.map(({ method }) => method),
    '  };',
    '}',
    '',
  ].join('\n');
}

/** Names that every object has, by which it would count as a promise, or that mean something else in an interface. */
const INHERITED =
  'constructor prototype new then toString toLocaleString valueOf toJSON hasOwnProperty isPrototypeOf propertyIsEnumerable'.split(
    ' ',
  );

interface Written {
  readonly types: readonly string[];
  readonly member: readonly string[];
  readonly method: string;
}

function toWritten(
  { name, tool, description, inputSchema, outputSchema }: SourceTool,
  { type, method }: { readonly type: string; readonly method: string },
): Written {
  const input = toObjectType(toSchemaType(inputSchema));
  const { properties } = propertiesOf(input);
  const isOptional = properties.every((property) => property.isOptional);
  const output = outputSchema === undefined ? 'CallResult' : `Structured<${type}Output>`;
  const given = `input${isOptional ? '?' : ''}: ${type}Input, options?: CallOptions`;
  const call = `call(${stringLiteral(tool)}, ${stringLiteral(name)}, input, options)`;
  return {
    types: [
      ...typeLines(`${type}Input`, input),
      ...(outputSchema === undefined ? [] : typeLines(`${type}Output`, toSchemaType(outputSchema))),
    ],
    member: [...docComment(description, '  '), `  ${method}(${given}): Promise<${output}>;`],
    method:
      outputSchema === undefined
        ? `    ${method}: (input, options) => ${call},`
        : `    ${method}: async (input, options) => (await ${call}) as ${output},`,
  };
}

/** Declares a type, and before it those inside that refer to themselves. */
function typeLines(name: string, type: SchemaType): string[] {
  const named = [...new Map(namedTypes(type).map((one) => [one.id, one])).values()];
  const names = new Map(
    named.map((one, at) => [one.id, one === type ? name : `${name}Node${at === 0 ? '' : String(at + 1)}`]),
  );
  const inner = named.filter((one) => one !== type);
  return [
    ...inner.flatMap((one) => declaration(names.get(one.id)!, one.type, names)),
    ...declaration(name, type.kind === 'named' ? type.type : type, names),
  ];
}

function declaration(name: string, type: SchemaType, names: TypeNames): string[] {
  if (type.kind !== 'object') return [`export type ${name} = ${typeSource(type, names)};`, ''];
  if (type.properties.length === 0 && type.rest === undefined) {
    return [`export type ${name} = { readonly [name: string]: never };`, ''];
  }
  return [`export interface ${name} ${objectSource(type, names, '')}`, ''];
}

const OPEN_CONFIGURED = (named: string): string[] => [
  '/** Opens a host with this server alone, as your configuration has it. Close the host when you are done. */',
  `export function open${named}Host(options: HostOptions = {}): Promise<Host> {`,
  '  return Host.open({ watch: false, only: [SERVER], ...options });',
  '}',
];

const OPEN_GIVEN = (named: string, entry: object): string[] => [
  '/** The server as it was given on the command line; its variables and headers are not written here. */',
  `const ENTRY = ${stringLiteral(JSON.stringify(entry))};`,
  '',
  '/** Opens a host with this server alone. Close the host when you are done. */',
  `export function open${named}Host(options: HostOptions = {}): Promise<Host> {`,
  "  return Host.open({ watch: false, strict: true, mcpServers: [SERVER + '=' + ENTRY], ...options });",
  '}',
];

const CALL_LINES = [
  '  const call = async (',
  '    tool: string,',
  '    name: string,',
  '    input: object | undefined,',
  '    options: CallOptions = {},',
  '  ): Promise<CallResult> => {',
  '    const known = host.tools().find((one) => one.server === SERVER && one.tool === tool);',
  "    const result = await host.call({ name: known?.name ?? name, input: { ...input }, shape: 'raw', ...options });",
  "    if (result.outcome === 'ok') return result;",
  "    const said = result.content.map((block) => (typeof block['text'] === 'string' ? block['text'] : ''));",
  "    throw result.error ?? new HostError('server-error', said.join(' ').trim() || tool, { cause: result });",
  '  };',
];
