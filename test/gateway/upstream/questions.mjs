import { acceptedContent, inputRequired, ProtocolError } from '@modelcontextprotocol/server';

// Tools that ask. Each is written once: the SDK makes an input_required result of a question in the modern era, and a
// request to the client in the legacy one.

const none = { type: 'object', properties: {} };
const said = (text) => ({ content: [{ type: 'text', text }] });
const MISSING_CAPABILITY = -32021;

export function form(message, properties, required = Object.keys(properties)) {
  return inputRequired.elicit({ message, requestedSchema: { type: 'object', properties, required } });
}

/**
 * A text of a form that the user has sent.
 * @returns {string | undefined}
 */
export function acceptedField({ inputResponses }, key, field) {
  return acceptedContent(inputResponses, key)?.[field];
}

const ask = (inputRequests, requestState) => inputRequired({ inputRequests, ...(requestState && { requestState }) });
const nameForm = () => form('What is your name?', { name: { type: 'string' } });
const confirmForm = () => form('Please confirm', { ok: { type: 'boolean' } });
const sample = (text, maxTokens = 100) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens });
const sampled = (response) => response?.content?.text;
const mint = ({ world }, state) => world.states.mint({ ...state, nonce: crypto.randomUUID() });

/** Asks one question and tells what the answer was. */
function once(name, description, { inputSchema = none, question, tell }) {
  const run = (input, { context: { mcpReq } }) => {
    const answer = mcpReq.inputResponses?.answer;
    return answer === undefined ? ask({ answer: question(input) }) : said(tell(answer));
  };
  return { name, description, inputSchema, run };
}

const tellForm = ({ action, content = {} }) => `action=${action}, content=${JSON.stringify(content)}`;
const withText = (field) => ({ type: 'object', properties: { [field]: { type: 'string' } }, required: [field] });
const titled = (...titles) => titles.map((title, index) => ({ const: `value${index + 1}`, title }));

