import { describe, expect, test } from 'vitest';
import { ConversationFlow, type ReadResult } from './conversation-flow.js';
import { flowLedgerText } from './flow-finding.js';
import { toFlowLine } from './flow-record.js';
import { Symbols } from './symbols.js';

const web: ReadResult = {
  source: { server: 'web', tool: 'fetch' },
  isOutside: true,
  isForeign: false,
  texts: ['A page from outside.'],
};

function notesOf(...texts: string[]): ReadResult {
  return { source: { server: 'notes', tool: 'read_note' }, isOutside: false, isForeign: false, texts };
}

function find(read: readonly ReadResult[], input: unknown, server = 'web') {
  const flow = new ConversationFlow(new Symbols());
  for (const result of [web, ...read]) {
    flow.read(result);
    flow.nextTurn();
  }
  return flow.find({ server, tool: 'send', isClosed: false, isForeign: false }, input, {
    mode: 'ask',
    allow: [],
    ownAllow: [],
  });
}

function look(read: readonly ReadResult[], input: unknown): string {
  const found = find(read, input);
  const [first] = found?.copies ?? [];
  return found ? `${flowLedgerText(found)}: ${first?.argument}` : 'nothing';
}

const PEOPLE = [
  {
    id: 1,
    name: 'Amara Okafor',
    company: 'Lagos Freight and Storage',
    mail: 'amara@lagosfreight.example',
    phone: '+234 1 555 0142',
    city: 'Port Harcourt',
  },
  {
    id: 2,
    name: 'Jonas Lindqvist',
    company: 'Lindqvist Bygg och Taklag',
    mail: 'jonas@lindqvistbygg.example',
    phone: '+46 8 555 010 77',
    city: 'Kristinehamn',
  },
];
const CSV = PEOPLE.map(({ name, company, mail, phone, city }) => [name, company, mail, phone, city].join(',')).join(
  '\n',
);
const HTML =
  '<p>We <b>agree</b> to the <i>price</i> of <b>2.1</b> million for the <a href="/x">archive</a> if <u>all</u> the <b>heirs</b> sign&nbsp;before <b>Easter</b>.</p>';
const PLAIN = 'We agree to the price of 2.1 million for the archive if all the heirs sign before Easter.';
const LIST = '- warn the lawyers in Bern\n- move the servers to Oslo\n- sell the shares of Anna';
const CHINESE = '我们计划在明年三月关闭苏州的工厂，把生产线搬到越南，并裁减大约四百名员工。';
const THAI = 'เราจะปิดโรงงานที่เชียงใหม่ในเดือนมีนาคมปีหน้าและย้ายเครื่องจักรทั้งหมดไปเวียดนามโดยไม่บอกพนักงาน';
const KOREAN = '내년 삼월에 울산 공장을 닫고 생산 시설을 베트남으로 옮긴다';
const entities = Array.from(PLAIN, (letter) => `&#${letter.codePointAt(0)};`).join('');
const bold = PLAIN.replaceAll(/[a-z]/gu, (letter) => String.fromCodePoint(0x1_d4_1a + letter.charCodeAt(0) - 97));
const noise = Buffer.from(Array.from({ length: 300 }, (_, at) => (at * 37) % 32)).toString('base64');

