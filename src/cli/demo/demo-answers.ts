import type { Elicitation, ElicitationReply, Field, PermissionAnswer, PermissionQuestion, Ports } from '../../index.js';
import { unreachable } from '../../base/never.js';
import { showLine } from '../../model/show.js';

/** Answers the demo's questions where there is no user. Only for the demo's own servers: every other gets a no. */
export class DemoAnswers {
  readonly ports: Pick<Ports, 'ask' | 'elicit'>;

  /** `tell`: says what was asked and answered. Contract: must not throw. */
  constructor(tell: (question: string, answer: string) => void) {
    this.ports = {
      ask: async (question) => {
        const answer = permit(question);
        const about = `May the model call ${question.server ?? ''}.${question.tool} ${JSON.stringify(question.input)}?`;
        tell(showLine(about), answer.kind === 'allow' ? 'yes, this time' : 'no');
        return answer;
      },
      elicit: async (question) => {
        const reply = fillIn(question);
        const about = `${question.server} asks: ${question.message}`;
        tell(showLine(about), reply.content ? showLine(JSON.stringify(reply.content)) : 'no');
        return reply;
      },
    };
  }
}

const SERVERS: ReadonlySet<string | undefined> = new Set(['notes', 'weather', 'clock']);

function permit({ server }: PermissionQuestion): PermissionAnswer {
  return SERVERS.has(server) ? { kind: 'allow', remember: 'once' } : { kind: 'deny' };
}

function fillIn({ server, form }: Elicitation): ElicitationReply {
  if (!SERVERS.has(server) || !form) return { action: 'decline' };
  return { action: 'accept', content: Object.fromEntries(form.fields.map((field) => [field.name, valueFor(field)])) };
}

/** The default, else the first choice, else something that fits. */
function valueFor(field: Field): unknown {
  if (field.default !== undefined) return field.default;
  switch (field.kind) {
    case 'choice':
      return field.choices[0]?.value;
    case 'choices':
      return field.choices.slice(0, 1).map(({ value }) => value);
    case 'boolean':
      return false;
    case 'number':
      return field.minimum ?? 1;
    case 'text':
      return 'demo';
    default:
      return unreachable(field);
  }
}