export const askingTools = [
  once('test_sampling', 'Asks the model of the client', {
    inputSchema: withText('prompt'),
    question: ({ prompt }) => sample(prompt),
    tell: (answer) => `LLM response: ${sampled(answer) ?? JSON.stringify(answer)}`,
  }),
  once('test_elicitation', 'Asks the user', {
    inputSchema: withText('message'),
    question: ({ message }) => form(message, { response: { type: 'string', description: 'What the user says' } }),
    tell: (answer) => `User response: ${tellForm(answer)}`,
  }),
  once('test_elicitation_sep1034_defaults', 'Asks with a default for each kind of field', {
    question: () =>
      form(
        'Please look at these fields',
        {
          name: { type: 'string', description: 'A name', default: 'John Doe' },
          age: { type: 'integer', description: 'An age', default: 30 },
          score: { type: 'number', description: 'A score', default: 95.5 },
          status: {
            type: 'string',
            description: 'A state',
            enum: ['active', 'inactive', 'pending'],
            default: 'active',
          },
          verified: { type: 'boolean', description: 'Whether it is verified', default: true },
        },
        [],
      ),
    tell: (answer) => `Elicitation completed: ${tellForm(answer)}`,
  }),
  once('test_elicitation_sep1330_enums', 'Asks with each kind of choice', {
    question: () =>
      form(
        'Please choose',
        {
          untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
          titledSingle: { type: 'string', oneOf: titled('First', 'Second', 'Third') },
          legacyEnum: {
            type: 'string',
            enum: ['opt1', 'opt2', 'opt3'],
            enumNames: ['Option One', 'Option Two', 'Option Three'],
          },
          untitledMulti: {
            type: 'array',
            minItems: 1,
            maxItems: 3,
            items: { type: 'string', enum: ['option1', 'option2', 'option3'] },
          },
          titledMulti: {
            type: 'array',
            minItems: 1,
            maxItems: 3,
            items: { anyOf: titled('First', 'Second', 'Third') },
          },
        },
        [],
      ),
    tell: (answer) => `Elicitation completed: ${tellForm(answer)}`,
  }),
  once('test_url', 'Sends the user to a page', {
    question: () => inputRequired.elicitUrl({ message: 'Please sign in', url: 'https://example.com/sign-in?state=1' }),
    tell: ({ action }) => `Visited: ${action}`,
  }),
  {
    name: 'test_input_required_result_elicitation',
    description: 'Asks for a name',
    inputSchema: none,
    run(_, { context: { mcpReq } }) {
      const name = acceptedField(mcpReq, 'user_name', 'name');
      return typeof name === 'string' ? said(`Hello, ${name}!`) : ask({ user_name: nameForm() });
    },
  },
  {
    name: 'test_input_required_result_sampling',
    description: 'Asks the model for a capital',
    inputSchema: none,
    run(_, { context: { mcpReq } }) {
      const answer = mcpReq.inputResponses?.capital_question;
      if (answer === undefined) return ask({ capital_question: sample('What is the capital of France?') });
      return said(`Sampling response: ${sampled(answer) ?? JSON.stringify(answer)}`);
    },
  },
  {
    name: 'test_input_required_result_list_roots',
    description: 'Asks for the roots',
    inputSchema: none,
    run(_, { context: { mcpReq } }) {
      const roots = mcpReq.inputResponses?.client_roots?.roots;
      if (!Array.isArray(roots)) return ask({ client_roots: inputRequired.listRoots() });
      return said(`${roots.length} roots: ${roots.map(({ uri }) => uri).join(', ')}`);
    },
  },
  {
    name: 'test_input_required_result_request_state',
    description: 'Asks, and keeps a state meanwhile',
    inputSchema: none,
    async run(_, turn) {
      const { mcpReq } = turn.context;
      if (acceptedContent(mcpReq.inputResponses, 'confirm') === undefined) {
        return ask({ confirm: confirmForm() }, await mint(turn, { tool: 'request_state' }));
      }
      if (mcpReq.requestState() === undefined) throw new ProtocolError(-32602, 'The state is missing');
      return said('state-ok: the state is the one that was given out');
    },
  },
  {
    name: 'test_input_required_result_multiple_inputs',
    description: 'Asks three things at once',
    inputSchema: none,
    async run(_, turn) {
      const { mcpReq } = turn.context;
      const { greeting, client_roots: { roots } = {} } = mcpReq.inputResponses ?? {};
      const name = acceptedField(mcpReq, 'user_name', 'name');
      if (typeof name === 'string' && typeof sampled(greeting) === 'string' && Array.isArray(roots)) {
        return said(`${sampled(greeting)} ${name}, ${roots.length} roots`);
      }
      const questions = {
        user_name: nameForm(),
        greeting: sample('Generate a greeting', 50),
        client_roots: inputRequired.listRoots(),
      };
      return ask(questions, await mint(turn, { tool: 'multiple_inputs' }));
    },
  },
  {
    name: 'test_input_required_result_multi_round',
    description: 'Asks twice, one after the other',
    inputSchema: none,
    async run(_, turn) {
      const { mcpReq } = turn.context;
      const { round = 0, name } = mcpReq.requestState() ?? {};
      if (round === 0) {
        const step1 = form('Step 1: what is your name?', { name: { type: 'string' } });
        return ask({ step1 }, await mint(turn, { round: 1 }));
      }
      if (round === 1) {
        const step2 = form('Step 2: what is your favourite colour?', { color: { type: 'string' } });
        return ask({ step2 }, await mint(turn, { round: 2, name: acceptedField(mcpReq, 'step1', 'name') }));
      }
      return said(`Multi-round complete: ${name} likes ${acceptedField(mcpReq, 'step2', 'color')}`);
    },
  },
  {
    name: 'test_input_required_result_tampered_state',
    description: 'Refuses a state that it has not given out',
    inputSchema: none,
    async run(_, turn) {
      const { mcpReq } = turn.context;
      const isConfirmed = acceptedContent(mcpReq.inputResponses, 'confirm') !== undefined;
      if (isConfirmed && mcpReq.requestState() !== undefined) return said('integrity-ok');
      return ask({ confirm: confirmForm() }, await mint(turn, { tool: 'tampered_state' }));
    },
  },
  {
    name: 'test_input_required_result_capabilities',
    description: 'Asks only what the client can answer',
    inputSchema: none,
    run(_, { context: { mcpReq }, declared }) {
      if (mcpReq.inputResponses !== undefined) return said('All that could be asked was answered');
      const questions = {
        ...(declared.elicitation && { user_name: nameForm() }),
        ...(declared.sampling && { greeting: sample('Generate a short greeting', 50) }),
        ...(declared.roots && { client_roots: inputRequired.listRoots() }),
      };
      return Object.keys(questions).length === 0 ? said('The client can answer nothing') : ask(questions);
    },
  },
  {
    name: 'test_missing_capability',
    description: 'Cannot work without the model of the client',
    inputSchema: none,
    run(_, { context: { mcpReq }, declared }) {
      if (!declared.sampling) {
        const data = { requiredCapabilities: { sampling: {} } };
        throw new ProtocolError(MISSING_CAPABILITY, 'The client does not declare sampling', data);
      }
      const answer = mcpReq.inputResponses?.llm_answer;
      return answer === undefined
        ? ask({ llm_answer: sample('Reply with: pong', 16) })
        : said('The model has answered');
    },
  },
];
