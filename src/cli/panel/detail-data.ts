import type { Host } from '../../index.js';
import { type RunningCatalog, runningServer, type RunningServer } from '../../actions/running-server.js';
import { type Offer, offerOf } from '../../actions/servers/server-offer.js';
import { type ServerTexts, textsOf } from '../../actions/server-texts.js';
import { type PanelData, type PanelServer, runs } from './panel-data.js';

/** What is known of one server at one moment; only names, so that no definition has to be read. */
export interface DetailData {
  readonly server: PanelServer;
  /** Other entries of the same name. */
  readonly others: readonly PanelServer[];
  /** Texts made from its entry. */
  readonly texts: ServerTexts;
  readonly offer: Pick<Offer, 'server' | 'capabilities' | 'instructions'> | undefined;
  readonly tools: readonly ToolEntry[];
  readonly resources: RunningCatalog['resources'];
  readonly templates: RunningCatalog['templates'];
  readonly prompts: RunningCatalog['prompts'];
  /** Undefined while the server has not answered yet. */
  readonly skills: readonly Skill[] | undefined;
  readonly setAside: readonly { readonly tool: string; readonly reason: string }[];
  readonly warnings: readonly string[];
}

export type ToolEntry = ReturnType<Host['tools']>[number];
export type Skill = Awaited<ReturnType<Host['skills']>>['skills'][number];

export interface DetailSources {
  readonly host: Host;
  readonly data: PanelData;
  readonly skills: readonly Skill[] | undefined;
}

export function toDetailData(server: PanelServer, { host, data, skills }: DetailSources): DetailData {
  const { name } = server.state;
  const texts = textsOf(host);
  const others = data.servers.filter((other) => other.state.name === name && other.key !== server.key);
  const connection = runs(server.definition) ? runningServer(host, name) : undefined;
  if (!connection) return { ...NOTHING, server, others, texts };
  const { catalog } = connection;
  const setAside = host.setAside().filter((one) => one.server === name);
  const isAside = new Set(setAside.map(({ tool }) => tool));
  const offer = offerOf(catalog);
  return {
    server,
    others,
    texts,
    offer,
    tools: host.tools().filter((tool) => tool.server === name && !isAside.has(tool.tool)),
    resources: catalog.resources,
    templates: catalog.templates,
    prompts: catalog.prompts,
    skills,
    setAside,
    warnings: warningsOf(connection),
  };
}

const NOTHING = {
  offer: undefined,
  tools: [],
  resources: [],
  templates: [],
  prompts: [],
  skills: [],
  setAside: [],
  warnings: [],
} as const;

function warningsOf({ catalog, listProblems }: RunningServer): string[] {
  const failed = Array.from(listProblems, ([list, { message }]) => `its ${list} could not be listed: ${message}`);
  return [...failed, ...catalog.warnings];
}
