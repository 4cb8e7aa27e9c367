import { toHostError } from '../../base/to-host-error.js';
import type { Completion } from '../../connection/requests/complete.js';
import type { PromptAnswer } from '../../connection/requests/get-prompt.js';
import type { ResourceAnswer, ResourceContent } from '../../connection/requests/read-resource.js';
import type { LoadedSkill } from '../../connection/requests/read-skill.js';
import type { ContentBlock } from '../../model/content/content-block.js';
import type { SessionHooks } from '../../model/hooks/session-hooks.js';

import type { SavedFile } from '../../model/tool.js';
import { saveForModel } from '../calls/save-for-model.js';
import { answerFor } from './answer-for.js';
import { completeArgument, type CompletionRequest } from './complete-argument.js';
import { CompletionRequests } from './completion-requests.js';
import { type Answered, type TypedOptions, unanswered } from '../answered.js';
import type { Assembly } from '../assembly.js';
import { type MentionOptions, type ResolvedMentions, resolveMentions } from '../host-mentions.js';
import {
  getHostPrompt,
  type ListedPrompts,
  listHostPrompts,
  type PromptListRequest,
  type PromptRequest,
  runPromptCommand,
} from '../host-prompts.js';
import {
  type ListedResources,
  listHostResources,
  readHostResource,
  type ResourceListRequest,
  type ResourceRequest,
  type Watching,
  type WatchListener,
  watchResource,
  type WatchRequest,
} from '../host-resources.js';
import { type RunSkill, runSkillCommand } from '../host-skill-command.js';
import {
  type ListedSkills,
  listHostSkills,
  readHostSkill,
  readHostSkillFile,
  type SkillFileRequest,
  type SkillListRequest,
  type SkillRequest,
} from '../host-skills.js';
import { answerInOptionWords } from '../options/option-words.js';

type RequestAssembly = Pick<Assembly, 'requests' | 'shaping' | 'sessionHooks'>;

/** What a host asks of servers besides tool calls: resources, prompts, skills, completions. */
export abstract class HostRequests {
  readonly #parts: RequestAssembly;
  readonly #completions = new CompletionRequests();
  readonly #isCommandLine: boolean;

  /** @internal */
  constructor(parts: RequestAssembly, isCommandLine: boolean) {
    this.#parts = parts;
    this.#isCommandLine = isCommandLine;
  }

  /** The hooks of a session, for the program that has one with a user: what a host does runs its hooks by itself. */
  get sessionHooks(): SessionHooks {
    return this.#parts.sessionHooks;
  }

  /** The known resources and templates of all servers, or of one that is started and waited for. Never rejects. */
  resources(request: ResourceListRequest = {}): Promise<Answered<ListedResources>> {
    return this.#answer('resources({ server })', request, [], (one) => listHostResources(this.#parts.requests, one));
  }

  /** Reads a resource as a call of its server: decided, passed through hooks, and written to the ledger. Never rejects. */
  readResource(request: ResourceRequest): Promise<Answered<ResourceAnswer>> {
    return this.#answer('readResource({ server, uri })', request, ['server', 'uri'], (one) =>
      readHostResource(this.#parts.requests, one),
    );
  }

  /**
   * Suggests values for a template's variable or a prompt's argument: as what it is for, it is decided, passed through
   * hooks and written to the ledger, but nobody is asked.
   */
  complete(request: CompletionRequest): Promise<Answered<Completion>> {
    return this.#answer('complete({ server, ref, argument })', request, ['server'], (one) =>
      completeArgument(this.#parts.requests, this.#completions, one),
    );
  }

  /** Calls the listener on changes until the watch is disposed of. Decided once, like reading the resource. */
  watchResource(request: WatchRequest, listener: WatchListener): Watching {
    return this.#answer('watchResource({ server, uri }, listener)', request, ['server', 'uri'], (one) =>
      watchResource(this.#parts.requests, one, listener),
    );
  }

