// Tools whose words are distributed as people use them: few are common, most are rare. The same tools in every run.
const verbs = [
  'create',
  'list',
  'get',
  'update',
  'delete',
  'search',
  'export',
  'send',
  'watch',
  'archive',
  'merge',
  'assign',
];
const things = [
  'issue',
  'file',
  'message',
  'event',
  'report',
  'user',
  'customer',
  'invoice',
  'branch',
  'table',
  'channel',
];
const common =
  'github read calendar database repository workspace query limit cursor pull request review comment weekly date project team member ' +
  'record field value page result name description status label priority owner folder document account payment order product';
const fillers = ['the', 'of', 'a', 'to', 'in', 'and', 'for', 'with', 'is', 'or'];
const starts = [
  'ba',
  'cor',
  'del',
  'fin',
  'gra',
  'hel',
  'in',
  'jun',
  'kar',
  'lo',
  'mi',
  'nor',
  'op',
  'pre',
  'qua',
  're',
  'sto',
];
const middles = ['ta', 'ri', 'mo', 'ne', 'lu', 'sca', 'pti', 'ven', 'do', 'gi', 'xo', 'be', 'ca', 'fi', 'ho'];
const ends = ['n', 'ment', 'tion', 'r', 'ble', 'ty', 'ing', 'l', 'sis', 'ria', 'ce', 'den', 'x', 'k'];

/** Returns [server, documents] pairs. */
export function makeDocuments({ servers, text, tools }) {
  const random = makeRandom(7);
  const words = shuffle([...common.split(' '), ...things, ...verbs, ...makeWords(random, 12_000)], random);
  const fleet = Array.from({ length: servers }, (_, server) => [
    `server-${server}`,
    Array.from({ length: tools / servers }, (_unused, index) => makeDocument(`server-${server}`, index)),
  ]);
  return JSON.parse(JSON.stringify(fleet)); // flat strings, as a parser makes them

  function makeDocument(server, index) {
    const verb = verbs[index % verbs.length];
    const thing = things[index % things.length];
    const tool = `${verb}_${thing}_${index}`;
    let description = `${verb}s ${thing}s of a ${pick()} in the ${pick()}. Use it to ${verb} a ${thing} by its ${pick()}.`;
    while (description.length < text) description += random() < 0.4 ? ` ${fill()}` : ` ${pick()}`;
    const parameters = Array.from({ length: 10 }, () => `${pick()}_${pick()}`);
    return { name: `mcp__${server}__${tool}`, tool, title: tool.replaceAll('_', ' '), description, parameters };
  }

  function fill() {
    return fillers[Math.floor(fillers.length * random())];
  }

  function pick() {
    return words[Math.floor(words.length * random() ** 3)];
  }
}

function shuffle(list, random) {
  return list
    .map((word) => [random(), word])
    .toSorted(([a], [b]) => a - b)
    .map(([, word]) => word);
}

function makeWords(random, count) {
  const found = new Set();
  const one = (list) => list[Math.floor(list.length * random())];
  while (found.size < count) found.add(one(starts) + one(middles) + (random() < 0.5 ? one(middles) : '') + one(ends));
  return found;
}

/** A linear congruential generator: poor, and the same everywhere. */
function makeRandom(seed) {
  let state = seed;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}
