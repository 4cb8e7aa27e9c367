/** What the demo shows, one step after the other. All that the scripted model can say stands here. */
export interface DemoStep {
  readonly name: string;
  /** The message that the prompt suggests. */
  readonly say: string;
  /** Words in a message that mean this step, too. */
  readonly words: readonly string[];
  /** What the model says before it calls the tool. */
  readonly before: string;
  readonly call: { readonly name: string; readonly input: { readonly [name: string]: unknown } };
  /** What the model says after the call. */
  readonly done: string;
  /** What the model says when the call failed, or was denied. */
  readonly failed: string;
}

export const demoSteps: readonly DemoStep[] = [
  {
    name: 'a read',
    say: 'What is on my shopping list?',
    words: ['list', 'read', 'shopping', 'notes'],
    before: 'I look at your notes.',
    call: { name: 'mcp__notes__list_notes', input: {} },
    done: 'That is your list, from a server on stdio. The server states that this tool only reads, so the demo did not ask you. Usually you are asked about reads, too.',
    failed: 'I was not allowed to read your list, or the server did not answer.',
  },
  {
    name: 'a permission question',
    say: 'Put milk on the list.',
    words: ['add', 'put', 'milk', 'write', 'permission'],
    before: 'This changes something, so you are asked first.',
    call: { name: 'mcp__notes__add_note', input: { text: 'milk' } },
    done: 'Milk is on the list. "Always" would have written a rule, so that you are not asked again.',
    failed: 'Milk is not on the list. I was told that you said no: a denied call has a result, too.',
  },
  {
    name: 'a form',
    say: 'When can I go shopping?',
    words: ['when', 'time', 'form', 'clock'],
    before: 'The clock has to know more, so it asks you itself.',
    call: { name: 'mcp__clock__find_time', input: { what: 'shopping' } },
    done: 'The server got exactly what you entered in its form, checked against its schema. It runs inside this program.',
    failed: 'The form was not filled in, so there is no time. A server must live with that answer.',
  },
  {
    name: 'a large result',
    say: 'How was the weather in Lisbon in the last ten years?',
    words: ['weather', 'large', 'lisbon', 'years', 'big'],
    before: 'I ask the weather server, over HTTP.',
    call: { name: 'mcp__weather__history', input: { city: 'Lisbon' } },
    done: '3650 lines came back. All of them are in a file; I got the beginning and the name of that file, not 130 kB.',
    failed: 'The weather server did not answer.',
  },
  {
    name: 'a server that dies and comes back',
    say: 'How many words are in my notes?',
    words: ['words', 'count', 'die', 'dies', 'crash'],
    before: 'The notes server dies in the middle of this call. Watch it come back.',
    call: { name: 'mcp__notes__count_words', input: {} },
    done: 'Plugboard started the server again and made the call again, which is safe for a tool that only reads.',
    failed: 'The server did not come back in time.',
  },
];

/** What the model says to a message that means no step. */
export const NO_STEP =
  'I am a script, not a model, so I cannot answer that. I can show you these; type a number or the sentence:';

/** What the model says after the last step. */
export const LAST_STEP =
  'That was all. To use your own servers: plugboard. To ask a real model here: plugboard demo --model NAME';