  /** The known prompts of all servers, or of one that is started and waited for. Never rejects. */
  prompts(request: PromptListRequest = {}): Promise<Answered<ListedPrompts>> {
    return this.#answer('prompts({ server })', request, [], (one) => listHostPrompts(this.#parts.requests, one));
  }

  /** Gets a prompt as the call `mcp__server__prompts`: decided, passed through hooks, and written to the ledger. */
  getPrompt(request: PromptRequest): Promise<Answered<PromptAnswer>> {
    return this.#answer('getPrompt({ server, prompt, arguments })', request, [], (one) =>
      getHostPrompt(this.#parts.requests, one),
    );
  }

  /** Runs a typed `/mcp__server__prompt a "b c"`; undefined for any other text. Never rejects. */
  async runPrompt(text: string, options: TypedOptions = {}): Promise<Answered<PromptAnswer> | undefined> {
    if (typeof text !== 'string') return undefined;
    try {
      const answer = await runPromptCommand(this.#parts.requests, text, options);
      return answer && !this.#isCommandLine ? answerInOptionWords(answer) : answer;
    } catch (cause) {
      return unanswered(toHostError(cause, 'runPrompt failed inside Plugboard'));
    }
  }

  /**
   * Reads the skill of a typed `/skills NAME text`, by `server:name`, its name or its URI; undefined for any other text.
   * Never rejects.
   */
  async runSkill(text: string, options: TypedOptions = {}): Promise<Answered<RunSkill> | undefined> {
    if (typeof text !== 'string') return undefined;
    try {
      const { requests, shaping } = this.#parts;
      const answer = await runSkillCommand(requests, shaping, { ...options, text });
      return answer && !this.#isCommandLine ? answerInOptionWords(answer) : answer;
    } catch (cause) {
      return unanswered(toHostError(cause, 'runSkill failed inside Plugboard'));
    }
  }

  /** Reads the resources that a text mentions as `@server:uri`; what is too large for a model is saved to files. */
  async resolveMentions(text: string, options: MentionOptions = {}): Promise<ResolvedMentions> {
    try {
      return await resolveMentions(this.#parts.requests, this.#parts.shaping, { text, ...options });
    } catch (cause) {
      const notes = [toHostError(cause, 'resolveMentions failed inside Plugboard').message];
      return { mentions: [], blocks: [], notes };
    }
  }

  /**
   * Saves content in the folder of results, where the tool Read can read it: for a conversation that has to become
   * shorter. Empty where nothing can be saved. Never rejects.
   */
  saveContent(blocks: readonly ContentBlock[]): Promise<readonly SavedFile[]> {
    return saveForModel(this.#parts.shaping.store, blocks);
  }

  /** The known skills of all servers at once; of one, after a list that is on its way. Starts no server. Never rejects. */
  async skills(options: SkillListRequest = {}): Promise<ListedSkills> {
    try {
      return await listHostSkills(this.#parts.requests, options);
    } catch (cause) {
      return { skills: [], notes: [toHostError(cause, 'skills failed inside Plugboard').message] };
    }
  }

  /** Reads another file of a skill, by its URI. Decided like reading a resource. Never rejects. */
  readSkillFile(request: SkillFileRequest): Promise<Answered<{ readonly content: ResourceContent }>> {
    return this.#answer('readSkillFile({ server, skill, file })', request, ['server', 'skill', 'file'], (one) =>
      readHostSkillFile(this.#parts.requests, one),
    );
  }

  /** Reads the instructions of a skill. Decided like reading a resource. Never rejects. */
  readSkill(request: SkillRequest): Promise<Answered<LoadedSkill>> {
    return this.#answer('readSkill({ server, skill })', request, ['server', 'skill'], (one) =>
      readHostSkill(this.#parts.requests, one),
    );
  }

  #answer<Request, Result extends object>(
    usage: string,
    request: Request,
    texts: readonly string[],
    answer: (request: Request) => Promise<Answered<Result>>,
  ): Promise<Answered<Result>> {
    return answerFor(request, { usage, texts, isCommandLine: this.#isCommandLine }, answer);
  }
}