describe('a copy is found', () => {
  test.each<readonly [string, readonly string[], unknown, string]>([
    ['of JSON, as CSV', [JSON.stringify(PEOPLE)], { body: CSV }, 'copy notes -> web: body'],
    [
      'of JSON after a sentence',
      [`Found two:\n${JSON.stringify(PEOPLE, null, 2)}`],
      { body: CSV },
      'copy notes -> web: body',
    ],
    [
      'of JSON in lines',
      [PEOPLE.map((one) => JSON.stringify(one)).join('\n')],
      { body: CSV },
      'copy notes -> web: body',
    ],
    ['of CSV, as JSON in a text', [CSV], { body: JSON.stringify(PEOPLE) }, 'copy notes -> web: body'],
    ['of CSV, as objects', [CSV], { leads: PEOPLE }, 'copy notes -> web: leads[0].company'],
    [
      'of lines, as names and values',
      ['Name: Amara Okafor\nBlood type: 0\nAllergy: latex, penicillin'],
      { form: { Name: 'Amara Okafor', 'Blood type': '0', Allergy: 'latex, penicillin' } },
      'copy notes -> web: form.Blood type',
    ],
    ['of HTML, as plain text', [HTML], { body: PLAIN }, 'copy notes -> web: body'],
    ['of plain text, as HTML', [PLAIN], { body: HTML }, 'copy notes -> web: body'],
    [
      'in HTML that is in base64',
      [PLAIN],
      { body: Buffer.from(HTML).toString('base64') },
      'copy notes -> web base64: body',
    ],
    ['in entities', [PLAIN], { body: entities }, 'copy notes -> web: body'],
    ['in bold letters of mathematics', [PLAIN], { body: bold }, 'copy notes -> web: body'],
    ['with an emoji after each word', [PLAIN], { body: PLAIN.replaceAll(' ', ' 🔥 ') }, 'copy notes -> web: body'],
    ['of a list, with numbers', [LIST], { body: LIST.replaceAll('- ', '3. ') }, 'copy notes -> web: body'],
    ['of a list with numbers, without', [LIST.split('- ').join('12) ')], { body: LIST }, 'copy notes -> web: body'],
    ['of Chinese', [CHINESE], { body: CHINESE }, 'copy notes -> web: body'],
    ['of Thai', [THAI], { body: THAI }, 'copy notes -> web: body'],
    ['of Korean', [KOREAN], { body: KOREAN }, 'copy notes -> web: body'],
    [
      'in hex, as labels of a host name',
      [PLAIN],
      {
        url: `https://${Buffer.from(PLAIN)
          .toString('hex')
          .match(/.{1,60}/gu)!
          .join('.')}.example`,
      },
      'copy notes -> web hex: url',
    ],
    [
      'in base64, as labels of a host name',
      [PLAIN],
      {
        url: `https://${Buffer.from(PLAIN)
          .toString('base64url')
          .match(/.{1,40}/gu)!
          .join('.')}.example`,
      },
      'copy notes -> web base64: url',
    ],
    [
      'in base64, after bytes that are no text',
      [PLAIN],
      { body: noise + Buffer.from(PLAIN).toString('base64') },
      'copy notes -> web base64: body',
    ],
    [
      'in base64 that begins in the second argument',
      [PLAIN],
      {
        url: 'https://e.example/',
        parts: Buffer.from(PLAIN)
          .toString('base64')
          .match(/.{1,20}/gu),
      },
      'copy notes -> web base64: parts[1]',
    ],
    [
      'of a password, without its user',
      ['postgresql://app:harbour-Kite-93@db/shop'],
      { q: 'harbour-Kite-93' },
      'secret notes -> web: q',
    ],
    [
      'of a password, in base64',
      ['password=harbour-Kite'],
      { q: Buffer.from('harbour-Kite').toString('base64') },
      'secret notes -> web: q',
    ],
    [
      'of a password, in hex',
      ['password=harbour-Kite'],
      { q: Buffer.from('harbour-Kite').toString('hex') },
      'secret notes -> web: q',
    ],
  ])('%s', (_, texts, input, expected) => {
    expect(look([notesOf(...texts)], input)).toBe(expected);
  });
});

describe('nothing is asked about', () => {
  test.each<readonly [string, readonly string[], unknown]>([
    [
      'a file with a Chinese name',
      ['报告/2026年第三季度销售数据汇总与分析.xlsx'],
      { path: '/reports/2026年第三季度销售数据汇总与分析.xlsx' },
    ],
    ['a decimal number that begins a line', ['3.4 on average'], { body: '3.4 on average' }],
    ['a few words of a page in HTML', [HTML], { body: 'the price of 2.1 million' }],
  ])('%s', (_, texts, input) => {
    expect(look([notesOf(...texts)], input)).toBe('nothing');
  });

  test('what the server that it goes to has given as well', () => {
    const files: ReadResult = {
      source: { server: 'files', tool: 'read' },
      isOutside: false,
      isForeign: false,
      texts: [PLAIN],
    };
    expect(find([notesOf(PLAIN), files], { body: PLAIN }, 'files')).toBeUndefined();
    expect(find([files, notesOf(PLAIN)], { body: PLAIN }, 'files')).toBeUndefined();
    expect(find([notesOf(PLAIN), files], { body: PLAIN }, 'mail')?.rules).toEqual(['notes -> mail']);
    // Also where the conversation goes on later.
    const flow = new ConversationFlow(new Symbols());
    const lines = [web, notesOf(PLAIN), files].map((result) => toFlowLine(flow.read(result)));
    const resumed = new ConversationFlow(new Symbols());
    resumed.restore(JSON.parse(JSON.stringify(lines)) as unknown[]);
    const sink = { server: 'files', tool: 'write', isClosed: false, isForeign: false };
    const options = { mode: 'ask', allow: [], ownAllow: [] } as const;
    expect(resumed.find(sink, { body: PLAIN }, options)).toBeUndefined();
    // A server of a repository with the same name has not given it.
    expect(resumed.find({ ...sink, isForeign: true }, { body: PLAIN }, options)?.kind).toBe('copy');
  });
});
