import type { HostConfig } from '../config/load.js';
import type { ConfiguredServer } from '../config/entries/server.js';
import type { ConnectionFactory } from '../connection/connection-factory.js';
import type { Lanes } from '../lanes/lanes.js';
import type { ProfileName } from '../model/profiles/profile.js';
import type { CostReport } from '../model/view/tool-cost.js';
import type { ResultStore } from '../results/result-store.js';
import type { Assembly } from './assembly.js';
import type { HostParts } from './host-parts.js';
import type { ForModelOptions } from './tools/model-views.js';
import type { Configuration } from './servers/configuration.js';
import type { Server } from './servers/server.js';
import { type ClientOffers, toClientOffers } from './tools/client-offers.js';
import { askSkillInfo, type SkillInfoRequest } from './requests/skill-info.js';
import { type TaskRequests, taskRequests } from './requests/task-requests.js';
import { approvalRequest } from './approval-request.js';
import { type ServerTexts, serverTexts } from './servers/server-texts.js';

/** What a Host shows only to the rooms `actions` and `gateway`; the key is in host/inside.ts. */
export interface HostInside {
  readonly loaded: HostConfig;
  /** Every entry that was found, strongest first. */
  entries(): readonly ConfiguredServer[];
  /** The running server of this name; undefined where none runs. */
  server(name: string): Server | undefined;
  /** `check`: whether a value matches a server's schema. */
  readonly schemas: Pick<ConnectionFactory, 'check'>;
  readonly texts: ServerTexts;
  /** Where content is saved that cannot be shown; undefined without a state folder. */
  readonly results: ResultStore | undefined;
  readonly approvalRequest: typeof approvalRequest;
  /** What a program changes while the host runs, until the host closes. */
  readonly overlay: Pick<Configuration, 'overlay' | 'setOverlay' | 'readServers'>;
  /** The connections of callers that have their own to servers which keep state for a session. */
  readonly lanes: Pick<Lanes, 'attend' | 'close' | 'relevel' | 'states'>;
  /** What tools and servers would cost in a conversation that began now. */
  cost(profile: ProfileName, options: Omit<ForModelOptions, 'session'>): CostReport;
  /** What clients of a gateway can be offered. */
  readonly offers: ClientOffers;
  /** Tasks that clients of a gateway follow themselves. */
  readonly tasks: TaskRequests;
  /** Takes the result of such a task through hooks and the flow guard. */
  readonly taskResult: Assembly['taskResults'];
  /** What a server says of a skill or a folder. */
  skillInfo(request: SkillInfoRequest): ReturnType<typeof askSkillInfo>;
}

export function toInside(
  { servers, callServices, services: { configuration, connectionFactory, lanes } }: HostParts,
  { parts, cost }: { readonly parts: Assembly; readonly cost: HostInside['cost'] },
): HostInside {
  return {
    loaded: configuration.loaded,
    schemas: connectionFactory,
    entries: () => servers.entries(),
    server: (name) => servers.get(name),
    texts: serverTexts,
    results: callServices.results,
    approvalRequest,
    overlay: configuration,
    lanes,
    cost,
    offers: toClientOffers(servers, callServices, parts),
    tasks: taskRequests(parts.requests),
    taskResult: parts.taskResults,
    skillInfo: (request) => askSkillInfo(parts.requests, request),
  };
}
